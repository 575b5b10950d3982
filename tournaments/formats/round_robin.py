"""The formats whose games are known from the start: round robin, gauntlet, match."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, ClassVar

from oddly.tournaments.formats.derived_plans import JointPlan
from oddly.tournaments.formats.format import MAX_GAMES, MAX_ROUNDS, Contest, Event, Format, setting
from oddly.tournaments.formats.plan import FixedPlan, Plan
from oddly.tournaments.results.schedule import (
    NO_OPENINGS,
    Openings,
    RoundOfGame,
    ScheduledGame,
    scheduled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.games import Game


@dataclass(frozen=True, slots=True)
class RoundRobin(Format):
    """Every engine meets every other in both seats, `rounds` times: a format for a Tournament.

    >>> import oddly
    >>> oddly.RoundRobin(rounds=5)
    RoundRobin(rounds=5)
    """

    name: ClassVar = "round-robin"
    can_grow: ClassVar = frozenset({"rounds"})

    rounds: int = setting(
        1, kind=int, summary="games of each pair of engines with each colour", ge=1, le=MAX_ROUNDS
    )

    @property
    def openings(self) -> int:
        """One opening a round."""
        return self.rounds

    @classmethod
    def fixed_pairs(cls, engines: Sequence[str]) -> list[tuple[str, str]]:
        """Return all pairs."""
        return list(circle_pairs(engines))

    def plan(self, event: Event) -> Plan:
        """Return the games round by round, and within a round game by game."""
        pairs = self.fixed_pairs(event.engines)
        playing = sum(event.retired.isdisjoint(pair) for pair in pairs)
        schedule = both_ways(
            event.games,
            pairs,
            self.rounds,
            event.seed,
            event.name,
            event.openings,
            event.full_rounds,
        )
        return FixedPlan(schedule, 2 * playing * len(event.games) * self.rounds)


@dataclass(frozen=True, slots=True)
class Gauntlet(RoundRobin):
    """The first engine meets each of the others in both seats, `rounds` times."""

    name: ClassVar = "gauntlet"
    ranks_by_elo: ClassVar = True
    has_challenger: ClassVar = True

    @classmethod
    def fixed_pairs(cls, engines: Sequence[str]) -> list[tuple[str, str]]:
        """Return the first engine with each of the others."""
        return [(engines[0], other) for other in engines[1:]]


@dataclass(frozen=True, slots=True)
class Match(Format):
    """Two engines play a number of games and take turns to open."""

    name: ClassVar = "match"
    can_grow: ClassVar = frozenset({"games"})
    takes_engines: ClassVar = False
    engines: ClassVar = 2

    games: int = setting(
        10, kind=int, summary="games; the engines take turns to open", ge=1, le=MAX_GAMES
    )

    @property
    def openings(self) -> int:
        """One opening for each pair of games."""
        return (self.games + 1) // 2

    def plan(self, event: Event) -> Plan:
        """Return a match for each game."""
        return JointPlan.of(event, lambda contest: MatchPlan(contest, self.games))


class MatchPlan(FixedPlan):
    """The games of a match, in pairs with one opening."""

    def __init__(self, contest: Contest, games: int) -> None:
        super().__init__(islice(_pairs(contest), games), games)
        self._book = contest.openings
        self._games = games
        self._given = 0

    def preparation(self) -> Callable[[], None] | None:
        """Return the function that draws the next pair's opening, if drawing takes long."""
        pairs, rest = divmod(self._given, 2)
        if rest or self._given >= self._games:
            return None
        return self._book.preparation(pairs + 1)

    def next(self) -> ScheduledGame | None:
        """Return the games in their order."""
        self._given += 1
        return super().next()


def _pairs(contest: Contest) -> Iterator[ScheduledGame]:
    """Yield pairs of games between the two engines, without end."""
    one, other = contest.engines
    for number in count(1):
        yield from contest.pair(one, other, number)


def both_ways(
    games: Sequence[Game],
    pairs: Sequence[tuple[str, str]],
    rounds: int,
    seed: int,
    event: str,
    openings: Openings,
    full_rounds: AbstractSet[RoundOfGame] = frozenset(),
) -> Iterator[ScheduledGame]:
    """Yield a schedule in which each pair plays every game in both seats `rounds` times.

    In each round, all pairs have the same opening. The games of `full_rounds` are left out.
    """
    number = 0
    for number_of_round in range(1, rounds + 1):
        for game in games:
            opening = openings.get(game, NO_OPENINGS).opening(number_of_round)
            if (str(game), number_of_round, opening) in full_rounds:
                number += 2 * len(pairs)
                continue
            for one, other in pairs:
                for first, second in ((one, other), (other, one)):
                    number += 1
                    place = number_of_round, first, second
                    yield scheduled(number, game, *place, seed, event, opening)


def circle_pairs(engines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every unordered pair once, in the rounds of the circle method.

    One engine stays, the others move round it; with an odd number, one sits out each round.
    """
    seats: list[str | None] = [*engines, *([None] if len(engines) % 2 else [])]
    for _ in range(len(seats) - 1):
        for index in range(len(seats) // 2):
            one, other = seats[index], seats[-1 - index]
            if one is not None and other is not None:
                yield one, other
        seats.insert(1, seats.pop())
