"""How often error bars contain the true rating, and how often tests are wrong, in simulated games.

`python -m benchmarks.coverage` prints the tables that the docs have: of leagues of every shape, of
playing first in some of them and in leagues of many engines, of gauntlets, of engines that repeat
their games, and of sequential tests between such engines. Playing first is worth 35 Elo unless a
table says otherwise. A bar of 95 % should hold the true rating in 95 of 100 cases.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.tournaments import Hypotheses, Results, SequentialTest, rate
from oddly.tournaments.ratings.clusters import ClusterCounts
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import FIRST, SECOND, WINNERS, from_counts
from oddly.tournaments.ratings.sprt import GameOfPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEAGUES = 400
ADVANTAGE = 35.0


class Meeting(NamedTuple):
    """Two engines by their numbers, and how many games they play in either seat."""

    one: int
    other: int
    games: int


@dataclass(frozen=True)
class Shape:
    """A league with what is true of it."""

    truth: np.ndarray
    """The true ratings, with the mean 0."""
    meetings: list[Meeting]
    draws: float = 0.0
    """The share of games that are drawn, of those that the better engine might lose."""
    effects: float = 0.0
    """The standard deviation, in Elo, of what each pair has of its own."""


def _round_robin(
    engines: int, gap: float, games: int, draws: float = 0.0, effects: float = 0.0
) -> Shape:
    truth = gap * (np.arange(engines) - (engines - 1) / 2)
    meetings = [Meeting(*two, games) for two in combinations(range(engines), 2)]
    return Shape(truth, meetings, draws, effects)


def _chain(engines: int, gap: float, games: int) -> Shape:
    truth = gap * (np.arange(engines) - (engines - 1) / 2)
    return Shape(truth, [Meeting(n, n + 1, games) for n in range(engines - 1)])


def _bridge(apart: float, joined: int) -> Shape:
    """Two round robins of five equals; one of each meets the other."""
    inside = [Meeting(*two, 20) for two in combinations(range(5), 2)]
    there = [Meeting(one + 5, other + 5, games) for one, other, games in inside]
    truth = np.repeat([-apart / 2, apart / 2], 5)
    return Shape(truth, [*inside, *there, Meeting(0, 5, joined)])


def _champion(games: int) -> Shape:
    truth = np.append(np.zeros(9), 1000.0)
    meetings = [Meeting(*two, games) for two in combinations(range(10), 2)]
    return Shape(truth - truth.mean(), meetings)


SHAPES = {
    "a chain of 20, 150 apart": _chain(20, 150, 50),
    "a chain of 50, 30 apart": _chain(50, 30, 50),
    "a chain of 100, 20 apart": _chain(100, 20, 50),
    "a chain of 200, 20 apart": _chain(200, 20, 50),
    "two fives 800 apart, joined by 10 games": _bridge(800, 5),
    "two fives 300 apart, joined by 40 games": _bridge(300, 20),
    "nine equals, one 1000 above, 8 games a pair": _champion(4),
    "nine equals, one 1000 above, 40 games a pair": _champion(20),
    "a round robin of 8": _round_robin(8, 100, 20),
    "with half the games drawn": _round_robin(8, 100, 20, draws=0.5),
    "with nearly all games drawn": _round_robin(8, 100, 20, draws=0.9),
    "60 Elo between pairs, 4 engines": _round_robin(4, 100, 50, effects=60),
    "60 Elo between pairs, 8 engines": _round_robin(8, 50, 100, effects=60),
    "60 Elo between pairs, 20 engines": _round_robin(20, 20, 20, effects=60),
}
"""Leagues of every kind; a round robin is one in which all engines meet equally often."""

ENGINES = (2, 3, 5, 8)
GAPS = (0, 100, 300, 600, 800)
GAMES = (1, 4, 20, 100)
for _shape in ((engines, gap, games) for engines in ENGINES for gap in GAPS for games in GAMES):
    _name = "a round robin of {}, {} apart, {} games of each ordered pair".format(*_shape)
    SHAPES[_name] = _round_robin(*_shape)


def simulated(rng: np.random.Generator, shape: Shape, advantage: float = ADVANTAGE) -> Results:
    """Return the results of a league of this shape."""
    counts = {}
    for one, other, games in shape.meetings:
        effect = rng.normal(0, shape.effects) if shape.effects else 0.0
        for first, second, sign in ((one, other, 1), (other, one, -1)):
            ahead = shape.truth[first] - shape.truth[second] + sign * effect + advantage
            win = expected_score(ahead)
            draw = 2 * shape.draws * min(win, 1 - win)
            numbers = rng.multinomial(games, [win - draw / 2, 1 - win - draw / 2, draw])
            for winner, number in zip(WINNERS, numbers, strict=True):
                if number:
                    counts[f"e{first:03}", f"e{second:03}", winner] = int(number)
    return from_counts(counts, (f"e{number:03}" for number in range(len(shape.truth))))


CROWDS = ((20, 8, 300), (50, 8, 300), (200, 2, 300), (200, 8, 100), (200, 8, 300), (200, 8, 600))
"""Engines, the opponents of each, and what playing first is worth in Elo."""


def crowd(engines: int, opponents: int) -> Shape:
    """Return a league in which each engine meets some of the others, in two games each.

    The true ratings have a standard deviation of 200 Elo.
    """
    truth = np.random.default_rng(engines).normal(0, 200, engines)
    meetings = [
        Meeting(one, (one + away) % engines, 1)
        for one in range(engines)
        for away in range(1, opponents // 2 + 1)
    ]
    return Shape(truth - truth.mean(), meetings)


GAUNTLETS = (
    *((8, 4, 300), (8, 20, 600), (10, 10, 300), (30, 1, 300), (30, 1, 600)),
    *((30, 5, 900), (60, 1, 300), (60, 1, 700), (60, 1, 900)),
)
"""The opponents, all equal, the games in either seat, and how far the challenger is above them."""


def gauntlet(opponents: int, games: int, above: float) -> Shape:
    """Return a gauntlet; the challenger is engine number 0."""
    truth = np.append(above, np.zeros(opponents))
    return Shape(truth - truth.mean(), [Meeting(0, n, games) for n in range(1, opponents + 1)])


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


KINDS = {"deterministic": (0, 0), "half": (0, 1), "random": (1, 1)}
"""How much chance each of two engines puts into a game: half means that one of them does."""

BOOKS = (1, 10, 50, None)
"""Openings that come again and again; None if each pair has another."""


class Repeating:
    """Two engines, of which the first is `elo` above, from a book of `openings`.

    A game is determined by its opening and by chance. Without chance, the opening decides;
    otherwise an engine plays one of `variants` games. The single opening is the start.
    """

    def __init__(
        self, kind: str, openings: int | None, elo: float, seed: int, variants: int = 3
    ) -> None:
        self.kind, self.openings, self.elo, self.seed = kind, openings, elo, seed
        self.variants = variants
        self._chance = random.Random(seed)

    def pair(self, number: int) -> list[tuple[float, str, int]]:
        """Return the first engine's points from two games, each with its turns and its opening."""
        opening = number if self.openings is None else number % self.openings
        games = []
        for seat in (0, 1):
            ways: list[float] = [
                self._chance.randrange(self.variants) if free else 0 for free in KINDS[self.kind]
            ]
            if self.kind == "random":
                ways = [self._chance.random()]
            turns = f"{self.seed} {opening} {seat} {ways}"
            win = expected_score(self.elo + (ADVANTAGE if seat == 0 else -ADVANTAGE))
            games.append((float(random.Random(turns).random() < win), turns, opening))
        return games

    def cluster(self, seat: int, turns: str, opening: int) -> tuple[object, object]:
        """Return what a game shares with others: its opening, or from the start its copies."""
        return (seat, turns) if self.openings == 1 else ("opening", opening)


