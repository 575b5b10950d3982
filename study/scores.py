"""Scores by seat and by strength, and tests of whether strength changes them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.study.document import Cell, Column, StudyTable, columns_of, in_percent
from oddly.study.estimates import Estimate, IntervalMethod, mean_or_none, share, transformed
from oddly.study.playing import Purpose, StudyPairing, StudyPlan
from oddly.tournaments import QUANTILE_975
from oddly.tournaments.ratings.elo import elo_of
from oddly.tournaments.ratings.fit import chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee import GameRecord
    from oddly.study.playing import GamesByPairing


def first_player_share(records: Sequence[GameRecord]) -> Estimate | None:
    """Return the first player's share of the points; a draw counts half. None without games."""
    return share(sum(_points(record, 0) for record in records), len(records))


def share_of(name: str, records: Sequence[GameRecord]) -> Estimate | None:
    """Return a player's share of the points; a draw counts half."""
    points = sum(_points(record, record.players.index(name)) for record in records)
    return share(points, len(records))


def draw_share(records: Sequence[GameRecord]) -> Estimate | None:
    """Return the share of drawn games."""
    return share(sum(record.outcome.winner is None for record in records), len(records))


def _points(record: GameRecord, seat: int) -> float:
    winner = record.outcome.winner
    return 0.5 if winner is None else float(winner == seat)


def balance_table(plan: StudyPlan, played: GamesByPairing) -> StudyTable:
    """Return the first player's share of the points between equals, weakest first.

    Strengths are not pooled: a game may be fair only for weak players.
    """
    rows = []
    for pairing in plan.of(Purpose.EQUAL):
        records = played[pairing]
        rows.append((pairing.one, len(records), first_player_share(records), draw_share(records)))
    columns = columns_of(
        "both players", "games", in_percent("first player's points"), in_percent("drawn")
    )
    return StudyTable("balance", "Side balance at rising strength", columns, rows)


def ladder_table(plan: StudyPlan, played: GamesByPairing) -> StudyTable:
    """Return the results of each strength against the one below it."""
    rows = [
        (
            pairing.one,
            pairing.other,
            len(played[pairing]),
            share_of(pairing.one, played[pairing]),
            elo_cell(share_of(pairing.one, played[pairing])),
            elo_cell(share_of(pairing.one, played[pairing]), _doublings(pairing)),
            first_player_share(played[pairing]),
            mean_or_none([float(len(record.turns)) for record in played[pairing]]),
        )
        for pairing in plan.of(Purpose.LADDER)
    ]
    columns = columns_of(
        "strong", "weak", "games", in_percent("strong's points"), Column("Elo", digits=0),
        Column("Elo a doubling", digits=0), in_percent("first player's points"), "turns",
    )  # fmt: skip
    note = (
        "Elo: 400 log10 of the odds of a point. A doubling is of the simulations an action. "
        "If one side won all games, only a bound can be given."
    )
    return StudyTable("ladder", "Strong against weak", columns, rows, note)


def elo_cell(points: Estimate | None, doublings: float | None = 1.0) -> Cell:
    """Return a share of points as an Elo difference, divided by the number of doublings.

    None without games or doublings; `more than 300` where one side has all points.
    """
    if points is None or points.low is None or points.high is None or not doublings:
        return None
    if points.value in (0.0, 1.0):
        end = points.low if points.value else points.high
        return f"{'more' if points.value else 'less'} than {elo_of(end) / doublings:.0f}"
    return transformed(points, lambda part: elo_of(part) / doublings)


def _doublings(pairing: StudyPairing) -> float | None:
    strong, weak = simulations_of(pairing.one), simulations_of(pairing.other)
    return math.log2(strong / weak) if strong and weak else None


def stages(plan: StudyPlan, played: GamesByPairing) -> list[Stage]:
    """Return the games between equals of each strength that has a number of simulations."""
    found = []
    for pairing in plan.of(Purpose.EQUAL):
        simulations, records = simulations_of(pairing.one), played[pairing]
        if simulations and records:
            points = sum(_points(record, 0) for record in records)
            drawn = sum(record.outcome.winner is None for record in records)
            found.append(Stage(simulations, points, len(records), drawn))
    return found


