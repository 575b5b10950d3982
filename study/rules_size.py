"""The size of a game's rules in source code."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games.catalogue import GAMES
from oddly.games.odd import Odd
from oddly.study.document import Column, StudyTable

if TYPE_CHECKING:
    from oddly.games.game import Game

SMALLEST = Odd.name


def size_table(game: Game) -> StudyTable:
    """Return the size of a game's rules, with all of `games/` that they need, beside Odd's."""
    here, smallest = rules_size(game.name), rules_size(SMALLEST)
    rows: list[tuple[str, float]] = [(f"rules of {game.name.capitalize()}", here)]
    if game.name != SMALLEST:
        rows += [
            (f"rules of {SMALLEST.capitalize()}", smallest),
            ("ratio", round(here / smallest, 2)),
        ]
    note = "Source in Python with its docstrings, and everything in games/ that it imports."
    return StudyTable(
        "rules", "Size of the rules", (Column(""), Column("bytes", digits=2)), rows, note
    )


def rules_size(name: str) -> int:
    """Return the bytes of the module of a game and of all modules of `games` that it imports."""
    found: dict[str, int] = {}
    waiting = [GAMES[name].__module__]
    while waiting:
        module = waiting.pop()
        if module not in found:
            source = _source(module)
            found[module] = len(source)
            waiting += _imported(source)
    return sum(found.values())


def _source(module: str) -> bytes:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return b""
    return Path(spec.origin).read_bytes()


def _imported(source: bytes) -> list[str]:
    """Return the modules of `games` that the source imports when it runs, not for types alone."""
    return [
        node.module
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.module.startswith("oddly.games.")
    ]
