"""Whether the first player is better off, whether strength changes that, and a pie rule."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.study.document import Column, StudyTable
from oddly.study.estimates import Estimate, IntervalMethod, exactly
from oddly.tournaments.ratings.elo import QUANTILE_975

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.study.first_turns import FirstTurn


@dataclass(frozen=True, slots=True)
class Stage:
    """The games between equals of one strength: simulations an action, points and games."""

    simulations: int
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Trend:
    """A test for trend: its z, the two-sided p, and the change of the share for each doubling."""

    z: float
    p: float
    slope: Estimate


def simulations_of(name: str) -> int | None:
    """Return the simulations that a player's name tells: 300 of `rave 300`; None of `random`."""
    found = re.search(r" (\d+)$", name)
    return int(found.group(1)) if found else None


def trend(stages: Sequence[Stage]) -> Trend | None:
    """Return the Cochran-Armitage test for a trend of the first player's share with strength.

    Armitage, "Tests for linear trends in proportions and frequencies", *Biometrics* 11 (1955), with
    the logarithm of the simulations to base 2 as the score. None without two strengths, or where
    all points go to one side.
    """
    games = sum(stage.games for stage in stages)
    points = sum(stage.points for stage in stages)
    if games == 0:
        return None
    rate = points / games
    scores = [math.log2(stage.simulations) for stage in stages]
    middle = sum(score * stage.games for score, stage in zip(scores, stages, strict=True)) / games
    spread = sum(s.games * (score - middle) ** 2 for score, s in zip(scores, stages, strict=True))
    if spread == 0 or not 0 < rate < 1:
        return None
    rise = sum(
        (stage.points - stage.games * rate) * (score - middle)
        for score, stage in zip(scores, stages, strict=True)
    )
    z = rise / math.sqrt(rate * (1 - rate) * spread)
    slope, half = rise / spread, QUANTILE_975 * math.sqrt(rate * (1 - rate) / spread)
    estimate = Estimate(slope, slope - half, slope + half, IntervalMethod.TREND, games)
    return Trend(z, math.erfc(abs(z) / math.sqrt(2)), estimate)


def trend_table(stages: Sequence[Stage]) -> StudyTable | None:
    """Return the test for trend as a table; None where there is nothing to test."""
    found = trend(stages)
    if found is None:
        return None
    rows = [
        ("change of the first player's points, for each doubling of simulations", found.slope),
    ]
    columns = (Column("what"), Column("share", is_share=True, digits=2))
    note = (
        f"The Cochran-Armitage test for trend over {len(stages)} strengths and "
        f"{sum(stage.games for stage in stages):,} games: z = {found.z:.2f}, p = {found.p:.2g}. "
        "Random players are left out."
    )
    return StudyTable("trend", "Does strength favour a side?", columns, rows, note)


@dataclass(frozen=True, slots=True)
class Pie:
    """What a pie rule would do, by the values of first turns: the best turns with and without it.

    With the rule White takes Black's place whenever that is the better one. `swapped` is the share
    of all first turns after which that is so.
    """

    best: FirstTurn
    fairest: FirstTurn
    swapped: float

    @property
    def points(self) -> Estimate:
        """What the first player can expect of the fairest turn: the lesser of the two shares."""
        value = self.fairest.value
        if value.value <= 0.5:
            return value
        low, high = value.low, value.high
        return Estimate(
            1 - value.value,
            None if high is None else 1 - high,
            None if low is None else 1 - low,
            value.method,
            value.samples,
        )


def pie(found: Sequence[FirstTurn]) -> Pie:
    """Return what a pie rule would do, for first turns of which there is at least one."""
    best = max(found, key=lambda first: first.value.value)
    fairest = max(found, key=lambda first: min(first.value.value, 1 - first.value.value))
    turns = sum(len(first.images) for first in found)
    swapped = sum(len(first.images) for first in found if first.value.value > 0.5)
    return Pie(best, fairest, swapped / turns)


def pie_table(found: Sequence[FirstTurn]) -> StudyTable:
    """Return what the first player can expect without a pie rule and with one."""
    what = pie(found)
    rows = [
        ("best first turn, no pie rule", str(what.best.turn), what.best.value),
        ("fairest first turn, for a pie rule", str(what.fairest.turn), what.points),
        ("first turns that White would swap", "", exactly(what.swapped)),
    ]
    columns = (Column("what"), Column("turn"), Column("share", is_share=True))
    note = (
        "The first player's expected points by search. With a pie rule White takes the first "
        "player's place wherever that is the better one, so that the fairest turn is the best. "
        "What the rule is worth to White is the difference of the first two lines. Such a search "
        "thinks a little too much of White, who is to move."
    )
    return StudyTable("pie", "What a pie rule would do", columns, rows, note)
