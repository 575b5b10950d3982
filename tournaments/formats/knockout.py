"""Knockout: the loser of an encounter is out, as the bracket shows.

The bracket is seeded by the order of the engines: the first two can meet in the final only, the
first four not before the semi-finals, and so on. If the number of engines is not a power of two,
the highest seeds have a bye in the first round. An encounter is one or more swapped pairs of games;
if it is split, further pairs are played one by one, and if they are all split too, the winner is
drawn by lot, from the event's seed. An engine that retires before its encounter is over loses it,
and stays its loser once a game that depends on the encounter begins.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.tournaments.formats.derived_plans import JointPlan, ResumedPlan
from oddly.tournaments.formats.format import (
    MAX_PAIRS,
    PAIRS,
    Contest,
    Encounter,
    Event,
    Format,
    setting,
    whole_setting,
)
from oddly.tournaments.formats.plan import FormatReport, Plan, walkover
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, begun_by_key, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Knockout(Format):
    """`pairs` swapped pairs in each encounter, and up to `extra_pairs` more while it is split."""

    name: ClassVar = "knockout"
    takes_engines: ClassVar = False
    takes_begun: ClassVar = True
    takes_retirements: ClassVar = True
    reports: ClassVar = True

    pairs: int = setting(1, kind=int, summary=PAIRS, ge=1, le=MAX_PAIRS)
    extra_pairs: int = setting(
        3,
        kind=int,
        summary="further pairs while an encounter is tied; then lots are drawn",
        ge=0,
        le=MAX_PAIRS,
    )

    @classmethod
    def replayed(
        cls, contest: Contest, settings: Mapping[str, Any], played: Mapping[str, PlayedGame]
    ) -> Plan:
        """Return the plan after these games."""
        pairs = max(1, whole_setting(settings, "pairs", 1))
        plan = KnockoutPlan(contest, cls(pairs, whole_setting(settings, "extra_pairs", 3)))
        resumed = ResumedPlan(plan, played, (), contest.retired, contest.engines)
        while resumed.next() is not None:
            pass
        return plan

    @property
    def most_pairs(self) -> int:
        """The maximum number of pairs in one encounter."""
        return self.pairs + self.extra_pairs

    @property
    def openings(self) -> int:
        """One opening for each pair of an encounter; all rounds use the same ones."""
        return self.most_pairs

    def plan(self, event: Event) -> Plan:
        """Return a bracket for each game."""
        return JointPlan.of(event, lambda contest: KnockoutPlan(contest, self))

    def end(self, event: Event) -> str:
        """Return the minimum number of games."""
        playing = [name for name in event.engines if name not in event.retired]
        least = 2 * self.pairs * (len(playing) - 1) * len(event.games)
        return f"{least} games or more, each encounter paired by the results of those before"


class KnockoutPlan(Plan):
    """The bracket of one game."""

    def __init__(self, contest: Contest, settings: Knockout) -> None:
        self.contest = contest
        self.settings = settings
        self.bracket = bracket_of(contest.engines)
        self._place = {node.entrant: place for place, node in enumerate(self.bracket[0])}
        self._waiting: deque[ScheduledGame] = deque()
        self._whose: dict[str, Fixture] = {}
        self._begun = begun_by_key(contest.begun)
        self._begin()

    def next(self) -> ScheduledGame | None:
        """Return a game of an encounter whose two engines are known."""
        return self._waiting.popleft() if self._waiting else None

    def learn(self, played: PlayedGame) -> None:
        """Record an outcome, which may decide the encounter or require a further pair."""
        fixture = self._whose[played.scheduled.id]
        fixture.learn(played)
        if fixture.is_decided:
            self._decide(fixture)
            self._begin()

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Record a game that is not played as a win for who is not retired, or retired later.

        If that is not known, each engine wins the games in which it is the second player.
        """
        fixture = self._whose[scheduled.id]
        fixture.is_given_up = True
        fixture.loser = fixture.loser or self._loser(fixture)
        self.learn(walkover(scheduled, int(fixture.loser in (None, scheduled.first))))

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether a later encounter began while an engine in the game was retired."""
        if not self.contest.retirements.by_game:
            return False
        return self.contest.gave_up(scheduled, self._begun_after(self._whose[scheduled.id]))

    def _loser(self, fixture: Fixture) -> str | None:
        """Return the loser of an encounter with games that are not played; None if not known."""
        later = self._begun_after(fixture)
        playing = {name for game in later for name in (game.first, game.second)}
        winners = playing & {fixture.one, fixture.other}
        if len(winners) == 1:
            return fixture.opponent_of(winners.pop())
        return self.contest.loser(fixture.one, fixture.other, later)

    def _begun_after(self, fixture: Fixture) -> list[ScheduledGame]:
        """Return the games of encounters to which its winner comes that began in earlier runs."""
        own, least = self._place[fixture.one], self._meet_in(fixture.one, fixture.other)
        return [
            game
            for game in self.contest.begun
            if {game.first, game.second} <= self._place.keys()
            and (round_ := self._meet_in(game.first, game.second)) > least
            and self._place[game.first] >> round_ == own >> round_
        ]

    def _meet_in(self, one: str, other: str) -> int:
        """Return the round in which two engines can meet, from 1, by their places in the first."""
        return (self._place[one] ^ self._place[other]).bit_length()

    @property
    def fewest(self) -> int:
        """One: the last engine wins."""
        return 1

    def _decide(self, fixture: Fixture) -> None:
        """Find the winner of an encounter whose games have all ended, or add a pair to it."""
        ahead = fixture.points_of(fixture.one) - fixture.points_of(fixture.other)
        if fixture.loser is not None:
            fixture.winner, fixture.by_retirement = fixture.opponent_of(fixture.loser), True
        elif ahead:
            fixture.winner = fixture.one if ahead > 0 else fixture.other
        elif not fixture.is_given_up and len(fixture.games) < 2 * self.settings.most_pairs:
            self._add_pair(fixture)
        else:
            fixture.winner, fixture.by_lot = self._lot(fixture), True

    def _begin(self) -> None:
        """Begin the encounters whose engines are known now."""
        for nodes in self.bracket[1:]:
            for node in nodes:
                if (fixture := node.begin()) is not None:
                    for _ in range(self.settings.pairs):
                        self._add_pair(fixture)

    def _add_pair(self, fixture: Fixture) -> None:
        """Add a pair, whose number in the encounter decides its opening."""
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


TITLES = {1: "final", 2: "semi-final", 4: "quarter-final"}


class Fixture(Encounter):
    """An encounter of a knockout, with its winner once it is decided, and why if not by points."""

    winner: str | None = None
    by_lot: bool = False
    by_retirement: bool = False
    is_given_up: bool = False
    """Whether an engine was retired before its last game."""
    loser: str | None = None
    """The engine that loses it by retirement."""

    @property
    def why(self) -> str:
        """Why the winner won, in words; empty if by points."""
        if self.by_lot:
            return "by lot"
        return "by retirement" if self.by_retirement else ""


class Node:
    """A place in the bracket: an entrant, nobody (a bye), or the winner of two other places."""

    def __init__(self, entrant: str | None, feeders: tuple[Node, ...] = ()) -> None:
        self.entrant = entrant
        self.feeders = feeders
        self.fixture: Fixture | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no engine can come from this place."""
        return self.entrant is None and all(feeder.is_empty for feeder in self.feeders)

    @property
    def winner(self) -> str | None:
        """The engine that comes from this place; None if it is not known yet."""
        if not self.feeders:
            return self.entrant
        if any(feeder.is_empty for feeder in self.feeders):
            return next((f.winner for f in self.feeders if not f.is_empty), None)
        return None if self.fixture is None else self.fixture.winner

    def begin(self) -> Fixture | None:
        """Begin and return the encounter of this place; None if it cannot begin, or has begun."""
        sides = [feeder.winner for feeder in self.feeders if not feeder.is_empty]
        if self.fixture is not None or len(sides) < 2 or sides[0] is None or sides[1] is None:
            return None
        self.fixture = Fixture(sides[0], sides[1], [])
        return self.fixture


