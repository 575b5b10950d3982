"""The sequential test that confirms what a tuning found: its values against the start values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.tournaments.formats.tuning import SIDES

if TYPE_CHECKING:
    from oddly.tournaments.formats.tournament import Tournament
    from oddly.tournaments.formats.tuning_report import TuningReport


def confirmation_of(tuning: Tournament, title: str, report: TuningReport) -> Tournament | None:
    """Return the test of a report's best values, in the game of that title.

    It is None if no gain is shown. The test has its own games: the games of the tuning chose the
    values, so they are biased in their favour.
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