def repeated_games(
    kind: str, openings: int | None, elo: float, pairs: int, seed: int, variants: int = 3
) -> Results:
    """Return the results of engines a and b, of which a is `elo` above."""
    match, clusters = Repeating(kind, openings, elo, seed, variants), ClusterCounts()
    rows: Counter[tuple[str, str, str]] = Counter()
    distinct: dict[str, tuple[str, str, str]] = {}
    for number in range(pairs):
        for seat, (points, turns, opening) in enumerate(match.pair(number)):
            players, winner = ("ab", "ba")[seat], int(points == seat)
            row = (players[0], players[1], (FIRST, SECOND)[winner])
            rows[row] += 1
            distinct[turns] = row
            clusters.add(*players, winner, match.cluster(seat, turns, opening))
    return from_counts(rows, (), Counter(distinct.values()), clusters.repeats)


def repeating_table(matches: int, pairs: int = 200) -> Iterator[str]:
    """Yield the lines of the table of two engines 60 Elo apart that repeat games, in Markdown."""
    yield "| engines | openings | rated apart, Elo | shown | within the bar | bar, Elo |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for kind in KINDS:
        for openings in BOOKS:
            rated = [rate(repeated_games(kind, openings, 60, pairs, n)) for n in range(matches)]
            shown = [each for each in rated if each.unknown(0) is None]
            held = [abs(each.elo[0] - 30) <= each.errors_95[0] for each in shown]
            apart = [2 * each.elo[0] for each in shown]
            bars = [each.errors_95[0] for each in shown]
            figures = (
                f"{np.median(apart):.0f} | {len(shown) / matches:.0%} | {np.mean(held):.1%} | "
                f"{np.median(bars):.0f}"
                if shown
                else "- | 0% | - | -"
            )
            yield f"| {kind} | {openings or 'endless'} | {figures} |".replace("%", " %")


