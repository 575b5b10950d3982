"""What a Swiss reports: the standings with their tie-breaks, and who met whom.

Buchholz is the sum of the points of all opponents; Sonneborn-Berger is the sum of each opponent's
points times the share of the points won against it. In both, a bye counts as an opponent with the
engine's own points: the dummy opponent of FIDE's tie-break regulations (FIDE Handbook C.07, 2024).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.format_report import FormatReport, ReportTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.formats.format import Encounter


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
