"""What a format reports beyond the standings that every tournament has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.tournaments.ratings.tuning.course import TuningReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.formats.bracket import Bracket
    from oddly.tournaments.formats.swiss_standings import SwissStanding
    from oddly.tournaments.ratings.ratings import Ratings


@dataclass(frozen=True, slots=True)
class SwissReport:
    """Standings with their tie-breaks. `bye_points` is None where nobody sat out."""

    standings: Sequence[SwissStanding]
    bye_points: int | None


@dataclass(frozen=True, slots=True)
class KnockoutReport:
    """The bracket of one game, as far as it is played."""

    bracket: Bracket


@dataclass(frozen=True, slots=True, eq=False)
class PoolReport:
    """The ratings by which a rating pool chooses its pairs."""

    ratings: Ratings


FormatReport = SwissReport | KnockoutReport | PoolReport | TuningReport
