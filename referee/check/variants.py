"""The variants of games that a check plays, and games whose last turn repeats a position."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import PASS, SWAP, GameError, create_game, random_turn
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games import Colour, Game, Position, Turn


_ODD_THRESHOLDS = (1, 2, 3, 4, 6)
_SMALL: dict[str, tuple[tuple[int, dict[str, object]], ...]] = {
    "yodd": ((2, {}), (3, {}), (4, {})),
    "xodd": ((2, {}), (3, {}), (4, {}), (5, {})),
    "odd": (
        *((3, {"board": "hexhex", "min_group": least}) for least in _ODD_THRESHOLDS),
        *((4, {"board": "square", "min_group": least}) for least in _ODD_THRESHOLDS),
        (2, {"board": "hexhex", "min_group": 7}),
        (2, {"board": "square", "min_group": 2}),
    ),
    "ayu": ((3, {}), (5, {}), (7, {}), (5, {"pie": True})),
}
"""Small boards of each game, as size and settings."""
MAX_TURNS = 400
PASSING = 0.25
"""How often a player passes in a game of passes, where that is legal."""


class Playout(NamedTuple):
    """A whole game: its positions, from the start to the end, and its turns."""

    positions: list[Position]
    turns: list[tuple[Colour, Turn]]


def small_variants(game: Game, commands: frozenset[str]) -> list[Game]:
    """Return small boards of a game with various settings, as far as the engine can be told them.

    Without `boardsize` there is only the board asked for, and without `set_game` there are only
    its settings.
    """
    if "boardsize" not in commands:
        return [game]
    known = _SMALL.get(game.name)
    wanted = [create_game(game.name, size, settings) for size, settings in known or ()]
    if "set_game" not in commands:
        wanted = [variant for variant in wanted if variant.settings == game.settings]
    return wanted or [smallest(game)]


def smallest(game: Game) -> Game:
    """Return a game on the smallest board that its settings allow."""
    for size in range(1, game.size):
        try:
            return create_game(game.name, size, game.settings)
        except GameError:
            continue
    return game


def all_boards(game: Game, commands: frozenset[str]) -> list[Game]:
    """Return a game on every board that there is, smallest first, as far as it can be told."""
    if "boardsize" not in commands:
        return [game]
    every = [dict(game.settings)]
    if game.name == "odd" and "set_game" in commands:
        every = [{**game.settings, "board": board} for board in ("hexhex", "square")]
    found = []
    for settings in every:
        for size in range(1, 27):
            try:
                found.append(create_game(game.name, size, settings))
            except GameError:
                continue
    return found


def random_game(game: Game, seed: str, passing: float = 0.0) -> Playout:
    """Return a game of random turns, with the swap taken and passes if `passing` is above 0."""
    random = Random(seed)
    positions: list[Position] = [game.start()]
    turns: list[tuple[Colour, Turn]] = []
    while not positions[-1].is_over and len(turns) < MAX_TURNS:
        position = positions[-1]
        turn = random_turn(position, random)
        if passing and position.status.may_swap:
            turn = SWAP
        elif passing and random.random() < passing and position.is_legal(PASS):
            turn = PASS
        turns.append((position.to_move, turn))
        positions.append(position.play(turn))
    return Playout(positions, turns)


def played_out(start: Position, turns: Sequence[Turn]) -> Playout:
    """Return the game of these turns from a position, up to its end. Raises IllegalTurn."""
    positions, played = [start], []
    for turn in turns:
        if positions[-1].is_over:
            break
        played.append((positions[-1].to_move, turn))
        positions.append(positions[-1].play(turn))
    return Playout(positions, played)


def turns_in(text: str) -> list[Turn]:
    """Return the turns of a text, with spaces between. Raises NotationError."""
    return [parse_turn(word) for word in text.split()]


def setup_line(position: Position) -> str:
    """Return the command that sets a position up, or "" if its game has no way to."""
    try:
        position.game.set_up(position.stones, position.to_move, position.status)
    except GameError:
        return ""
    stones = "".join(".BW"[stone] for stone in position.stones)
    past = f" passes {position.status.passes}" if position.status.passes else ""
    past = " swap" if position.status.may_swap else past
    return f"setup {position.to_move} {stones}{past}"


AYU_SIZE = 5
REPETITIONS = (
    "d5-d4 c2-c3 d1-d2 c3-b4 b1-b2 c4-a3 d4-c2 e4-e3 b3-d4 b4-a1 d4-b3 a1-b4",
    "d3-c3 a2-b2 c3-b4 c4-d4 b1-c1 e2-d2 b3-c5 e4-d3 b4-e5 b2-c4 e5-b4 c4-b2",
)
"""Turns from the start, with spaces between."""
CORNERS = (
    "d3-c3 e4-d4 d5-c5 e2-d2 d1-c1 a2-b2 c1-a1 b2-d3 c3-b2 c2-b4 b5-d5",
    "b5-c5 a2-b2 c5-d4 e2-e3 b1-c1 a4-b4 d5-d2 e3-e5 d4-c3 c2-a2",
    "d5-d4 a2-b2 d1-c1 e2-e3 b1-d1 a4-b4 d4-d2 e3-d4 b5-a5 b2-c3 a5-a4",
    "b1-c1 a4-b4 d5-c5 a2-b2 b3-c3 e2-d2 c1-e1 c4-b3 b5-c4 e4-e3 e1-c1 e3-e2 d3-b5",
)
"""Games in which a piece may move away from a corner, which it rarely may; each from another."""
