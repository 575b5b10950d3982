"""All formats by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tournaments.formats.fixed import Gauntlet, Match, RoundRobin
from tournaments.formats.knockout import Knockout
from tournaments.formats.pool import RatingPool
from tournaments.formats.sprt import Sprt
from tournaments.formats.swiss import Swiss
from tournaments.formats.tuning import Tuning

if TYPE_CHECKING:
    from tournaments.formats.format import Format

FORMATS: dict[str, type[Format]] = {
    format_.name: format_
    for format_ in (RoundRobin, Gauntlet, Swiss, Knockout, Match, Sprt, RatingPool, Tuning)
}
