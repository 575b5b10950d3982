"""The formats whose games are known from the start: round robin, gauntlet, match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tournaments.formats.format import Format
from tournaments.formats.plan import FixedPlan, JointPlan, Plan
from tournaments.schedule import both_ways, pairs_of

if TYPE_CHECKING:
    from tournaments.formats.event import Event


@dataclass(frozen=True, slots=True)
class RoundRobin(Format):
    """All engines meet each other in both seats, `rounds` times."""

    name: ClassVar = "round-robin"
    can_grow: ClassVar = frozenset({"rounds"})

    rounds: int = 1

    @property
    def openings(self) -> int:
        """One opening a round."""
        return self.rounds

    def plan(self, event: Event) -> Plan:
        """Return the games round by round, and within a round game by game."""
        pairs = list(pairs_of(self.name, event.engines))
        return FixedPlan(
            both_ways(event.games, pairs, self.rounds, event.seed, event.name, event.openings)
        )


@dataclass(frozen=True, slots=True)
class Gauntlet(RoundRobin):
    """The first engine meets each of the others in both seats, `rounds` times."""

    name: ClassVar = "gauntlet"


@dataclass(frozen=True, slots=True)
class Match(Format):
    """Two engines play a number of games and take turns at opening."""

    name: ClassVar = "match"
    can_grow: ClassVar = frozenset({"games"})
    takes_engines: ClassVar = False
    engines: ClassVar = 2

    games: int = 10

    @property
    def openings(self) -> int:
        """One opening for each pair of games."""
        return (self.games + 1) // 2

    def plan(self, event: Event) -> Plan:
        """Return a match for each game."""
        one, other = event.engines
        return JointPlan(
            {
                game: FixedPlan(
                    [
                        scheduled
                        for number in range(1, self.openings + 1)
                        for scheduled in contest.pair(one, other, number)
                    ][: self.games]
                )
                for game, contest in event.contests().items()
            }
        )
