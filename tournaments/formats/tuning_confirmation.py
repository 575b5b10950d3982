"""The sequential test that confirms what a tuning found: its values against those of the start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.tournaments.formats.tuning import SIDES

if TYPE_CHECKING:
    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.formats.tuning_report import TuningReport


def confirmation_of(tuning: Tournament, title: str, report: TuningReport) -> Tournament | None:
    """Return the test in the game of that title, which the report is of.

    It is None if no gain is shown. The test has games of its own: those of the tuning chose the
    values, and would speak for them.
    """
    test = report.test
    if test is None:
        return None
    tuned = tuning.engines[0]
    name = tuned.name.removesuffix(f" {SIDES[0]}")
    new, old = (
        replace(tuned, name=f"{name} {which}", options={**tuned.options, **values})
        for which, values in (("tuned", report.best), ("start", report.start))
    )
    game = next(game for game in tuning.games if str(game) == title)
    return replace(
        tuning,
        name=f"{tuning.name} confirmed",
        format=test,
        games=(game,),
        engines=(new, old),
        inactive=frozenset(),
    )
