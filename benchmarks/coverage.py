"""How often error bars contain the true rating, and how often tests are wrong, in simulated games.

`python -m benchmarks.coverage` prints the tables that the docs have: of leagues of every shape, of
playing first in some of them and in leagues of many engines, of how often an advantage is found
where there is none, of gauntlets, of engines that repeat their games, and of sequential tests
between such engines. Playing first is worth 35 Elo unless a table says otherwise. A bar of 95 %
should hold the true rating in 95 of 100 cases. The leagues are in `leagues.py`, and what repeats is
in `repeating.py`.
"""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.leagues import (
    ADVANTAGE,
    CROWDS,
    GAUNTLETS,
    SHAPES,
    WITHOUT_ADVANTAGE,
    Shape,
    crowd,
    gauntlet,
    simulated,
)
from benchmarks.repeating import repeating_table, verdict_table
from oddly.tournaments import advantage_test, rate
from oddly.tournaments.ratings.fit import chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAGUES = 400


class Shown(NamedTuple):
    """How many ratings a table shows, and how good they are."""

    shown: float
    """Their share of all."""
    held: float
    """The share of these within their bars."""
    bar: float
    """Half the width of their middle bar, in Elo."""


def shown_in(shape: Shape, leagues: int, seed: int = 1) -> tuple[Shown, Shown]:
    """Return what is shown of a gauntlet's challenger, and of the others."""
    rng = np.random.default_rng(seed)
    rated = [rate(simulated(rng, shape)) for _ in range(leagues)]
    known = np.array([[each.unknown(n) is None for n in range(len(shape.truth))] for each in rated])
    bars = np.array([each.errors_95 for each in rated])
    held = np.abs(np.array([each.elo for each in rated]) - shape.truth) <= bars

    def of(engines: slice) -> Shown:
        shown = known[:, engines]
        if not shown.any():
            return Shown(0.0, math.nan, math.nan)
        of_shown = held[:, engines][shown], bars[:, engines][shown]
        return Shown(float(shown.mean()), float(of_shown[0].mean()), float(np.median(of_shown[1])))

    return of(slice(0, 1)), of(slice(1, None))


def gauntlet_table(leagues: int) -> Iterator[str]:
    """Yield the lines of the table of gauntlets, in Markdown."""
    yield (
        "| gauntlet | challenger shown | within the bar | bar, Elo "
        "| others shown | within the bar |"
    )
    yield "| --- | --- | --- | --- | --- | --- |"
    for opponents, games, above in GAUNTLETS:
        one, others = shown_in(gauntlet(opponents, games, above), leagues)
        of_others = f"{100 * others.held:.1f} %" if others.shown else "-"
        yield (
            f"| {opponents} opponents, {2 * games} games each, {above} above | "
            f"{100 * one.shown:.0f} % | {100 * one.held:.1f} % | {one.bar:.0f} | "
            f"{100 * others.shown:.0f} % | {of_others} |"
        )


class Coverage(NamedTuple):
    """What was seen in the leagues of one shape."""

    held: float
    """The share of all ratings within their bars."""
    span: float
    """The middle difference between the engines that are truly strongest and weakest, in Elo."""
    shown: float
    """The share of ratings that are shown: the others have too few games."""
    bar: float
    """Half the width of the middle bar, in Elo."""
    alarms: float
    """How often the ratings are said not to fit."""
    advantage_held: float
    """The share of leagues in which the advantage of playing first is within its bar."""
    advantage_bar: float
    """Half the width of that bar in the middle league, in Elo."""
    advantage: float
    """The advantage that is found in the middle league, in Elo."""


def coverage(shape: Shape, leagues: int, seed: int = 1, advantage: float = ADVANTAGE) -> Coverage:
    """Simulate leagues of one shape."""
    rng = np.random.default_rng(seed)
    truth = shape.truth
    rated = [rate(simulated(rng, shape, advantage)) for _ in range(leagues)]
    return Coverage(
        held=float(np.mean([np.abs(each.elo - truth) <= each.errors_95 for each in rated])),
        span=float(np.median([each.elo[truth.argmax()] - each.elo[0] for each in rated])),
        shown=float(
            np.mean([each.unknown(n) is None for each in rated for n in range(len(truth))])
        ),
        bar=float(np.median([each.errors_95 for each in rated])),
        alarms=float(np.mean([each.fit.is_poor for each in rated])),
        advantage_held=float(
            np.mean([abs(each.advantage - advantage) <= each.advantage_error_95 for each in rated])
        ),
        advantage_bar=float(np.median([each.advantage_error_95 for each in rated])),
        advantage=float(np.median([each.advantage for each in rated])),
    )


def shape_table(leagues: int, only: str = "") -> Iterator[str]:
    """Yield the lines of the table of leagues with `only` in their name, in Markdown."""
    yield "| league | within the bar | span, true | rated | shown | bar, Elo | said not to fit |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, shape in SHAPES.items():
        if only not in name:
            continue
        seen = coverage(shape, leagues)
        yield (
            f"| {name} | {100 * seen.held:.1f} % | {np.ptp(shape.truth):.0f} | {seen.span:.0f} | "
            f"{100 * seen.shown:.0f} % | {seen.bar:.0f} | {100 * seen.alarms:.1f} % |"
        )


def advantage_table(leagues: int) -> Iterator[str]:
    """Yield the lines of the table of playing first, where pairs have effects, in Markdown."""
    yield "| league | within the bar | bar, Elo |"
    yield "| --- | --- | --- |"
    for name, shape in SHAPES.items():
        if shape.effects:
            seen = coverage(shape, leagues)
            yield f"| {name} | {100 * seen.advantage_held:.1f} % | {seen.advantage_bar:.1f} |"


def crowd_table(leagues: int) -> Iterator[str]:
    """Yield the lines of the table of playing first in leagues of many engines, in Markdown."""
    yield "| engines | games of each | advantage, true | found | within the bar | bar, Elo |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for engines, opponents, advantage in CROWDS:
        seen = coverage(crowd(engines, opponents), leagues, advantage=advantage)
        yield (
            f"| {engines} | {2 * opponents} | {advantage} | {seen.advantage:.0f} | "
            f"{100 * seen.advantage_held:.1f} % | {seen.advantage_bar:.0f} |"
        )


def significance_table(leagues: int) -> Iterator[str]:
    """Yield the lines of the table of advantages found where there are none, in Markdown.

    Shares of 5 % need more leagues than others.
    """
    yield "| league | p < 0.05 | p < 0.01 | by chi-square alone: p < 0.05 | p < 0.01 |"
    yield "| --- | --- | --- | --- | --- |"
    for name, shape in WITHOUT_ADVANTAGE.items():
        rng = np.random.default_rng(1)
        tests = [advantage_test(simulated(rng, shape, 0.0)) for _ in range(4 * leagues)]
        found = np.array([test.p_value for test in tests])
        alone = np.array([chi_square_tail(test.statistic) for test in tests])
        shares = [100 * np.mean(each < limit) for each in (found, alone) for limit in (0.05, 0.01)]
        yield f"| {name} | " + " | ".join(f"{share:.1f} %" for share in shares) + " |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=LEAGUES, help="of each kind")
    parser.add_argument("--only", help="print only the leagues with this in their name")
    arguments = parser.parse_args()
    if arguments.only is not None:
        for line in shape_table(arguments.leagues, arguments.only):
            print(line, flush=True)
        return
    for table in (
        shape_table, advantage_table, crowd_table, significance_table, gauntlet_table,
        repeating_table, verdict_table,
    ):  # fmt: skip
        for line in table(arguments.leagues):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