def verdicts(
    kind: str, openings: int | None, elo: float, hypotheses: Hypotheses, seeds: Iterable[int]
) -> Iterator[SequentialTest]:
    """Yield the tests of engines that are truly `elo` apart, each with a verdict or without."""
    for seed in seeds:
        match, test = Repeating(kind, openings, elo, seed), SequentialTest(hypotheses)
        while not test.is_over:
            games = [
                GameOfPair(points, match.cluster(seat, turns, opening))
                for seat, (points, turns, opening) in enumerate(match.pair(test.counts.pairs))
            ]
            test.add(games[0].points + games[1].points, (games[0], games[1]))
        yield test


def verdict_table(tests: int) -> Iterator[str]:
    """Yield the lines of the table of sequential tests, 0 against 100 Elo at 5 %, in Markdown."""
    yield "| engines | openings | H1 under H0 | H0 under H1 | no verdict | pairs |"
    yield "| --- | --- | --- | --- | --- | --- |"
    hypotheses = Hypotheses(0, 100)
    for kind in KINDS:
        for openings in BOOKS:
            under = [
                list(verdicts(kind, openings, elo, hypotheses, range(tests))) for elo in (0, 100)
            ]
            wrong = [
                np.mean([test.state.decision == error for test in found])
                for found, error in zip(under, ("H1", "H0"), strict=True)
            ]
            both = under[0] + under[1]
            none = np.mean([not test.is_decided for test in both])
            pairs = np.mean([test.counts.pairs for test in both])
            figures = " | ".join(f"{100 * share:.1f} %" for share in (*wrong, none))
            yield f"| {kind} | {openings or 'endless'} | {figures} | {pairs:.0f} |"


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
        shape_table, advantage_table, crowd_table, gauntlet_table, repeating_table, verdict_table
    ):  # fmt: skip
        for line in table(arguments.leagues):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
