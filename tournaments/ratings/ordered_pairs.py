"""The counts that ratings depend on: wins, draws and losses of each ordered pair of engines.

Whatever the number of games, ratings see at most one entry for each ordered pair that has met.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from oddly.tournaments.ratings.clusters import Cluster, Seats

    Counts = NDArray[np.int64]
    Points = NDArray[np.float64]

Row = tuple[str, str, str]
"""A game as plain text: first player, second player, winner."""

FIRST, SECOND, DRAW = "first", "second", "draw"
WINNERS = (FIRST, SECOND, DRAW)


class RatedGame(NamedTuple):
    """The first player, the second, and which of them won: `first`, `second` or `draw`.

    >>> from oddly.tournaments import RatedGame
    >>> RatedGame("Greedy", "Chance", "first")
    RatedGame(first='Greedy', second='Chance', winner='first')
    """

    first: str
    second: str
    winner: str


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Counts by ordered pair. Engines are numbered in the order of `names`, which is sorted.

    Entry k of the arrays says that `first[k]` met `second[k]` as first player and won `wins[k]`
    games, drew `draws[k]` and lost `losses[k]`. No ordered pair has two entries.
    """

    names: tuple[str, ...]
    first: Counts
    second: Counts
    wins: Counts
    draws: Counts
    losses: Counts
    distinct: Counts
    """The games of each engine that are not copies of earlier ones."""
    repeats: Mapping[tuple[int, int], Sequence[tuple[Seats, int]]]
    """The openings that two engines, the lower number first, played repeatedly; see `clusters.py`.
    """

    @property
    def games(self) -> Counts:
        """The games of each ordered pair."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> Points:
        """The first player's points of each ordered pair: a win is 1, a draw 1/2."""
        points: Points = self.wins + 0.5 * self.draws
        return points

    def games_of_engines(self) -> Counts:
        """Return the number of games of each engine in either seat."""
        games = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(games, self.first, self.games)
        np.add.at(games, self.second, self.games)
        return games

    def clusters_of_engines(self) -> Points:
        """Return how many openings the games of each engine are worth.

        Clusters of m_c games are worth a number of equal ones: the square of the sum of m_c over
        the sum of their squares. Kish, *Survey Sampling* (1965), section 11.7.
        """
        games = self.games_of_engines().astype(np.float64)
        squares = games.copy()
        for engines, clusters in self.repeats.items():
            more = sum(number * sum(seats) * (sum(seats) - 1) for seats, number in clusters)
            squares[list(engines)] += more
        return np.divide(games**2, squares, out=np.zeros_like(games), where=squares > 0)

    def points_of_engines(self) -> Points:
        """Return the points of each engine in either seat."""
        points = np.zeros(len(self.names))
        np.add.at(points, self.first, self.points)
        np.add.at(points, self.second, self.games - self.points)
        return points


def problem(game: RatedGame) -> str | None:
    """Return in one sentence what is wrong with a game; None if nothing is."""
    for name in (game.first, game.second):
        if not name.strip():
            return "the name of an engine is empty"
        if name != name.strip():
            return f"a name must have no spaces around it, not {name!r}"
    if game.first == game.second:
        return f"{game.first!r} plays against itself"
    if game.winner not in WINNERS:
        return f"unknown winner {game.winner!r}: expected one of {', '.join(WINNERS)}"
    return None


def collect(games: Iterable[Row], engines: Iterable[str] = ()) -> Results:
    """Return the counts of games, each of them a row (first, second, winner).

    `engines` may name some that have no games. No game counts as a copy of another. Raises
    ValueError for an impossible game.

    >>> import oddly
    >>> results = oddly.collect([("A", "B", "first"), ("B", "A", "second")])
    >>> print(results.names, results.points_of_engines())
    ('A', 'B') [2. 0.]
    """
    return from_counts(Counter(games), engines)


def from_counts(
    counts: Mapping[Row, int],
    engines: Iterable[str] = (),
    distinct: Mapping[Row, int] | None = None,
    repeats: Mapping[Cluster, int] | None = None,
) -> Results:
    """Return the results from the number of each row (first, second, winner).

    `engines` may name some that have no games. `distinct` has the numbers of games that are not
    copies, None if there are no copies, and `repeats` the openings that were played repeatedly.
    Raises ValueError for an impossible game.
    """
    by_pair: dict[tuple[str, str], list[int]] = {}
    for row, count in counts.items():
        game = RatedGame(*row)
        if wrong := problem(game):
            raise ValueError(wrong)
        by_pair.setdefault(row[:2], [0, 0, 0])[WINNERS.index(game.winner)] += count
    names = sorted({*engines, *(name for pair in by_pair for name in pair)})
    number = {name: index for index, name in enumerate(names)}
    # Sorted, so the order of the games does not change even the last digit.
    pairs = sorted((number[first], number[second]) for first, second in by_pair)
    table = np.array(
        [(*pair, *by_pair[names[pair[0]], names[pair[1]]]) for pair in pairs], dtype=np.int64
    ).reshape(-1, 5)
    first, second, wins, losses, draws = table.T.copy()
    games: Counter[str] = Counter()
    for (one, other, _), count in (counts if distinct is None else distinct).items():
        games[one] += count
        games[other] += count
    of_engines = np.array([games[name] for name in names], dtype=np.int64)
    clusters: dict[tuple[int, int], list[tuple[Seats, int]]] = {}
    for (one, other, seats), times in sorted((repeats or {}).items()):
        clusters.setdefault((number[one], number[other]), []).append((seats, times))
    return Results(tuple(names), first, second, wins, draws, losses, of_engines, clusters)
