"""Swiss: in each round engines of equal score meet, and all results count.

A round begins when the one before is over. An encounter is one or more colour-swapped pairs of
games. If the number of engines is odd, one of them sits out in each round, which is worth as much
as winning all games of an encounter.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tournaments.formats.encounter import Encounter
from tournaments.formats.format import Format
from tournaments.formats.plan import JointPlan, Plan
from tournaments.formats.report import SwissReport
from tournaments.formats.swiss_pairing import PairedPlayer, pair_round
from tournaments.formats.swiss_standings import swiss_facts, swiss_standings

if TYPE_CHECKING:
    from tournaments.formats.event import Contest, Event
    from tournaments.formats.swiss_standings import SwissStanding
    from tournaments.results.played_game import PlayedGame
    from tournaments.schedule import ScheduledGame


@dataclass(frozen=True, slots=True)
class Swiss(Format):
    """`rounds` rounds of encounters, each of `pairs` colour-swapped pairs of games."""

    name: ClassVar = "swiss"
    can_grow: ClassVar = frozenset({"rounds"})
    takes_engines: ClassVar = False

    rounds: int
    pairs: int = 1

    @property
    def openings(self) -> int:
        """One opening for each pair of an encounter in each round."""
        return self.rounds * self.pairs

    def plan(self, event: Event) -> Plan:
        """Return a Swiss tournament for each game."""
        return JointPlan(
            {game: SwissPlan(contest, self) for game, contest in event.contests().items()}
        )

    def end(self, event: Event) -> str:
        """Return the number of rounds."""
        return f"{self.rounds} rounds, each paired by the results of those before"


class SwissPlan(Plan):
    """The Swiss tournament of one game."""

    def __init__(self, contest: Contest, settings: Swiss) -> None:
        self.contest = contest
        self.settings = settings
        self.rounds: list[list[Encounter]] = []
        self.byes: list[str] = []
        self._waiting: deque[ScheduledGame] = deque()
        self._whose: dict[str, Encounter] = {}

    @property
    def total(self) -> int:
        """The number of games, which does not depend on results."""
        return len(self.contest.engines) // 2 * 2 * self.settings.pairs * self.settings.rounds

    def next(self) -> ScheduledGame | None:
        """Return a game of this round, or the first of the next if all have ended."""
        if not self._waiting and self._may_pair():
            self._pair()
        return self._waiting.popleft() if self._waiting else None

    def learn(self, played: PlayedGame) -> None:
        """Take note of a result; the last one of a round ends it."""
        self._whose[played.scheduled.id].learn(played)

    def _may_pair(self) -> bool:
        current = self.rounds[-1] if self.rounds else []
        return len(self.rounds) < self.settings.rounds and all(each.is_decided for each in current)

    def _pair(self) -> None:
        """Begin a round."""
        number, pairs, contest = len(self.rounds), self.settings.pairs, self.contest
        seed = f"{contest.event} {contest.seed} {contest.game} {number}"
        pairing = pair_round(self._players(), seed)
        encounters = [
            Encounter(
                one,
                other,
                [
                    scheduled
                    for pair in range(1, pairs + 1)
                    for scheduled in contest.pair(one, other, number * pairs + pair)
                ],
            )
            for one, other in pairing.pairs
        ]
        self.rounds.append(encounters)
        self.byes += [pairing.bye] if pairing.bye is not None else []
        for encounter in encounters:
            self._waiting.extend(encounter.games)
            self._whose |= {scheduled.id: encounter for scheduled in encounter.games}

    def _players(self) -> list[PairedPlayer]:
        """Return the engines by points, equal ones in the order in which they were entered."""
        met: dict[str, list[str]] = {name: [] for name in self.contest.engines}
        points = {name: float(self.byes.count(name) * self.bye) for name in met}
        for encounter in self._encounters():
            for name in (encounter.one, encounter.other):
                met[name].append(encounter.opponent_of(name))
                points[name] += encounter.points_of(name)
        order = sorted(self.contest.engines, key=lambda name: -points[name])
        return [
            PairedPlayer(name, round(2 * points[name]), tuple(met[name]), self.byes.count(name))
            for name in order
        ]

    @property
    def bye(self) -> int:
        """The points of sitting out."""
        return 2 * self.settings.pairs

    def _encounters(self) -> list[Encounter]:
        return [encounter for encounters in self.rounds for encounter in encounters]

    def _standings(self) -> list[SwissStanding]:
        return swiss_standings(self.contest.engines, self._encounters(), self.byes, self.bye)

    def verdict(self) -> str:
        """Return why a round could not end, if not all rounds are over."""
        over = sum(all(each.is_decided for each in encounters) for encounters in self.rounds)
        if over == self.settings.rounds:
            return ""
        held_up = any(encounter.is_void for encounter in self._encounters())
        why = ": a void game must be played again first" if held_up else ""
        return f"{over} of {self.settings.rounds} rounds are over{why}"

    def reports(self) -> dict[str, SwissReport | None]:
        """Return the standings with their tie-breaks, once a round has begun."""
        report = SwissReport(self._standings(), self.bye if self.byes else None)
        return {str(self.contest.game): report if self.rounds else None}

    def facts(self) -> dict[str, Any]:
        """Return the standings and the encounters as plain values for JSON."""
        return swiss_facts(self._standings(), self.rounds, self.byes)
