"""The rounds of a Swiss: what earlier runs tell about them, and the standings after them.

Buchholz is the sum of the points of all opponents; Sonneborn-Berger is the sum of each opponent's
points times the share of the points won against it. In both, a bye counts as an opponent with the
engine's own points: the dummy opponent of FIDE's tie-break regulations (FIDE Handbook C.07, 2024).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.plan import FormatReport, ReportTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.tournaments.formats.format import Contest, Encounter
    from oddly.tournaments.results.schedule import ScheduledGame


class SwissPast:
    """The games that began in earlier runs, and who was retired then. Rounds count from 0."""

    def __init__(self, contest: Contest, pairs: int) -> None:
        self._contest = contest
        self._pairs = pairs

    def has(self, number: int) -> bool:
        """Return whether a game of that round or a later one began."""
        return self._contest.last_round > number * self._pairs

    def since(self, number: int) -> list[ScheduledGame]:
        """Return the games of that round and later ones that began."""
        return [game for game in self._contest.begun if game.round > number * self._pairs]

    def pairs_of(self, number: int, place: Mapping[str, int]) -> list[tuple[str, str]]:
        """Return the pairs of a round whose games began, each engine once, in their places."""
        found: dict[str, str] = {}
        for game in self._contest.begun:
            one, other = sorted((game.first, game.second), key=lambda name: place.get(name, -1))
            are_free = not {one, other} & {*found, *found.values()}
            if self._round_of(game) == number and are_free and {one, other} <= place.keys():
                found[one] = other
        return sorted(found.items(), key=lambda pair: place[pair[0]])

    def at_most(self, number: int) -> set[str]:
        """Return the engines that no ruling kept from that round, as far as that is known."""
        retirements, later = self._contest.retirements, self.since(number + 1)
        out = {*retirements.when(self.since(number))}
        if later:
            # The others left the round before their first game.
            out |= {*retirements.when(later)}
        own = (game for game in self.since(number) if self._round_of(game) == number)
        return {*self._contest.engines} - (out - _names_in(own))

    def present(self, number: int) -> set[str]:
        """Return the engines that a round is for.

        If it is not known when an engine retired, it is not for that engine, unless the engine
        played then or later.
        """
        contest = self._contest
        at_any_time = contest.retired - {*contest.retirements.now}
        return self.at_most(number) - (at_any_time - _names_in(self.since(number)))

    def gave_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether a later round began while an engine in the game was retired."""
        if not self._contest.retirements.by_game:
            return False
        return self._contest.gave_up(scheduled, self.since(self._round_of(scheduled) + 1))

    def winner(self, scheduled: ScheduledGame) -> int:
        """Return who is not retired, or else retired later.

        If that is not known, each engine wins the games in which it is the second player.
        """
        contest, later = self._contest, self.since(self._round_of(scheduled) + 1)
        loser = contest.loser(scheduled.first, scheduled.second, later)
        if loser is not None:
            return int(loser == scheduled.first)
        # The one that played later stayed longer.
        first, second = (
            max(
                (game.round for game in contest.begun if name in (game.first, game.second)),
                default=0,
            )
            for name in (scheduled.first, scheduled.second)
        )
        return int(first <= second)

    def _round_of(self, scheduled: ScheduledGame) -> int:
        return (scheduled.round - 1) // self._pairs


def _names_in(games: Iterable[ScheduledGame]) -> set[str]:
    """Return the engines that play in these games."""
    return {name for game in games for name in (game.first, game.second)}


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
