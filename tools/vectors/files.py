"""The files: which lines each one holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tools.vectors import choice
from tools.vectors.facts import (
    as_line,
    board_facts,
    illegal_facts,
    notation_facts,
    perft_facts,
    position_facts,
    whole_game_facts,
)
from tools.vectors.framing import commands, replies
from tools.vectors.sessions import analyses, sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.vectors.facts import Facts

FOLDER = Path(__file__).parent


def make_files() -> Iterator[tuple[str, str]]:
    """Return every file's name and text, one after the other."""
    for name, lines in FILES.items():
        yield name, "".join(map(as_line, lines()))


def boards() -> Iterator[Facts]:
    """Return all boards."""
    for shape, size, with_neighbours in choice.BOARDS:
        yield board_facts(shape, size, with_neighbours=with_neighbours)


def notation() -> Iterator[Facts]:
    """Turns as they may be written."""
    yield from map(notation_facts, choice.NOTATIONS)


def positions() -> Iterator[Facts]:
    """Positions of every game with their legal turns."""
    for game in choice.GAMES:
        for turns in choice.positions_of(game):
            yield position_facts(game, turns)


def illegal() -> Iterator[Facts]:
    """Illegal turns of every game."""
    for game in choice.GAMES:
        for turns, colour, turn in choice.illegal_turns_of(game):
            yield illegal_facts(game, turns, colour, turn)


def whole_games() -> Iterator[Facts]:
    """Whole games."""
    for game in choice.GAMES:
        for turns in choice.games_of(game):
            yield whole_game_facts(game, turns)


def perfts() -> Iterator[Facts]:
    """Perft counts."""
    for perft in choice.PERFTS:
        yield from perft_facts(perft.game, choice.perft_start(perft), perft.by, perft.depth)


FILES: dict[str, Callable[[], Iterator[Facts]]] = {
    "commands.jsonl": commands,
    "replies.jsonl": replies,
    "boards.jsonl": boards,
    "notation.jsonl": notation,
    "positions.jsonl": positions,
    "illegal.jsonl": illegal,
    "games.jsonl": whole_games,
    "perft.jsonl": perfts,
    "sessions.jsonl": sessions,
    "analysis.jsonl": analyses,
}
