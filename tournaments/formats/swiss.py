"""Swiss: in each round engines of equal score meet, and all results count.

A round begins when the one before is over. An encounter is one or more colour-swapped pairs of
games. If the number of engines is odd, one of them has a bye in each round, which is worth as much
as winning all games of an encounter.

Buchholz is the sum of the points of all opponents; Sonneborn-Berger is the sum of each opponent's
points times the share of the points won against it. In both, a bye counts as an opponent with the
engine's own points: the dummy opponent of FIDE's tie-break regulations (FIDE Handbook C.07, 2024).
"""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.games import MissingExtraError
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
from oddly.tournaments.formats.format_report import FormatReport, ReportTable
from oddly.tournaments.formats.plan import TWO, JointPlan, Plan, walkover
from oddly.tournaments.formats.swiss_pairing import (
    PairedPlayer,
    RoundPairing,
    check_installed,
    is_installed,
    pair_round,
)
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, begun_by_key, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Swiss(Format):
    """`rounds` rounds of encounters, each of `pairs` colour-swapped pairs of games."""

    name: ClassVar = "swiss"
    can_grow: ClassVar = frozenset({"rounds"})
    takes_engines: ClassVar = False
    takes_begun: ClassVar = True
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
        self.byes: list[str | None] = []
        """Who sits out in each round; None where all play, or where that is not known."""
        self._waiting: deque[ScheduledGame] = deque()
        self._whose: dict[str, Encounter] = {}
        self._prepared: RoundPairing | None = None
        self._begun = begun_by_key(contest.begun)

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
        return self._waiting.popleft() if self._waiting else None

    def learn(self, played: PlayedGame) -> None:
        """Note a result; the last one of a round ends the round."""
        self._whose[played.scheduled.id].learn(played)

    def drop(self, scheduled: ScheduledGame, winner: int) -> None:
        """Record a game that is not played as a win for `winner`."""
        self.learn(walkover(scheduled, winner))

    def _may_pair(self) -> bool:
        current = self.rounds[-1] if self.rounds else []
        return len(self.rounds) < self.settings.rounds and all(each.is_decided for each in current)

    def _prepare(self) -> None:
        """Pair a round; pairs that have begun in an earlier run stay as they are."""
        self._prepared = self._begun_round() or self._paired()

    def _begun_round(self) -> RoundPairing | None:
        """Return the next round if all its pairs began in an earlier run; otherwise None."""
        begun = self._begun_pairs(len(self.rounds))
        left = set(self.contest.engines) - {name for pair in begun for name in pair}
        return RoundPairing(tuple(begun), *left) if begun and len(left) < TWO else None

    def _paired(self) -> RoundPairing:
        number, contest = len(self.rounds), self.contest
        seed = f"{contest.event} {contest.seed} {contest.game} {number}"
        after = self.settings.rounds - number - 1
        return pair_round(self._players(), seed, after, self._begun_pairs(number))

    def _begun_pairs(self, number: int) -> list[tuple[str, str]]:
        """Return the pairs of a round whose games began in an earlier run, each engine once."""
        place = {player.name: place for place, player in enumerate(self._players())}
        found: dict[str, str] = {}
        for game in self.contest.begun:
            one, other = sorted((game.first, game.second), key=lambda name: place.get(name, -1))
            in_round = (game.round - 1) // self.settings.pairs == number
            are_free = not {one, other} & {*found, *found.values()}
            if in_round and are_free and {one, other} <= place.keys():
                found[one] = other
        return sorted(found.items(), key=lambda pair: place[pair[0]])

    def recall(self, known: Mapping[str, PlayedGame]) -> None:
        """Begin the rounds that began in earlier runs, and learn their games by id."""
        while len(self.rounds) < self.settings.rounds:
            if (pairing := self._recalled()) is None:
                return
            self._begin(pairing)
            while self._waiting:
                scheduled = self._waiting.popleft()
                if scheduled.id in known:
                    self.learn(replace(known[scheduled.id], scheduled=scheduled))
                elif self.contest.gives_up(scheduled):
                    self.drop(scheduled, int(scheduled.first in self.contest.retired))

    def _recalled(self) -> RoundPairing | None:
        """Return the next round without the pairs that are still to come; None if there is none.

        A retired engine has no games, so its opponents are found by pairing the round again.
        """
        if (whole := self._begun_round()) is not None:
            return whole
        number, retired = len(self.rounds), self.contest.retired
        begun = self._begun_pairs(number)
        is_later = all(
            (game.round - 1) // self.settings.pairs < number for game in self.contest.begun
        )
        if retired and self._may_pair() and is_installed():
            paired = self._paired()
            known = [pair for pair in paired.pairs if pair in begun or not retired.isdisjoint(pair)]
            if not is_later or len(known) == len(paired.pairs):
                return RoundPairing(tuple(known), paired.bye)
        return None if is_later else RoundPairing(tuple(begun))

    def _begin(self, pairing: RoundPairing) -> None:
        """Begin a round."""
        first = len(self.rounds) * self.settings.pairs
        encounters = [
            Encounter(
                one,
                other,
                [
                    self._begun.get(key_of(scheduled), scheduled)
                    for pair in range(first + 1, first + self.settings.pairs + 1)
                    for scheduled in self.contest.pair(one, other, pair)
                ],
            )
            for one, other in pairing.pairs
        ]
        self.rounds.append(encounters)
        self.byes.append(pairing.bye)
        for encounter in encounters:
            self._waiting.extend(encounter.games)
            self._whose |= {scheduled.id: encounter for scheduled in encounter.games}

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

    def _encounters(self) -> list[Encounter]:
        return [encounter for encounters in self.rounds for encounter in encounters]

    def _standings(self) -> list[SwissStanding]:
        return swiss_standings(self.contest.engines, self._encounters(), self.byes, self.bye)

    def verdict(self) -> str:
        """Return why a round could not end, if some rounds are left."""
        over = sum(all(each.is_decided for each in encounters) for encounters in self.rounds)
        if over == self.settings.rounds:
            return ""
        held_up = any(encounter.is_void for encounter in self._encounters())
        why = ": a void game must be played again first" if held_up else ""
        return f"{over} of {self.settings.rounds} rounds are over{why}"

    def reports(self) -> dict[str, SwissReport | None]:
        """Return the standings with their tie-breaks, once a round has begun."""
        report = SwissReport(self._standings(), self.bye if any(self.byes) else None)
        return {str(self.contest.game): report if self.rounds else None}

    def facts(self) -> dict[str, Any]:
        """Return the standings and the encounters as plain values for JSON."""
        return swiss_facts(self._standings(), self.rounds, self.byes)


