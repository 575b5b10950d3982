"""All formats by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.tournaments.formats.knockout import Knockout
from oddly.tournaments.formats.pool import RatingPool
from oddly.tournaments.formats.round_robin import Gauntlet, Match, RoundRobin
from oddly.tournaments.formats.sprt import Sprt
from oddly.tournaments.formats.swiss import Swiss
from oddly.tournaments.formats.tuning import Tuning

if TYPE_CHECKING:
    from oddly.tournaments.formats.format import Format

FORMATS: dict[str, type[Format]] = {
    format_.name: format_
    for format_ in (RoundRobin, Gauntlet, Swiss, Knockout, Match, Sprt, RatingPool, Tuning)
}