Bracket = list[list[Node]]
"""Rounds from the entrants to the final, each from top to bottom."""


def bracket_of(engines: Sequence[str]) -> Bracket:
    """Return the bracket of these engines, the highest seed first."""
    order = [0]
    while len(order) < len(engines):
        order = [seed for high in order for seed in (high, 2 * len(order) - 1 - high)]
    bracket = [[Node(engines[seed] if seed < len(engines) else None) for seed in order]]
    while len(bracket[-1]) > 1:
        pairs = zip(bracket[-1][::2], bracket[-1][1::2], strict=True)
        bracket.append([Node(None, pair) for pair in pairs])
    return bracket


def fixtures_of(bracket: Bracket) -> list[tuple[str, Fixture]]:
    """Return the encounters that have begun, in their order, each with the title of its round."""
    return [
        (TITLES.get(len(nodes), f"round of {2 * len(nodes)}"), node.fixture)
        for nodes in bracket[1:]
        for node in nodes
        if node.fixture is not None
    ]


def bracket_facts(bracket: Bracket) -> dict[str, Any]:
    """Return the encounters and the winner as plain values for JSON."""
    return {
        "winner": bracket[-1][0].winner,
        "encounters": [
            {
                "round": round_,
                **fixture.facts(),
                "winner": fixture.winner,
                "by_lot": fixture.by_lot,
                "by_retirement": fixture.by_retirement,
            }
            for round_, fixture in fixtures_of(bracket)
        ],
    }


@dataclass(frozen=True, slots=True)
class KnockoutReport(FormatReport):
    """The bracket of one game so far."""

    bracket: Bracket
