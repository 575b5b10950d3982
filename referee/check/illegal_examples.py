"""Examples of illegal turns: a position and a turn for every way to break a game's rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from random import Random
from typing import TYPE_CHECKING

from games.colour import EMPTY, Colour
from games.errors import Illegality, IllegalTurn
from games.sampling import random_turn
from games.turns import PASS, SWAP, Drop, Drops, Move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.board import Board
    from games.game import Game, Position
    from games.turns import Turn, Vertex

PLAYOUTS = 3
ORIGINS = 6
OFF_BOARD = "z26"


@dataclass(frozen=True, slots=True)
class Example:
    """One illegal turn: after the turns `before`, `turn` is illegal and `legal` is not."""

    illegality: Illegality
    reason: str
    before: tuple[tuple[Colour, Turn], ...]
    colour: Colour
    turn: Turn
    legal: Turn | None


@cache
def illegal_examples(game: Game, seed: int = 0) -> tuple[Example, ...]:
    """Return an example of each kind and shape of illegal turn in a few random games."""
    found: dict[tuple[Illegality, str], Example] = {}
    for number in range(PLAYOUTS):
        random = Random(f"illegal {seed} {number}")
        position: Position = game.start()
        before: tuple[tuple[Colour, Turn], ...] = ()
        while True:
            legal = None if position.is_over else random_turn(position, random)
            for turn in _candidates(position, random):
                _note(found, position, before, turn, legal)
            if legal is None:
                break
            before = (*before, (position.to_move, legal))
            position = position.play(legal)
    order = list(Illegality)
    return tuple(sorted(found.values(), key=lambda example: order.index(example.illegality)))


def _note(
    found: dict[tuple[Illegality, str], Example],
    position: Position,
    before: tuple[tuple[Colour, Turn], ...],
    turn: Turn,
    legal: Turn | None,
) -> None:
    try:
        position.play(turn)
    except IllegalTurn as error:
        example = Example(error.illegality, error.reason, before, position.to_move, turn, legal)
        found.setdefault((error.illegality, _shape(turn, position.game.board)), example)


def _shape(turn: Turn, board: Board) -> str:
    """Return the shape of a turn; a program judges turns of one shape by the same code."""
    if isinstance(turn, Drops):
        return f"{len(turn.drops)} drops"
    if isinstance(turn, Move):
        origin, destination = board.index.get(turn.origin), board.index.get(turn.destination)
        near = origin is not None and destination in board.neighbours[origin]
        return "near move" if near else "far move"
    return str(turn)


def _candidates(position: Position, random: Random) -> Iterator[Turn]:
    """Return turns that are often illegal."""
    vertices = position.game.board.vertices
    empty = [v for v, stone in zip(vertices, position.stones, strict=True) if stone == EMPTY]
    taken = [vertex for vertex in vertices if vertex not in set(empty)]
    return chain(_drops(empty, taken), _moves(position.game.board, taken, random), (PASS, SWAP))


def _drops(empty: list[Vertex], taken: list[Vertex]) -> Iterator[Turn]:
    for vertex in [*empty[:10], *taken[:2], OFF_BOARD]:
        for colour in Colour:
            yield Drops((Drop(colour, vertex),))
    for pair in combinations(empty[:6], 2):
        yield Drops(tuple(Drop(Colour.BLACK, vertex) for vertex in pair))
    if empty:
        yield Drops((Drop(Colour.BLACK, empty[0]), Drop(Colour.WHITE, empty[0])))
    if empty and taken:
        yield Drops((Drop(Colour.BLACK, empty[0]), Drop(Colour.WHITE, taken[0])))
    if len(empty) > 2:
        yield Drops(tuple(Drop(Colour.BLACK, vertex) for vertex in empty[:3]))


def _moves(board: Board, taken: list[Vertex], random: Random) -> Iterator[Turn]:
    """Yield moves, to neighbours first, so that more than the distance is illegal."""
    vertices = board.vertices
    origins = random.sample(taken, min(len(taken), ORIGINS))
    for origin in [*origins, vertices[0]]:
        for index in board.neighbours[board.index[origin]]:
            yield Move(origin, vertices[index])
    for origin in origins:
        for destination in [*random.sample(vertices, min(len(vertices), 10)), OFF_BOARD]:
            if origin != destination:
                yield Move(origin, destination)
