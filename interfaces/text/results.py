"""The results of an event as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interfaces.text.ratings_table import advantage_line
from interfaces.text.tables import (
    DEFAULT_FORMAT,
    crosstable_table,
    sprt_line,
    standings_table,
    statistics_table,
)
from tournaments.results.game_summary import TOTAL, GameSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

UNRATED = "Points only: a rating is of one game, see above."


def results(
    summaries: Sequence[GameSummary],
    format_: str = DEFAULT_FORMAT,
    *,
    with_statistics: bool = False,
) -> str:
    """Return all summaries as text, with how engines behaved if asked for."""
    return "\n\n".join(
        part
        for summary in summaries
        for part in _parts(summary, format_, with_statistics=with_statistics)
    )


def _parts(summary: GameSummary, format_: str, *, with_statistics: bool) -> list[str]:
    parts = [summary.title, standings_table(summary, format_)]
    if summary.title == TOTAL:
        parts.append(UNRATED)
    parts.append(crosstable_table(summary, format_))
    if with_statistics and summary.statistics_by_name:
        parts.append(statistics_table(summary, format_))
    lines = [sprt_line(test) for test in summary.tests]
    if summary.strength is not None:
        lines.insert(0, advantage_line(summary.strength.ratings, summary.strength.test))
    return [*parts, "\n".join(lines)] if lines else parts
