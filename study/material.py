"""The groups on the board and the kinds of turns, along a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.turns import Drops, Pass, Swap
from oddly.study.document import Chart, Column, Line, StudyTable
from oddly.study.estimates import means_by_turn, share_by_game

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
