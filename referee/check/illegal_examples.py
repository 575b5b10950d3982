"""Examples of illegal turns: positions, and turns that break one rule of a game there.

A turn that breaks two rules says nothing of an engine that lacks one of them, so turns that are
legal but for one rule come first.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.errors import Illegality, IllegalTurn
from oddly.games.sampling import random_turn
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move
from oddly.referee.check.one_rule import breaks_only
from oddly.referee.check.variants import random_game

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oddly.games.game import Game, Position
    from oddly.games.turns import Turn, Vertex

PLAYOUTS = 2
LOOKS = 5
"""Positions of a game at which examples are sought."""
POSITIONS = 4
"""Positions with examples of one kind."""
TURNS = 10
"""Examples of one kind at one position."""
PAIRS = 80
ORIGINS = 8
OFF_BOARD = "z26"


@dataclass(frozen=True, slots=True)
class Example:
    """Illegal turns of one kind: after the turns `before`, each of `turns` is illegal.

    `turns` has the reasons too; `legal` is a legal turn there, or None after the end.
    """

    illegality: Illegality
    before: tuple[tuple[Colour, Turn], ...]
    colour: Colour
    turns: tuple[tuple[Turn, str], ...]
    legal: Turn | None


@cache
def illegal_examples(game: Game, seed: int = 0) -> tuple[Example, ...]:
    """Return examples of each kind of illegal turn in a few random games."""
    clean: defaultdict[Illegality, list[Example]] = defaultdict(list)
    other: defaultdict[Illegality, list[Example]] = defaultdict(list)
    for number in range(PLAYOUTS):
        positions, turns = random_game(game, f"illegal {seed} {number}")
        every = max(1, len(turns) // LOOKS)
        for index, position in enumerate(positions):
            if index % every and index > 2 and index < len(turns) - 2:
                continue
            random = Random(f"{seed} {number} {index}")
            for found, only in ((clean, True), (other, False)):
                for kind, illegal in _illegal_at(position, random, only=only).items():
                    legal = None if position.is_over else random_turn(position, random)
                    before = tuple(turns[:index])
                    found[kind].append(
                        Example(kind, before, position.to_move, tuple(illegal[:TURNS]), legal)
                    )
    chosen = [_spread(clean.get(kind) or other.get(kind, [])) for kind in Illegality]
    return tuple(chain.from_iterable(chosen))


def _spread(examples: list[Example]) -> list[Example]:
    """Return a few examples from all over the games, the richest one first."""
    ordered = sorted(examples, key=lambda example: -len(example.turns))
    return ordered[:: max(1, -(-len(ordered) // POSITIONS))][:POSITIONS]


def _illegal_at(
    position: Position, random: Random, *, only: bool
) -> dict[Illegality, list[tuple[Turn, str]]]:
    """Return illegal turns by kind; with `only`, those that are legal but for that rule."""
    found: defaultdict[Illegality, dict[str, tuple[Turn, str]]] = defaultdict(dict)
    for turn in _candidates(position, random):
        try:
            position.play(turn)
        except IllegalTurn as error:
            if not only or breaks_only(position, turn, error.illegality):
                found[error.illegality].setdefault(str(turn), (turn, error.reason))
    return {kind: _varied(list(turns.values()), random) for kind, turns in found.items()}


def _varied(illegal: list[tuple[Turn, str]], random: Random) -> list[tuple[Turn, str]]:
    """Return the turns in such an order that each shape comes early."""
    random.shuffle(illegal)
    seen: defaultdict[str, int] = defaultdict(int)
    order: list[tuple[int, int, tuple[Turn, str]]] = []
    for turn, reason in illegal:
        shape = f"{len(turn.drops)} drops" if isinstance(turn, Drops) else type(turn).__name__
        order.append((seen[shape], len(order), (turn, reason)))
        seen[shape] += 1
    return [each for _, _, each in sorted(order, key=lambda item: item[:2])]


def _candidates(position: Position, random: Random) -> Iterator[Turn]:
    """Return turns that are often illegal."""
    vertices = position.game.board.vertices
    empty = [v for v, stone in zip(vertices, position.stones, strict=True) if stone == EMPTY]
    taken = [vertex for vertex in vertices if vertex not in set(empty)]
    return chain(_drops(vertices, empty, random), _moves(position, taken, random), (PASS, SWAP))


def _drops(vertices: Sequence[Vertex], empty: Sequence[Vertex], random: Random) -> Iterator[Turn]:
    for vertex in [*vertices, OFF_BOARD]:
        for colour in Colour:
            yield Drops((Drop(colour, vertex),))
    for vertex in empty[:12]:
        yield Drops((Drop(Colour.BLACK, vertex), Drop(Colour.WHITE, vertex)))
        yield Drops((Drop(Colour.BLACK, vertex), Drop(Colour.BLACK, vertex)))
        yield Drops((Drop(Colour.WHITE, vertex), Drop(Colour.WHITE, OFF_BOARD)))
    for _ in range(PAIRS):
        pair = random.sample(list(vertices), 2)
        yield Drops(tuple(Drop(random.choice(list(Colour)), vertex) for vertex in pair))
    if len(empty) > 2:
        for _ in range(PAIRS // 4):
            three = random.sample(list(empty), 3)
            yield Drops(tuple(Drop(random.choice(list(Colour)), vertex) for vertex in three))


def _moves(position: Position, taken: Sequence[Vertex], random: Random) -> Iterator[Turn]:
    """Yield moves, to neighbours first, so that more than the distance is illegal."""
    board = position.game.board
    vertices = board.vertices
    origins = random.sample(list(taken), min(len(taken), 3 * ORIGINS))
    for origin in [*origins, vertices[0], random.choice(vertices)]:
        for index in board.neighbours[board.index[origin]]:
            yield Move(origin, vertices[index])
    for origin in origins[:ORIGINS]:
        for destination in [*random.sample(vertices, min(len(vertices), 12)), OFF_BOARD]:
            if origin != destination:
                yield Move(origin, destination)
