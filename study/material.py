"""The groups and the kinds of turns along a game, and the size of its rules."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games.catalogue import GAMES
from oddly.games.odd import Odd
from oddly.games.turns import Drops, Pass, Swap
from oddly.study.document import Chart, Column, Line, StudyTable
from oddly.study.estimates import means_by_turn, share_by_game

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oddly.games.game import Game
    from oddly.games.turns import Turn
    from oddly.study.replaying import ReplayedGame


KINDS: dict[str, Callable[[Turn], bool]] = {
    "one drop": lambda turn: isinstance(turn, Drops) and len(turn.drops) == 1,
    "two drops": lambda turn: isinstance(turn, Drops) and len(turn.drops) == 2,
    "pass": lambda turn: isinstance(turn, Pass),
    "swap": lambda turn: isinstance(turn, Swap),
}


def group_chart(games: Sequence[ReplayedGame]) -> Chart:
    """Return the mean number of groups of each colour after each turn, as a chart."""
    courses = [[*game.positions[1:], game.last] for game in games]
    black, white = (
        means_by_turn([[float(position.group_counts[side]) for position in c] for c in courses])
        for side in (0, 1)
    )
    lines = [Line("black groups", black), Line("white groups", white)]
    return Chart("groups_by_turn", "Groups after each turn", "turn", "groups", lines)


def kind_table(games: Sequence[ReplayedGame]) -> StudyTable | None:
    """Return the kinds of turns by thirds of the game, or None if all are of one kind."""
    rows = []
    for title, is_kind in KINDS.items():
        if not any(is_kind(turn) for game in games for turn in game.turns):
            continue
        shares = []
        for third in range(3):
            pairs = []
            for game in games:
                last = len(game.turns)
                part = game.turns[third * last // 3 : (third + 1) * last // 3]
                pairs.append((float(sum(map(is_kind, part))), float(len(part))))
            shares.append(share_by_game(pairs))
        rows.append((title, *shares))
    if len(rows) < 2:
        return None
    columns = (
        Column("turn"),
        Column("first third", is_share=True),
        Column("second third", is_share=True),
        Column("last third", is_share=True),
    )
    return StudyTable("kinds", "Kinds of turns, by thirds of the game", columns, rows)


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
