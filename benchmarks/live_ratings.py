"""How long a rating pool of many engines takes for each game, in processor time.

`python -m benchmarks.live_ratings` prints the tables that docs/explanation/ratings.md has: what a
game and the choice of the next pair cost, how far the live ratings are from a full fit, what a full
fit costs, and how many games a pool needs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from oddly.tournaments import collect, rate
from oddly.tournaments.formats.pool_choice import Expectation, LiveChoice, LiveExpectation
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import from_counts

if TYPE_CHECKING:
    from oddly.tournaments.ratings.bradley_terry import Ratings

SIZES = (200, 1000, 2000, 10000)
MOST = 10000
"""The games after which the choice by all pairs is given up."""

EARLIER = 20
"""How many games an engine plays on average before the measurement."""


class Pool:
    """Engines whose true ratings have a standard deviation of 300 Elo, and their games."""

    def __init__(self, engines: int, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        self.elo = np.sort(self._random.normal(0, 300, engines))
        self.names = [f"{engine:05}" for engine in range(engines)]
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self.fitting = 0.0
        """The processor's time of full fits, in seconds."""
        self.choice = LiveChoice(self.names, self.fit)

    def fit(self) -> Ratings:
        """Return the ratings by a full fit."""
        begun = time.process_time()
        ratings = rate(from_counts(self.counts, self.names))
        _ = ratings.errors_95
        self.fitting += time.process_time() - begun
        return ratings

    def play(self, first: str, second: str) -> None:
        """Play a game; moving first is worth 35 Elo."""
        one, other = self.choice.number[first], self.choice.number[second]
        wins = expected_score(float(self.elo[one] - self.elo[other]) + 35)
        winner = int(self._random.random() >= wins)
        self.counts[first, second, ("first", "second")[winner]] += 1
        self.choice.add(first, second, winner)

    def play_earlier(self) -> None:
        """Play swapped pairs of games between engines of similar strength."""
        engines = len(self.names)
        reach = max(2, engines // 6)
        for one in range(engines):
            for step in self._random.integers(1, reach, EARLIER // 4):
                other = one + int(step) if one + step < engines else one - int(step)
                self.play(self.names[one], self.names[other])
                self.play(self.names[other], self.names[one])

    def play_next(self) -> tuple[str, str]:
        """Choose a pair, play its two games, and bring ratings up to date after each."""
        pair = LiveExpectation(self.choice, self.names).best_pair()
        if pair is None:
            raise ValueError("a pool needs two engines")
        self.choice.expect(*pair, 2)
        for first, second in (pair, pair[::-1]):
            self.play(first, second)
            self.choice.settle()
        return pair


def speed(engines: int, games: int) -> list[object]:
    """Return a row of the first table."""
    pool = Pool(engines)
    pool.play_earlier()
    pool.choice.settle()
    pool.fitting, times = 0.0, []
    for _ in range(games // 2):
        begun = time.process_time()
        pool.play_next()
        times.append((time.process_time() - begun) / 2)
    fitted = pool.fitting
    full = pool.fit()
    fit = pool.fitting - fitted
    apart = (full.elo - full.elo.mean()) - (pool.choice.live.elo - pool.choice.live.elo.mean())
    # As many fits as happened to fall among these games are replaced by one in `engines` games.
    mean = (sum(times) - fitted / 2) / len(times) + fit / engines
    return [
        engines,
        sum(pool.counts.values()),
        f"{1000 * statistics.median(times):.1f}",
        f"{1000 * mean:.1f}",
        f"{float(np.abs(apart).max()):.4f}",
        f"{fit:.2f}",
    ]


def needed(engines: int, until: float, seed: int) -> tuple[int, int, int]:
    """Return how many games it takes until all bars are narrower.

    The numbers are those of live ratings, of the choice by all pairs, and of a round robin.
    """
    live = Pool(engines, seed)
    while not LiveExpectation(live.choice, live.names).are_below(until):
        live.play_next()
    dense = Pool(engines, seed)
    while not (expected := Expectation(dense.fit(), dense.names)).are_below(until):
        if sum(dense.counts.values()) >= MOST or (pair := expected.best_pair()) is None:
            break
        dense.play(*pair)
        dense.play(*pair[::-1])
    every = Pool(engines, seed)
    while not every.counts or max(every.fit().errors_95) >= until:
        for one, first in enumerate(every.names):
            for second in every.names[:one]:
                every.play(first, second)
                every.play(second, first)
    return tuple(sum(pool.counts.values()) for pool in (live, dense, every))  # type: ignore[return-value]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--games", type=int, default=200, help="measured games of each pool")
    options = parser.parse_args()
    # Loads what is imported when it is first used.
    rate(collect([("a", "b", "first")]))
    print("| engines | games | median, ms | mean, ms | off, Elo | a full fit, s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for engines in options.engines:
        print("|", " | ".join(map(str, speed(engines, options.games))), "|", flush=True)
    print("\n| engines, bars | live | all pairs | round robin |\n| --- | --- | --- | --- |")
    for seed in (1, 2, 3):
        print("|", f"12, below 80 Elo ({seed}) |", " | ".join(map(str, needed(12, 80, seed))), "|")


if __name__ == "__main__":
    main()
