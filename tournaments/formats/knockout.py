"""Knockout: the loser of an encounter is out.

The bracket is seeded by the order of the engines: the first two can meet in the final only, the
first four not before the semi-finals, and so on. Where the number of engines is no power of two,
the first ones have a bye in the first round. An encounter is one or more swapped pairs of games; if
it is split, further pairs are played one by one, and if all of those are split too, the winner is
drawn by a lot that follows from the event's seed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.tournaments.formats.bracket import (
    Fixture,
    bracket_facts,
    bracket_of,
    fixtures_of,
)
from oddly.tournaments.formats.format import Format
from oddly.tournaments.formats.plan import JointPlan, Plan, walkover
from oddly.tournaments.formats.report import KnockoutReport
from oddly.tournaments.results.schedule import begun_by_key, key_of

if TYPE_CHECKING:
    from oddly.tournaments.formats.format import Contest, Event
    from oddly.tournaments.results.played_game import PlayedGame
    from oddly.tournaments.results.schedule import ScheduledGame


@dataclass(frozen=True, slots=True)
class Knockout(Format):
    """`pairs` swapped pairs in each encounter, and up to `extra_pairs` more while it is split."""

    name: ClassVar = "knockout"
    takes_engines: ClassVar = False

    pairs: int = 1
    extra_pairs: int = 3

    @property
    def most_pairs(self) -> int:
        """The greatest number of pairs in one encounter."""
        return self.pairs + self.extra_pairs

    @property
    def openings(self) -> int:
        """One opening for each pair of an encounter; all rounds use the same ones."""
        return self.most_pairs

    def plan(self, event: Event) -> Plan:
        """Return a bracket for each game."""
        return JointPlan(
            {game: KnockoutPlan(contest, self) for game, contest in event.contests().items()}
        )

    def end(self, event: Event) -> str:
        """Return the least number of games."""
        least = 2 * self.pairs * (len(event.engines) - 1) * len(event.games)
        return f"{least} games or more, each encounter paired by the results of those before"


class KnockoutPlan(Plan):
    """The bracket of one game."""

    def __init__(self, contest: Contest, settings: Knockout) -> None:
        self.contest = contest
        self.settings = settings
        self.bracket = bracket_of(contest.engines)
        self._waiting: deque[ScheduledGame] = deque()
        self._whose: dict[str, Fixture] = {}
        self._begun = begun_by_key(contest.begun)
        self._begin()

    @property
    def total(self) -> None:
        """None: it depends on results."""
        return

    def next(self) -> ScheduledGame | None:
        """Return a game between two engines that are known."""
        return self._waiting.popleft() if self._waiting else None

    def learn(self, played: PlayedGame) -> None:
        """Record an outcome, which may decide the encounter or require a further pair."""
        fixture = self._whose[played.scheduled.id]
        fixture.learn(played)
        if not fixture.is_decided:
            return
        ahead = fixture.points_of(fixture.one) - fixture.points_of(fixture.other)
        if ahead:
            fixture.winner = fixture.one if ahead > 0 else fixture.other
        elif len(fixture.games) < 2 * self.settings.most_pairs:
            self._add_pair(fixture)
        else:
            fixture.winner, fixture.by_lot = self._lot(fixture), True
        self._begin()

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Record that a game is not played, as a win for its winner."""
        self.learn(walkover(scheduled, winner))

    def _begin(self) -> None:
        """Begin the encounters whose engines are known now."""
        for nodes in self.bracket[1:]:
            for node in nodes:
                if (fixture := node.begin()) is not None:
                    for _ in range(self.settings.pairs):
                        self._add_pair(fixture)

    def _add_pair(self, fixture: Fixture) -> None:
        """Add a pair with the opening of its number in the encounter."""
        number = len(fixture.games) // 2 + 1
        games = [
            self._begun.get(key_of(scheduled), scheduled)
            for scheduled in self.contest.pair(fixture.one, fixture.other, number)
        ]
        fixture.games += games
        self._waiting.extend(games)
        self._whose |= {scheduled.id: fixture for scheduled in games}

    def _lot(self, fixture: Fixture) -> str:
        """Return the winner of a split encounter."""
        pair = sorted((fixture.one, fixture.other))
        contest = self.contest
        return Random(f"{contest.event} {contest.seed} {contest.game} {pair}").choice(pair)

    @property
    def winner(self) -> str | None:
        """The winner of the final; None before it is decided."""
        return self.bracket[-1][0].winner

    def verdict(self) -> str:
        """Return why there is no winner yet, if there is none."""
        if self.winner is not None:
            return ""
        void = any(fixture.is_void for _, fixture in fixtures_of(self.bracket))
        why = ": a void game must be played again first" if void else ""
        return f"the knockout is not decided{why}"

    def reports(self) -> dict[str, KnockoutReport]:
        """Return the bracket."""
        return {str(self.contest.game): KnockoutReport(self.bracket)}

    def facts(self) -> dict[str, Any]:
        """Return the bracket as plain values for JSON."""
        return bracket_facts(self.bracket)
