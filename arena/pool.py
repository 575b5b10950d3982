"""A pool: one game, one board, one time control, and the ratings of all who play in it.

Ratings are updated game by game (`tournaments/ratings/live.py`). They are relative to the pool's
anchors, whose Elo the keeper states, or to the mean of all that have played.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddly.arena.wire.members import MAX_ELO
from oddly.arena.wire.messages import PoolOffer, RatingNow
from oddly.tournaments import QUANTILE_975
from oddly.tournaments.ratings.live import LiveRatings
from oddly.tournaments.results.schedule import NO_OPENINGS, Book, scheduled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from oddly.games import Game
    from oddly.protocol import TimeControl
    from oddly.tournaments import ScheduledGame

    Array = NDArray[np.floating[Any]]

PRIOR = 0.5
"""The virtual draws of each engine."""
PROVISIONAL = 100.0
"""A rating is provisional while half its 95 % interval is wider than this, in Elo."""
RECENT = 20
"""The number of an engine's last games checked for opponents met too often."""
SHARE = 0.25
"""The share of those games that is too often."""
MAX_ERROR = 1e4
DUE_FOR = 600.0
"""Seconds after which the waiting second game of a pair is forgotten."""


class PoolFacts(NamedTuple):
    """The facts that define a pool."""

    name: str
    game: Game
    control: TimeControl
    seed: int = 0
    anchors: Mapping[str, float] = {}
    """The Elo of engines that the keeper vouches for."""
    opening_turns: int = 0
    """The turns of its random openings; 0 for none."""

    def offer(self) -> PoolOffer:
        """Return the pool as a message of the wire."""
        game = self.game
        return PoolOffer(self.name, game.name, game.size, dict(game.settings), str(self.control))


