"""The counts that ratings depend on: wins, draws and losses of each ordered pair of engines.

Whatever the number of games, ratings see at most one entry for each ordered pair that has met.
Dated games are counted as they arrive: each is one number until it is counted, so memory depends on
how many different players, winners and days there are, not on the number of games.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from oddly.tournaments.ratings.clusters import Cluster, Seats

    Counts = NDArray[np.int64]
    Points = NDArray[np.float64]
    Array = NDArray[np.floating[Any]]
    Indices = NDArray[np.integer[Any]]


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

    @property
    def never_swapped(self) -> bool:
        """Whether every engine always had the same seat, which hides the worth of playing first."""
        return len(self.first) > 0 and not np.intersect1d(self.first, self.second).size

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


def collect(games: Iterable[Sequence[str]], engines: Iterable[str] = ()) -> Results:
    """Return the counts of games, each a row (first, second, winner).

    `engines` may name some that have no games. No game counts as a copy of another. Raises
    ValueError for an impossible game.

    >>> import oddly
    >>> results = oddly.collect([("A", "B", "first"), ("B", "A", "second")])
    >>> print(results.names, results.points_of_engines())
    ('A', 'B') [2. 0.]
    """
    return from_counts(Counter(map(_row, games)), engines)


def _row(game: Sequence[str]) -> Row:
    match game:
        case (str(first), str(second), str(winner)):
            return first, second, winner
    raise ValueError(f"a game is three words, first, second and winner, not {game!r}")


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
        by_pair.setdefault(row[:2], [0, 0, 0])[WINNER_NUMBERS[game.winner]] += count
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


def unordered_pairs(first: Indices, second: Indices, engines: int) -> tuple[Counts, Counts]:
    """Return the pairs that met, each as low * engines + high, and the place of each entry's."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
    codes, of_entry = np.unique(low * engines + high, return_inverse=True)
    return codes, of_entry


def connected(engines: int, first: Indices, second: Indices) -> Counts:
    """Return the number of each engine's group, which games connect; 0 is the largest group.

    Each `first` met its `second`.
    """
    root = list(range(engines))

    def find(engine: int) -> int:
        while root[engine] != engine:
            root[engine] = root[root[engine]]
            engine = root[engine]
        return engine

    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        root[find(one)] = find(other)
    roots = [find(engine) for engine in range(len(root))]
    sizes = Counter(roots)
    # Groups of equal size stay in the order of their engines.
    order = sorted(sizes, key=lambda each: -sizes[each])
    place = {each: number for number, each in enumerate(order)}
    return np.array([place[each] for each in roots], dtype=np.int64)


PERIODS: Mapping[str, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": lambda day: day - timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
}
"""Functions from a day to the first day of its period; weeks begin on Mondays."""

SMALLEST_DRIFT, LARGEST_DRIFT = 0.01, 1e3
"""The range of a drift that is given, in Elo a day."""

WINNER_NUMBERS = {winner: number for number, winner in enumerate(WINNERS)}

ENGINE_BITS, DAY_BITS = 19, 22
"""A game is one number of 62 bits: its day up to the year 9999, its players, and its winner."""

MAX_ENGINES = 1 << ENGINE_BITS

BUFFER = 1 << 17
"""The number of waiting games at which they are counted."""


class DatedGame(NamedTuple):
    """The first player, the second, which of them won, and on which day."""

    first: str
    second: str
    winner: str
    day: date


def beginning(period: str, day: int) -> int:
    """Return the first day of a day's period, one of PERIODS. Days are ordinals."""
    return PERIODS[period](date.fromordinal(day)).toordinal()


@dataclass(frozen=True, slots=True, eq=False)
class DatedResults:
    """Counts by ordered pair and day. Engines are numbered in the order of `names`, sorted.

    Entry k of the arrays says that `first[k]` met `second[k]` on the day with the ordinal `day[k]`,
    in `games[k]` games, drew `draws[k]` of them and scored `points[k]`. Entries are sorted by the
    first player, the day, and the second player.
    """

    names: tuple[str, ...]
    first: Indices
    second: Indices
    day: Indices
    games: Indices
    draws: Indices
    points: Array


class DatedCounts:
    """Counts games of one kind."""

    def __init__(self, games: Iterable[DatedGame] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self.games = 0
        """How many games have been counted."""
        self._waiting = array("q")
        self._codes = np.zeros(0, dtype=np.int64)
        self._counts = np.zeros(0, dtype=np.int32)
        for game in games:
            self.add(game.first, game.second, game.winner, game.day.toordinal())

    def add(self, first: str, second: str, winner: str, day: int) -> None:
        """Count a game on a day, given by its ordinal. Raises KeyError for an unknown winner.

        Raises ValueError for too many engines.
        """
        numbers = self._numbers
        one = numbers.setdefault(first, len(numbers))
        other = numbers.setdefault(second, len(numbers))
        if len(numbers) > MAX_ENGINES:
            raise ValueError(f"there are more than {MAX_ENGINES} engines")
        pair = ((day << ENGINE_BITS) + one << ENGINE_BITS) + other
        self._waiting.append((pair << 2) + WINNER_NUMBERS[winner])
        self.games += 1
        if len(self._waiting) == BUFFER:
            self._count()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the engines, sorted."""
        return tuple(sorted(self._numbers))

    def _count(self) -> None:
        """Add the games that wait to the counts."""
        codes, counts = np.unique(np.frombuffer(self._waiting, np.int64), return_counts=True)
        self._waiting = array("q")
        merged, place = np.unique(np.concatenate([self._codes, codes]), return_inverse=True)
        total = np.bincount(place, np.concatenate([self._counts, counts]), len(merged))
        self._codes, self._counts = merged, total.astype(np.int32)

    def results(self) -> DatedResults:
        """Return the counts."""
        self._count()
        order = self.names
        renumbered = np.zeros(len(order), dtype=np.int64)
        for place, name in enumerate(order):
            renumbered[self._numbers[name]] = place
        found, entry = np.unique(self._by_player(renumbered), return_inverse=True)
        winner = (self._codes & 3).astype(np.int8)
        games, wins, draws = (
            np.bincount(entry, self._counts * chosen, len(found)).astype(np.int32)
            for chosen in (1, winner == WINNER_NUMBERS[FIRST], winner == WINNER_NUMBERS[DRAW])
        )
        return DatedResults(
            order,
            (found >> ENGINE_BITS + DAY_BITS).astype(np.int32),
            (found & (MAX_ENGINES - 1)).astype(np.int32),
            ((found >> ENGINE_BITS) & ((1 << DAY_BITS) - 1)).astype(np.int32),
            games,
            draws,
            wins + draws / 2,
        )

    def _by_player(self, renumbered: Indices) -> Indices:
        """Return numbers that sort by the first player, the day, and the second player."""
        pairs = self._codes >> 2
        code: Indices = renumbered[(pairs >> ENGINE_BITS) & (MAX_ENGINES - 1)] << DAY_BITS
        code += pairs >> 2 * ENGINE_BITS
        code <<= ENGINE_BITS
        code += renumbered[pairs & (MAX_ENGINES - 1)]
        return code
