"""The counts that ratings depend on: wins, draws and losses of each ordered pair of engines.

Whatever the number of games, ratings see at most one entry for each ordered pair that has met.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Points = NDArray[np.float64]

Row = tuple[str, str, str]
"""A game as plain text: first player, second player, winner."""

FIRST, SECOND, DRAW = "first", "second", "draw"
WINNERS = (FIRST, SECOND, DRAW)


class RatedGame(NamedTuple):
    """The first player, the second, and which of them won: `first`, `second` or `draw`.

    >>> import oddly
    >>> oddly.RatedGame("Greedy", "Chance", "first")
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
    played: Counts
    """The games of each engine, copies of earlier ones among them, which the others leave out."""

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

    def points_of_engines(self) -> Points:
        """Return the points of each engine in either seat."""
        points = np.zeros(len(self.names))
        np.add.at(points, self.first, self.points)
        np.add.at(points, self.second, self.games - self.points)
        return points


def problem(game: RatedGame) -> str | None:
    """Return what is wrong with a game, in one sentence; None if nothing is."""
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

    `engines` may name some that have no games. Raises ValueError for a game that cannot be.

    >>> import oddly
    >>> results = oddly.collect([oddly.RatedGame("A", "B", "first"), ("B", "A", "second")])
    >>> print(results.names, results.points_of_engines())
    ('A', 'B') [2. 0.]
    """
    return from_counts(Counter(games), engines)


def from_counts(
    counts: Mapping[Row, int],
    engines: Iterable[str] = (),
    played: Mapping[Row, int] | None = None,
) -> Results:
    """Return the results from the number of each row (first, second, winner).

    `engines` may name some that have no games. If `counts` leaves out copies, `played` has the
    numbers of all games. Raises ValueError for a game that cannot be.
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
    for (one, other, _), count in (counts if played is None else played).items():
        games[one] += count
        games[other] += count
    of_engines = np.array([games[name] for name in names], dtype=np.int64)
    return Results(tuple(names), first, second, wins, draws, losses, of_engines)
