"""The chapters of an event as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interfaces.text.tables import (
    DEFAULT_FORMAT,
    advantage_line,
    crosstable_table,
    sprt_line,
    standings_table,
    statistics_table,
)
from tournaments.results.chapters import TOTAL, Chapter

if TYPE_CHECKING:
    from collections.abc import Sequence

UNRATED = "Points only: a rating is of one game, see above."


def results(
    found: Sequence[Chapter], format_: str = DEFAULT_FORMAT, *, with_statistics: bool = False
) -> str:
    """All chapters as text."""
    return "\n\n".join(
        part
        for chapter in found
        for part in _parts(chapter, format_, with_statistics=with_statistics)
    )


def _parts(chapter: Chapter, format_: str, *, with_statistics: bool) -> list[str]:
    parts = [chapter.title, standings_table(chapter.table, chapter.strength, format_)]
    if chapter.title == TOTAL:
        parts.append(UNRATED)
    parts.append(crosstable_table(chapter.order, chapter.played, format_))
    if with_statistics and chapter.statistics_by_name:
        parts.append(statistics_table(chapter.order, chapter.statistics_by_name, format_))
    lines = [sprt_line(test) for test in chapter.tests]
    if chapter.strength is not None:
        lines.insert(0, advantage_line(chapter.strength))
    return [*parts, "\n".join(lines)] if lines else parts