@dataclass(frozen=True, slots=True)
class SwissStanding:
    """An engine's place. `points` include those of `byes`; `rounds` are those with an opponent."""

    rank: int
    name: str
    rounds: int
    points: float
    buchholz: float
    sonneborn_berger: float
    byes: int


def swiss_standings(
    engines: Sequence[str], encounters: Sequence[Encounter], byes: Sequence[str | None], bye: int
) -> list[SwissStanding]:
    """Return the engines from first to last; engines equal in all criteria share a rank.

    A bye is worth `bye` points.
    """
    points = {name: float(byes.count(name) * bye) for name in engines}
    for encounter in encounters:
        for name in (encounter.one, encounter.other):
            points[name] += encounter.points_of(name)
    buchholz = {name: byes.count(name) * points[name] for name in engines}
    sonneborn_berger = dict(buchholz)
    rounds = dict.fromkeys(engines, 0)
    for encounter in encounters:
        for name in (encounter.one, encounter.other):
            theirs = points[encounter.opponent_of(name)]
            rounds[name] += 1
            buchholz[name] += theirs
            sonneborn_berger[name] += theirs * encounter.points_of(name) / len(encounter.games)

    def merit(name: str) -> tuple[float, float, float]:
        return points[name], buchholz[name], round(sonneborn_berger[name], 6)

    table: list[SwissStanding] = []
    for place, name in enumerate(sorted(engines, key=merit, reverse=True), start=1):
        shared = table and merit(table[-1].name) == merit(name)
        table.append(
            SwissStanding(
                table[-1].rank if shared else place,
                name,
                rounds[name],
                *merit(name),
                byes.count(name),
            )
        )
    return table


def swiss_facts(
    table: Sequence[SwissStanding],
    rounds: Sequence[Sequence[Encounter]],
    byes: Sequence[str | None],
) -> dict[str, Any]:
    """Return the standings and the encounters of each round as plain values for JSON."""
    return {
        "standings": [asdict(row) for row in table],
        "rounds": [
            {"encounters": [encounter.facts() for encounter in encounters], "bye": bye}
            for encounters, bye in zip(rounds, byes, strict=True)
        ],
    }


@dataclass(frozen=True, slots=True)
class SwissReport(FormatReport):
    """Standings with their tie-breaks. `bye_points` is None if nobody had a bye."""

    standings: Sequence[SwissStanding]
    bye_points: int | None

    def table(self) -> ReportTable:
        """Return one row for each engine, best first."""
        return ReportTable(
            "Swiss standings",
            ("", "engine", "rounds", "points", "Buchholz", "Sonneborn-Berger", "byes"),
            [
                (
                    row.rank,
                    row.name,
                    row.rounds,
                    row.points,
                    row.buchholz,
                    row.sonneborn_berger,
                    row.byes,
                )
                for row in self.standings
            ],
            "" if self.bye_points is None else f"{self.bye_points} points for a bye",
        )
