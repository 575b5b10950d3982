"""A rating pool: the engine whose rating is least certain plays next, unless it rests.

There are no rounds. A swapped pair of games is chosen whenever one can begin, from the results so
far and the information expected from running games. So two runs of a pool do not choose the same
games. But each game is in the ledger before it begins, and a resumed pool starts with those games.

Nothing here reads a clock. A rest is handed to the runner, which gives it back when it is over.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.games import one_line
from oddly.games.wording import counted
from oddly.tournaments.formats.derived_plans import JointPlan
from oddly.tournaments.formats.format import BOOK, MAX_GAMES, Contest, Event, Format, setting
from oddly.tournaments.formats.plan import FormatReport, Plan, Rest, RestingEngines
from oddly.tournaments.ratings.elo import MAX_ELO
from oddly.tournaments.results.counts import ResultCounts

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from oddly.tournaments.formats.pool_choice import Expectation, LiveExpectation
    from oddly.tournaments.ratings.bradley_terry import Ratings
    from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame


MAX_REPEATED_IN_A_ROW = 40
"""Two engines that repeat earlier games this often in a row do not meet again."""


@dataclass(frozen=True, slots=True)
class RatingPool(Format):
    """Games until every 95 % bar is below `until` Elo, or until there are `games` of them.

    A pool with neither runs until it is stopped.
    """

    name: ClassVar = "rating-pool"
    can_change: ClassVar = frozenset({"until", "games"})
    takes_begun: ClassVar = True
    waits_for_engines: ClassVar = True
    ranks_by_elo: ClassVar = True

    until: float | None = setting(
        None,
        kind=float,
        summary="Elo: stop when every 95 % error bar is narrower; by default never",
        gt=0,
        le=MAX_ELO,
    )
    games: int | None = setting(
        None,
        kind=int,
        summary="the maximum number of games, even; by default no limit",
        ge=2,
        le=MAX_GAMES,
        multiple_of=2,
    )

    @property
    def openings(self) -> int:
        """A book; the next pair of games between two engines has the next opening."""
        return BOOK

    def plan(self, event: Event) -> Plan:
        """Return a pool for each game."""
        return JointPlan.of(event, lambda contest: PoolPlan(contest, self))

    def end(self, event: Event) -> str:
        """Return in words what ends it."""
        ends = []
        if self.until is not None:
            ends.append(f"until every 95 % error bar is below {self.until:g} Elo")
        if self.games is not None:
            ends.append(f"at most {self.games} games")
        return ", ".join(ends) or "until it is stopped"


class PoolPlan(Plan):
    """The rating pool of one game."""

    def __init__(self, contest: Contest, settings: RatingPool) -> None:
        from oddly.tournaments.formats.pool_choice import live_choice

        self.contest = contest
        self.settings = settings
        self.resting = RestingEngines(contest.withdraw_after)
        self._reported = contest.resting.setdefault(contest.game, self.resting)
        """The rests of the run: of its first plan, also where another replaced it at the end."""
        self._barred: set[frozenset[str]] = set()
        self._counts = ResultCounts()
        self._met: Counter[frozenset[str]] = Counter()
        self._waiting: deque[ScheduledGame] = deque()
        self._pending: dict[str, ScheduledGame] = {}
        self._given = 0
        self._rated: Ratings | None = None
        self._in_a_row: Counter[frozenset[str]] = Counter()
        """How many games of two engines in a row, up to the last, were copies of earlier ones."""
        self._live = live_choice(contest, lambda: self.ratings)
        for played in contest.others:
            self._given += 1
            self._count(played)
        for scheduled in contest.begun:
            pair = frozenset((scheduled.first, scheduled.second))
            if scheduled.round > self._met[pair]:
                self._enter(scheduled.first, scheduled.second, scheduled.round)

    @property
    def ratings(self) -> Ratings:
        """The ratings from all results so far."""
        from oddly.tournaments.ratings.bradley_terry import rate
        from oddly.tournaments.ratings.ordered_pairs import from_counts

        if self._rated is None:
            counts = self._counts
            results = from_counts(
                counts.rows, self.contest.engines, counts.distinct, counts.repeats
            )
            self._rated = rate(results)
        return self._rated

    def next(self) -> ScheduledGame | None:
        """Return the second game of a pair, or the first of the next, if no engine in it rests."""
        if (waiting := self._next_waiting()) is None and self._choose():
            waiting = self._next_waiting()
        return waiting

    def learn(self, played: PlayedGame) -> None:
        """Count a result; an engine rests after too many faults in a row."""
        self.learn_earlier(played)
        scheduled, outcome = played.scheduled, played.outcome
        if outcome.is_void:
            # The next run plays it again.
            self._barred.add(frozenset((scheduled.first, scheduled.second)))
            return
        for seat, name in enumerate((scheduled.first, scheduled.second)):
            at_fault = outcome.is_forfeit and outcome.winner == 1 - seat
            self.resting.played(name, at_fault=at_fault)

    def learn_earlier(self, played: PlayedGame) -> None:
        """Count a result; the faults of earlier runs keep nobody from playing."""
        scheduled = self._pending.pop(played.scheduled.id)
        if not played.outcome.is_void:
            self._count(played)
        elif self._live is not None:
            self._live.expect(scheduled.first, scheduled.second, -1)

    def _count(self, played: PlayedGame) -> None:
        """Count a result, and note whether the game is a copy."""
        scheduled = played.scheduled
        pair = frozenset((scheduled.first, scheduled.second))
        before = self._counts.distinct_games
        self._counts.add(played)
        self._rated = None
        if self._live is not None:
            self._live.add(scheduled.first, scheduled.second, played.outcome.winner)
        if self._counts.distinct_games > before:
            del self._in_a_row[pair]
        else:
            self._in_a_row[pair] += 1

    def miss(self, scheduled: ScheduledGame, absent: Sequence[str]) -> None:
        """Put a game off until its absent engines have rested."""
        self._waiting.appendleft(scheduled)
        for name in absent:
            self.resting.missing(name)

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Forget a game of a retired engine."""
        del self._pending[scheduled.id]
        self._given -= 1
        if self._live is not None:
            self._live.expect(scheduled.first, scheduled.second, -1)

    def pardon(self, name: str) -> None:
        """Let a resting engine play at once."""
        self.resting.pardon(name)

    def rests(self) -> Sequence[Rest]:
        """Return the rests that began since the last call."""
        return self.resting.begun()

    def wake(self, rest: Rest) -> None:
        """Let an engine play again after its rest."""
        self.resting.wake(rest)

    def _next_waiting(self) -> ScheduledGame | None:
        """Return the first waiting game in which neither engine rests."""
        for place, scheduled in enumerate(self._waiting):
            if scheduled.first not in self.resting and scheduled.second not in self.resting:
                del self._waiting[place]
                return scheduled
        return None

    def _enter(self, one: str, other: str, round_: int) -> None:
        """Add a pair of games to those that may begin."""
        games = self.contest.pair(one, other, round_)
        self._met[frozenset((one, other))] = round_
        self._given += len(games)
        self._waiting.extend(games)
        self._pending |= {scheduled.id: scheduled for scheduled in games}
        if self._live is not None:
            self._live.expect(one, other, len(games))

    def _choose(self) -> bool:
        """Add the most valuable pair, and return whether the pool needed one."""
        from oddly.tournaments.formats.pool_choice import Expectation

        most, until = self.settings.games, self.settings.until
        if most is not None and self._given >= most:
            return False
        expected = self._expectation()
        if not expected.engines:
            return False
        if isinstance(expected, Expectation):
            for scheduled in self._pending.values():
                expected.add(scheduled.first, scheduled.second, 1)
        if until is not None and expected.are_below(until):
            return False
        if (best := expected.best_pair([*self._barred, *self._in_circles])) is None:
            return False
        one, other = best
        self._enter(one, other, self._met[frozenset(best)] + 1)
        return True

    @property
    def _in_circles(self) -> list[frozenset[str]]:
        """The pairs of engines whose games now only repeat earlier ones."""
        return [pair for pair, games in self._in_a_row.items() if games >= MAX_REPEATED_IN_A_ROW]

    @property
    def waits(self) -> bool:
        """Whether the pool needs games of engines that rest."""
        most, until = self.settings.games, self.settings.until
        if self._waiting:
            return True
        if not self.resting.names or (most is not None and self._given >= most):
            return False
        expected = self._expectation(self.resting)
        return bool(expected.engines) and (until is None or not expected.are_below(until))

    def _expectation(self, among: Container[str] = ()) -> Expectation | LiveExpectation:
        """Return the expected bars of the engines that do not rest, or are in `among`."""
        from oddly.tournaments.formats.pool_choice import Expectation

        active = {
            name
            for name in self.contest.engines
            if name not in self.contest.retired and (name not in self.resting or name in among)
        }
        kept_apart = Counter(name for pair in self._barred if pair <= active for name in pair)
        placed = [
            name
            for name in self.contest.engines
            if name in active and kept_apart[name] < len(active) - 1
        ]
        if self._live is None:
            return Expectation(self.ratings, placed)
        from oddly.tournaments.formats.pool_choice import LiveExpectation

        return LiveExpectation(self._live, placed)

    def verdict(self) -> str:
        """Return how wide the widest bar is, and which engines were missing."""
        sentences = []
        expectation = self._expectation()
        if expectation.engines:
            name, bar = expectation.widest()
            wanted = "" if self.settings.until is None else f" (wanted: {self.settings.until:g})"
            sentences.append(
                f"the widest 95 % error bar is {one_line(name)}'s, {bar:.1f} Elo{wanted}"
            )
        if circles := len(self._in_circles):
            sentences.append(
                f"the games of {counted(circles, 'pair')} of engines only repeat earlier ones"
            )
        sentences += [
            f"{one_line(name)} was absent from {counted(games, 'game')}"
            for name, games in sorted(self._reported.missed.items())
        ]
        sentences += [
            f"{one_line(name)} rests after its faults"
            for name in self._reported.names
            if name not in self._reported.absent
        ]
        if self._barred:
            pairs = counted(len(self._barred), "pair")
            sentences.append(f"void games kept {pairs} of engines from meeting again")
        return "; ".join(sentences)

    def reports(self) -> dict[str, PoolReport]:
        """Return the ratings with their bars."""
        return {str(self.contest.game): PoolReport(self.ratings)}

    def facts(self) -> dict[str, Any]:
        """Return the ratings with their bars as plain values for JSON."""
        from oddly.tournaments.results.results_json import ratings_json

        return {
            **ratings_json(self.ratings),
            "absences": dict(self._reported.missed),
            "resting": self._reported.names,
        }


@dataclass(frozen=True, slots=True, eq=False)
class PoolReport(FormatReport):
    """The ratings by which a rating pool chooses its pairs."""

    ratings: Ratings
