"""How often error bars hold the truth, in simulated leagues: `python -m benchmarks.coverage`.

Leagues differ by the number of their engines, by how far apart these are, and by how many games
they play; playing first is worth 35 Elo. A bar of 95 % should hold the true rating in 95 of 100
cases. The docs have the table that this prints.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from oddly.tournaments import rate
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import FIRST, SECOND, from_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.tournaments import Results

LEAGUES = 1000
ADVANTAGE = 35.0
ENGINES = (2, 3, 5, 8)
GAPS = (0, 100, 300, 600, 800)
GAMES = (1, 4, 20, 100)


class Coverage(NamedTuple):
    """What was seen in the leagues of one shape."""

    engines: int
    gap: float
    """Elo between an engine and the next."""
    games: int
    """Games of each ordered pair."""
    held: float
    """The share of all ratings within their bars."""
    told: float
    """The share of ratings that are told: the others have too few games."""
    bar: float
    """Half the width of the middle bar, in Elo."""


def coverage(engines: int, gap: float, games: int, leagues: int, seed: int = 1) -> Coverage:
    """Simulate leagues of one shape."""
    rng = np.random.default_rng(seed)
    truth = gap * (np.arange(engines) - (engines - 1) / 2)
    held: list[bool] = []
    told: list[bool] = []
    bars: list[float] = []
    for _ in range(leagues):
        ratings = rate(_league(rng, truth, games))
        held += (np.abs(ratings.elo - truth) <= ratings.errors_95).tolist()
        told += [ratings.unknown(engine) is None for engine in range(engines)]
        bars += ratings.errors_95.tolist()
    return Coverage(
        engines, gap, games, float(np.mean(held)), float(np.mean(told)), float(np.median(bars))
    )


def _league(rng: np.random.Generator, truth: np.ndarray, games: int) -> Results:
    """Return the results of a league in which each ordered pair plays a number of games."""
    counts = {}
    for first, elo in enumerate(truth):
        for second, other in enumerate(truth):
            if first != second:
                names = f"e{first:02}", f"e{second:02}"
                won = int(rng.binomial(games, expected_score(elo - other + ADVANTAGE)))
                counts[(*names, FIRST)], counts[(*names, SECOND)] = won, games - won
    return from_counts(counts)


def table(leagues: int) -> Iterator[str]:
    """Yield the lines of the table, in Markdown."""
    yield "| engines | Elo apart | games of each ordered pair | within the bar | told | bar, Elo |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for engines in ENGINES:
        for gap in GAPS:
            for games in GAMES:
                seen = coverage(engines, gap, games, leagues)
                yield (
                    f"| {engines} | {gap} | {games} | {100 * seen.held:.1f} % | "
                    f"{100 * seen.told:.0f} % | {seen.bar:.0f} |"
                )


def main() -> None:
    """Print the table, and the least coverage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=LEAGUES, help="of each shape")
    for line in table(parser.parse_args().leagues):
        print(line, flush=True)


if __name__ == "__main__":
    main()