def mirror_table(plan: StudyPlan, played: GamesByPairing) -> StudyTable:
    """Return the results of copying strategies."""
    rows = [
        (pairing.one, pairing.other, len(played[pairing]), share_of(pairing.one, played[pairing]))
        for pairing in plan.of(Purpose.MIRROR)
    ]
    columns = columns_of("strategy", "against", "games", in_percent("its points"))
    note = (
        "Each answers the opponent's last turn with its image, or with a random turn if that is "
        "illegal"
    )
    if plan.game.start().most_drops:
        note += ", and begins in the centre"
    if any("exchanged" in pairing.one for pairing in plan.pairings):
        note += "; 'exchanged' drops stones of the other colour"
    note += "."
    return StudyTable("mirrors", "Mirror and copy strategies", columns, rows, note)


@dataclass(frozen=True, slots=True)
class Stage:
    """The games between equals of one strength.

    It has the simulations per action, the first player's points, and the numbers of all games and
    of draws.
    """

    simulations: int
    points: float
    games: int
    drawn: int = 0


@dataclass(frozen=True, slots=True)
class Trend:
    """A test for trend: its z, the two-sided p, and the change of the share for each doubling."""

    z: float
    p: float
    slope: Estimate


def simulations_of(name: str) -> int | None:
    """Return the simulations in a player's name: 300 for `rave 300`, None for `random`."""
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


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """A test of whether all strengths have the same share: chi-square, degrees of freedom and p.

    `fewest` is the smallest number of games that a common share predicts for an outcome.
    """

    square: float
    freedom: int
    p: float
    fewest: float


def homogeneity(stages: Sequence[Stage]) -> Homogeneity | None:
    """Return Pearson's chi-square test of one share at all strengths; drawn games are left out.

    Pearson, *Philosophical Magazine* 50 (1900). None without two strengths, or where all points go
    to one side.
    """
    counts = [(s.points - s.drawn / 2, s.games - s.points - s.drawn / 2) for s in stages]
    games = [sum(pair) for pair in counts]
    totals = [sum(side) for side in zip(*counts, strict=True)]
    if len(stages) < 2 or not all(games) or not all(totals):
        return None
    likely = [
        (number * total / sum(games), pair[side])
        for number, pair in zip(games, counts, strict=True)
        for side, total in enumerate(totals)
    ]
    square = sum((found - expected) ** 2 / expected for expected, found in likely)
    freedom = len(stages) - 1
    fewest = min(expected for expected, _ in likely)
    return Homogeneity(square, freedom, chi_square_tail(square, freedom), fewest)


LEAST_EXPECTED = 5
"""The fewest expected games of an outcome for which a p-value by chi-square is sound."""


def trend_table(stages: Sequence[Stage]) -> StudyTable | None:
    """Return the tests for trend and of homogeneity as a table; None if there is nothing to test.

    The first looks for a share that rises or falls with strength, the second for any difference.
    """
    found, same = trend(stages), homogeneity(stages)
    if found is None or same is None:
        return None
    rows = [("change of the first player's points, for each doubling of simulations", found.slope)]
    columns = columns_of("what", in_percent("share", digits=2))
    note = (
        f"The Cochran-Armitage test for trend over {len(stages)} strengths and "
        f"{sum(stage.games for stage in stages):,} games: z = {found.z:.2f}, p = {found.p:.2g}. "
        f"Pearson's test of homogeneity, for any difference between strengths: chi-square = "
        f"{same.square:.2f} (degrees of freedom: {same.freedom}), p = {same.p:.2g}"
    )
    if same.fewest < LEAST_EXPECTED:
        note += ", which is rough, for some results were to be expected less than 5 times"
    note += ". Random players are left out."
    return StudyTable("trend", "Does strength favour a side?", columns, rows, note)
