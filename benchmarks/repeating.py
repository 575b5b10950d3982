"""Engines that repeat their games: how good ratings are, and sequential tests between them."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.leagues import ADVANTAGE
from oddly.tournaments import Hypotheses, Results, SequentialTest, rate
from oddly.tournaments.ratings.clusters import ClusterCounts
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import FIRST, SECOND, from_counts
from oddly.tournaments.ratings.sprt import GameOfPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