class RatedPool:
    """The ratings of a pool, and how often each pair has met."""

    def __init__(self, facts: PoolFacts, book: Book = NO_OPENINGS) -> None:
        self.facts = facts
        self.book = book
        self.names: list[str] = []
        self.number: dict[str, int] = {}
        self.met: Counter[frozenset[str]] = Counter()
        """The number of rounds that each pair began."""
        self.recent: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=RECENT))
        """The last opponents of each engine."""
        self.games: Counter[str] = Counter()
        """The number of games of each engine that count."""
        self.running = 0
        self.due: dict[frozenset[str], tuple[ScheduledGame, float]] = {}
        """The second games of pairs, and since when they wait."""
        self.won: Counter[str] = Counter()
        self.drawn: Counter[str] = Counter()
        """The games of each engine that count, which it won, and which were drawn."""
        self._results: dict[tuple[str, str], tuple[int, float]] = {}
        self._live: LiveRatings | None = None
        self._expected: Counter[frozenset[str]] = Counter()
        self._elo: Array | None = None
        self._errors: Array | None = None

    @property
    def name(self) -> str:
        """The name of the pool."""
        return self.facts.name

    @property
    def live(self) -> LiveRatings:
        """The ratings by number, up to date."""
        live = self._live
        if live is None or live.engines != len(self.names):
            live = self._live = self._rebuilt(live)
        live.settle()
        return live

    def _rebuilt(self, old: LiveRatings | None) -> LiveRatings:
        """Return ratings of all engines, starting from the old ratings."""
        live = LiveRatings(len(self.names), PRIOR)
        for (first, second), (games, points) in self._results.items():
            live.add(self.number[first], self.number[second], points, games)
        for pair, games in self._expected.items():
            one, other = sorted(pair)
            if games:
                live.expect(self.number[one], self.number[other], games)
        if old is not None:
            live.point[: old.engines] = old.point[:-1]
            live.point[-1] = old.point[-1]
        return live

    def enter(self, name: str) -> None:
        """Add an engine, unless it is known."""
        if name not in self.number:
            self.number[name] = len(self.names)
            self.names.append(name)
            self._elo = self._errors = None

    def count(self, first: str, second: str, winner: int | None, games: int = 1) -> None:
        """Count games of two engines, all with this winner: 0, 1 or None for a draw."""
        self.enter(first)
        self.enter(second)
        points = games * (0.5 if winner is None else float(winner == 0))
        before, had = self._results.get((first, second), (0, 0.0))
        self._results[first, second] = before + games, had + points
        self._count_for(first, second, winner, games)
        if self._live is not None and self._live.engines == len(self.names):
            self._live.add(self.number[first], self.number[second], points, games)
        self.games[first] += games
        self.games[second] += games
        self._elo = self._errors = None

    def _count_for(self, first: str, second: str, winner: int | None, games: int) -> None:
        if winner is None:
            self.drawn[first] += games
            self.drawn[second] += games
        else:
            self.won[(first, second)[winner]] += games

    def load(self, results: Iterable[tuple[str, str, int | None, int]]) -> None:
        """Count the games of earlier runs: first, second, winner, and the number of games."""
        for first, second, winner, games in results:
            self.count(first, second, winner, games)

    def uncount(self, first: str, second: str, winner: int | None) -> None:
        """Take back an annulled game."""
        points = 0.5 if winner is None else float(winner == 0)
        games, had = self._results.get((first, second), (0, 0.0))
        if games:
            self._results[first, second] = games - 1, had - points
            self._count_for(first, second, winner, -1)
            if games == 1:
                del self._results[first, second]
            self.games[first] -= 1
            self.games[second] -= 1
            self._live = self._elo = self._errors = None

    def rename(self, old: str, new: str) -> None:
        """Rename an engine that is not in a game."""

        def now(name: str) -> str:
            return new if name == old else name

        anchors = {now(name): elo for name, elo in self.facts.anchors.items()}
        self.facts = self.facts._replace(anchors=anchors)
        self._elo = self._errors = None
        if old not in self.number:
            return
        self.names = [now(name) for name in self.names]
        self.number = {name: number for number, name in enumerate(self.names)}
        for counts in (self.games, self.won, self.drawn):
            counts[new] = counts.pop(old, 0)
        self.recent[new] = self.recent.pop(old, deque(maxlen=RECENT))
        for last in self.recent.values():
            met = [now(name) for name in last]
            last.clear()
            last.extend(met)
        self.met = Counter({frozenset(map(now, pair)): n for pair, n in self.met.items()})
        self.due = {pair: game for pair, game in self.due.items() if old not in pair}
        self._expected = Counter(
            {frozenset(map(now, pair)): games for pair, games in self._expected.items()}
        )
        self._results = {
            (now(first), now(second)): found for (first, second), found in self._results.items()
        }

    def began(self, one: str, other: str) -> None:
        """Note that a game begins, and expect its information."""
        self.enter(one)
        self.enter(other)
        self.recent[one].append(other)
        self.recent[other].append(one)
        self._expect(one, other, 1)
        self.running += 1

    def ended(self, first: str, second: str, winner: int | None, *, counts: bool) -> None:
        """Note that a game that began is over."""
        self.running -= 1
        if counts:
            # A game that counts is no longer expected.
            self._expected[frozenset((first, second))] -= 1
            self.count(first, second, winner)
        else:
            self._expect(first, second, -1)

    def _expect(self, one: str, other: str, games: int) -> None:
        self._expected[frozenset((one, other))] += games
        if self._live is not None and self._live.engines == len(self.names):
            self._live.expect(self.number[one], self.number[other], games)
            self._errors = None

    def next_game(self, one: str, other: str) -> ScheduledGame | None:
        """Return the first game of a new pair; None until its opening is drawn.

        `one` opens it in odd rounds, `other` in even ones. Raises OpeningsError if there is no
        opening.
        """
        pair = frozenset((one, other))
        round_ = self.met[pair] + 1
        if self.book.preparation(round_) is not None:
            return None
        first, second = (one, other) if round_ % 2 else (other, one)
        return scheduled(
            sum(self.games.values()) // 2 + self.running + 1,
            self.facts.game,
            round_,
            first,
            second,
            self.facts.seed,
            self.name,
            self.book.opening(round_),
        )

    def second_game(self, game: ScheduledGame) -> ScheduledGame:
        """Return the same game with seats swapped."""
        return scheduled(
            game.number + 1,
            game.game,
            game.round,
            game.second,
            game.first,
            self.facts.seed,
            self.name,
            game.opening,
        )

    def plays_too_often(self, one: str, other: str) -> bool:
        """Return whether two engines met in too many of the last games of either."""
        for name, opponent in ((one, other), (other, one)):
            last = self.recent[name]
            # The two games of a pair count as one choice.
            if last.count(opponent) > max(2.0, SHARE * len(last)):
                return True
        return False

    def forget_due(self, now: float) -> None:
        """Forget second games that waited for too long."""
        late = [pair for pair, (_, since) in self.due.items() if now >= since + DUE_FOR]
        for pair in late:
            del self.due[pair]

    def rating(self, name: str) -> RatingNow:
        """Return the rating of an engine; without games, it is at the level."""
        if name not in self.number:
            return _rating_now(self._level_elo(), MAX_ERROR, 0)
        elo, error = self.elo()[self.number[name]], self.errors()[self.number[name]]
        return _rating_now(float(elo), float(error), self.games[name])

    def ratings(self) -> dict[str, RatingNow]:
        """Return all ratings, the highest first."""
        elo, errors = self.elo(), self.errors()
        order = sorted(range(len(self.names)), key=lambda number: -elo[number])
        return {
            self.names[number]: _rating_now(
                float(elo[number]), float(errors[number]), self.games[self.names[number]]
            )
            for number in order
        }

    def leader(self) -> str:
        """Return who has the highest rating that is not provisional; empty if nobody has."""
        elo, settled = self.elo(), self.errors() <= PROVISIONAL
        if not settled.any():
            return ""
        return self.names[int(np.where(settled, elo, -np.inf).argmax())]

    def elo(self) -> Array:
        """Return the ratings in the order of `names`."""
        if not self.names:
            return np.zeros(0)
        if self._elo is None:
            elo, level = self.live.elo, self._level()
            shift = self._level_elo() - (elo[level].mean() if len(level) else 0.0)
            self._elo = elo + shift
        return self._elo

    def errors(self) -> Array:
        """Return half the widths of the 95 % intervals, in the order of `names`.

        They are those of independent, decided games that the ratings explain: what else `rate`
        allows for takes a full fit, which would hold up the games of a large pool.
        """
        if not self.names:
            return np.zeros(0)
        if self._errors is None:
            variances, level = self.live.variances, self._level()
            if len(level):
                with_level = self.covariance_with_level()
                variances = variances - 2 * with_level + with_level[level].mean()
            self._errors = QUANTILE_975 * np.sqrt(np.maximum(0.0, variances))
        return self._errors

    def covariance_with_level(self) -> Array:
        """Return the covariances of all ratings with the level, as `LiveRatings.column` does."""
        level = self._level()
        if not len(level):
            return np.zeros(len(self.names))
        return self.live.covariance_with_mean(level)

    def _level(self) -> NDArray[np.int64]:
        """Return the numbers of the engines whose mean is the level: anchors, or all with games."""
        anchors = [self.number[name] for name in self.facts.anchors if name in self.number]
        anchors = [number for number in anchors if self.games[self.names[number]]]
        played = [number for name, number in self.number.items() if self.games[name]]
        return np.array(anchors or played, dtype=np.int64)

    def _level_elo(self) -> float:
        known = [
            elo
            for name, elo in self.facts.anchors.items()
            if name in self.number and self.games[name]
        ]
        return float(np.mean(known)) if known else 0.0


def _rating_now(elo: float, error: float, games: int) -> RatingNow:
    elo, error = max(-MAX_ELO, min(MAX_ELO, elo)), min(MAX_ERROR, error)
    return RatingNow(round(elo, 2), round(error, 2), games, provisional=error > PROVISIONAL)
