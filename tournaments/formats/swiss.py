"""Swiss: in each round engines of equal score meet, and all results count.

A round begins when the one before is over. An encounter is one or more colour-swapped pairs of
games. If the number of engines is odd, one of them has a bye in each round, which is worth as much
as winning all games of an encounter.

A round is for the engines that are not retired when its first game begins, which the ledger tells.
If a ledger does not tell when an engine retired, the engine takes part in the rounds up to its last
game.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.games import MissingExtraError
from oddly.games.wording import counted
from oddly.tournaments.formats.derived_plans import JointPlan
from oddly.tournaments.formats.format import (
    MAX_PAIRS,
    MAX_ROUNDS,
    PAIRS,
    Contest,
    Encounter,
    Event,
    Format,
    SettingsError,
    setting,
    whole_setting,
)
from oddly.tournaments.formats.plan import PLAYERS, Plan, walkover
from oddly.tournaments.formats.swiss_pairing import (
    PairedPlayer,
    RoundPairing,
    check_installed,
    is_installed,
    pair_round,
)
from oddly.tournaments.formats.swiss_rounds import (
    SwissPast,
    SwissReport,
    SwissStanding,
    swiss_facts,
    swiss_standings,
)
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, begun_by_key, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from collections.abc import Set as AbstractSet


@dataclass(frozen=True, slots=True)
class Swiss(Format):
    """`rounds` rounds of encounters, each of `pairs` colour-swapped pairs of games."""

    name: ClassVar = "swiss"
    can_grow: ClassVar = frozenset({"rounds"})
    takes_engines: ClassVar = False
    takes_begun: ClassVar = True
    takes_retirements: ClassVar = True
    reports: ClassVar = True

    rounds: int = setting(
        0,
        kind=int,
        summary="rounds; by default as many as leave at most one engine unbeaten",
        chosen=True,
        ge=1,
        le=MAX_ROUNDS,
    )
    pairs: int = setting(1, kind=int, summary=PAIRS, ge=1, le=MAX_PAIRS)

    def for_engines(self, number: int) -> Swiss:
        """Choose the number of rounds if it is not given. Raises SettingsError without rustworkx.

        After that many rounds at most one engine has won all its games.
        """
        try:
            check_installed()
        except MissingExtraError as error:
            raise SettingsError("format", str(error)) from None
        return self if self.rounds else replace(self, rounds=(number - 1).bit_length())

    @classmethod
    def replayed(
        cls, contest: Contest, settings: Mapping[str, Any], played: Mapping[str, PlayedGame]
    ) -> Plan:
        """Return the plan after these games."""
        pairs = max(1, whole_setting(settings, "pairs", 1))
        begun = max((game.round - 1) // pairs + 1 for game in contest.begun)
        rounds = max(begun, whole_setting(settings, "rounds", 0))
        plan = SwissPlan(contest, Swiss(rounds, pairs))
        plan.recall(played)
        return plan

    @property
    def openings(self) -> int:
        """One opening for each pair of an encounter in each round."""
        return self.rounds * self.pairs

    def plan(self, event: Event) -> Plan:
        """Return a Swiss tournament for each game."""
        return JointPlan.of(event, lambda contest: SwissPlan(contest, self))

    def end(self, event: Event) -> str:
        """Return the number of rounds."""
        return f"{counted(self.rounds, 'round')}, each paired by the results of those before"


class SwissPlan(Plan):
    """The Swiss tournament of one game."""

    def __init__(self, contest: Contest, settings: Swiss) -> None:
        self.contest = contest
        self.settings = settings
        self.rounds: list[list[Encounter]] = []
        self.byes: list[str | None] = []
        """Who has the bye of each round; None where nobody has, or where that is not known."""
        self._waiting: deque[ScheduledGame] = deque()
        self._whose: dict[str, Encounter] = {}
        self._given: set[str] = set()
        self._dropped: set[str] = set()
        self._place: dict[str, int] = {}
        """The places of the engines before this round."""
        self._prepared: RoundPairing | None = None
        self._begun = begun_by_key(contest.begun)
        self._past = SwissPast(contest, settings.pairs)

    @property
    def total(self) -> int:
        """The number of games, which does not depend on results."""
        return len(self.contest.engines) // 2 * 2 * self.settings.pairs * self.settings.rounds

    def preparation(self) -> Callable[[], None] | None:
        """Return the search for the next pairing, if the round is over."""
        is_due = not self._waiting and self._may_pair() and self._prepared is None
        return self._prepare if is_due else None

    def next(self) -> ScheduledGame | None:
        """Return a game of this round, or the first of the next if all have ended."""
        if (prepare := self.preparation()) is not None:
            prepare()
        if self._prepared is not None:
            self._begin(self._prepared)
            self._prepared = None
        return self._give() if self._waiting else None

    def look_ahead(self) -> ScheduledGame | None:
        """Return a game of this round, or of the next if it began in an earlier run."""
        return self.next() if self._waiting or self._past.has(len(self.rounds)) else None

    @property
    def goes_on(self) -> bool:
        """Whether this round is over and another one is left."""
        return not self._waiting and self._may_pair()

    def _give(self) -> ScheduledGame:
        scheduled = self._waiting.popleft()
        self._given.add(scheduled.id)
        return scheduled

    def learn(self, played: PlayedGame) -> None:
        """Note a result; the last one of a round ends the round."""
        self._whose[played.scheduled.id].learn(played)

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Record a game that is not played as a win for who stayed, or pair its engine again.

        An encounter without a game is no part of the round: its engine that is not retired meets
        the one with the bye, or has the bye.
        """
        self._dropped.add(scheduled.id)
        encounter = self._whose.get(scheduled.id)
        if encounter is None or encounter not in (self.rounds[-1] if self.rounds else []):
            return
        if self._is_played(encounter) or self._past.has(len(self.rounds)):
            self.learn(walkover(scheduled, self._past.winner(scheduled)))
            return
        self.rounds[-1].remove(encounter)
        for game in encounter.games:
            if game in self._waiting:
                self._waiting.remove(game)
        left = {encounter.one, encounter.other, self.byes[-1]} - self.contest.retired - {None}
        present = self._past.present(len(self.rounds) - 1)
        if not self.rounds[-1] and len(present) < PLAYERS:
            # Nobody plays in this round.
            self.rounds.pop()
            self.byes.pop()
        elif len(left) < PLAYERS:
            self.byes[-1] = next(iter(left), self.byes[-1])
        else:
            self.byes[-1] = None
            self._add(*sorted(filter(None, left), key=self._place.__getitem__))

    @property
    def fewest(self) -> int:
        """Zero: open games are then won without play."""
        return 0

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether a later round began while an engine in the game was retired."""
        return self._past.gave_up(scheduled)

    def _is_played(self, encounter: Encounter) -> bool:
        """Return whether one of its games began."""
        return any(
            (game.id in self._given and game.id not in self._dropped) or key_of(game) in self._begun
            for game in encounter.games
        )

    def _may_pair(self) -> bool:
        number, current = len(self.rounds), self.rounds[-1] if self.rounds else []
        if number == self.settings.rounds or not all(each.is_decided for each in current):
            return False
        return len(self._past.present(number)) >= PLAYERS

    def _prepare(self) -> None:
        """Pair a round; pairs that have begun in an earlier run stay as they are."""
        self._prepared = self._begun_round() or self._paired()

    def _begun_round(self) -> RoundPairing | None:
        """Return the next round if all its pairs began in an earlier run; otherwise None."""
        begun = self._begun_pairs()
        if not begun:
            return None
        left = self._line_up() - {name for pair in begun for name in pair}
        return RoundPairing(tuple(begun), *left) if len(left) < PLAYERS else None

    def _paired(self) -> RoundPairing:
        return self._paired_among(self._line_up(), self._begun_pairs())

    def _paired_among(
        self, names: AbstractSet[str], begun: Collection[tuple[str, str]] = ()
    ) -> RoundPairing:
        """Return the pairing of the next round for these engines."""
        number, contest = len(self.rounds), self.contest
        seed = f"{contest.event} {contest.seed} {contest.game} {number}"
        after = self.settings.rounds - number - 1
        players = [player for player in self._players() if player.name in names]
        return pair_round(players, seed, after, begun)

    def _line_up(self) -> set[str]:
        """Return the engines that the next round is for: those not retired when it begins."""
        number = len(self.rounds)
        everybody, present = self._past.at_most(number), self._past.present(number)
        begun = set(self._begun_pairs())
        left = present - {name for pair in begun for name in pair}
        is_known = present == everybody or not self._past.has(number)
        if len(left) < PLAYERS or is_known or not is_installed():
            return present
        # It began in an earlier run, and its pairs show who was retired already.
        if begun and begun <= {*self._paired_among(present).pairs}:
            return present
        return everybody if begun <= {*self._paired_among(everybody).pairs} else present

    def _begun_pairs(self) -> list[tuple[str, str]]:
        """Return the pairs of the next round whose games began in an earlier run."""
        place = {player.name: place for place, player in enumerate(self._players())}
        return self._past.pairs_of(len(self.rounds), place)

    def recall(self, known: Mapping[str, PlayedGame]) -> None:
        """Begin the rounds that began in earlier runs, and learn their games by id."""
        while len(self.rounds) < self.settings.rounds:
            if (pairing := self._recalled()) is None:
                return
            self._begin(pairing)
            while self._waiting:
                scheduled = self._give()
                if scheduled.id in known:
                    self.learn(replace(known[scheduled.id], scheduled=scheduled))
                elif self.contest.gives_up(scheduled) or self.gave_up(scheduled):
                    self.drop(scheduled, int(scheduled.first in self.contest.retired))

    def _recalled(self) -> RoundPairing | None:
        """Return the next round without the pairs that are still to come; None if there is none.

        A retired engine has no games, so its opponents are found by pairing the round again.
        """
        if (whole := self._begun_round()) is not None:
            return whole
        number, retired = len(self.rounds), self.contest.retired
        if not self._past.has(number):
            return None
        begun = self._begun_pairs()
        if retired and self._may_pair() and is_installed():
            paired = self._paired()
            known = [pair for pair in paired.pairs if pair in begun or not retired.isdisjoint(pair)]
            return RoundPairing(tuple(known), paired.bye)
        return RoundPairing(tuple(begun))

    def _begin(self, pairing: RoundPairing) -> None:
        """Begin a round."""
        self._place = {player.name: place for place, player in enumerate(self._players())}
        self.rounds.append([])
        self.byes.append(pairing.bye)
        for one, other in pairing.pairs:
            self._add(one, other)

    def _add(self, one: str, other: str) -> None:
        """Begin an encounter of this round."""
        last = len(self.rounds) * self.settings.pairs
        games = [
            self._begun.get(key_of(scheduled), scheduled)
            for pair in range(last - self.settings.pairs + 1, last + 1)
            for scheduled in self.contest.pair(one, other, pair)
        ]
        encounter = Encounter(one, other, games)
        self.rounds[-1].append(encounter)
        self.rounds[-1].sort(key=lambda each: self._place[each.one])
        self._waiting.extend(games)
        self._whose |= {scheduled.id: encounter for scheduled in games}

    def _players(self) -> list[PairedPlayer]:
        """Return the engines by points, those with equal points in the order of entry."""
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
        """The points for a bye."""
        return 2 * self.settings.pairs

    def _byes_that_count(self) -> list[str | None]:
        """Return the byes without those of engines that are retired and did not play later."""
        return [
            bye if bye not in self.contest.retired or self._plays_after(bye, number) else None
            for number, bye in enumerate(self.byes, start=1)
        ]

    def _plays_after(self, name: str | None, number: int) -> bool:
        """Return whether an engine played in a round after these."""
        return any(
            name in (each.one, each.other) and self._is_played(each)
            for encounters in self.rounds[number:]
            for each in encounters
        )

    def _encounters(self) -> list[Encounter]:
        return [encounter for encounters in self.rounds for encounter in encounters]

    def _standings(self) -> list[SwissStanding]:
        byes = self._byes_that_count()
        return swiss_standings(self.contest.engines, self._encounters(), byes, self.bye)

    def verdict(self) -> str:
        """Return why a round could not end, if some rounds are left."""
        over = sum(all(each.is_decided for each in encounters) for encounters in self.rounds)
        if over == self.settings.rounds:
            return ""
        held_up = any(encounter.is_void for encounter in self._encounters())
        why = ": a void game must be played again first" if held_up else ""
        rounds = counted(self.settings.rounds, "round")
        return f"{over} of {rounds} {'is' if over == 1 else 'are'} over{why}"

    def reports(self) -> dict[str, SwissReport | None]:
        """Return the standings with their tie-breaks, once a round has begun."""
        report = SwissReport(self._standings(), self.bye if any(self._byes_that_count()) else None)
        return {str(self.contest.game): report if self.rounds else None}

    def facts(self) -> dict[str, Any]:
        """Return the standings and the encounters as plain values for JSON."""
        return swiss_facts(self._standings(), self.rounds, self._byes_that_count())
