"""What a format reports beyond the standings, such as a bracket."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class ReportTable(NamedTuple):
    """A report as a table, for text and pages alike."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    """Each row has the engine's name in the column headed `engine`."""
    note: str = ""
    """What a reader should know about the numbers, in a few words."""


class FormatReport:
    """What a format reports beyond the standings that every tournament has."""

    __slots__ = ()

    def table(self) -> ReportTable | None:
        """Return the report as a table; None if interfaces have a better way to show it."""
        return None
