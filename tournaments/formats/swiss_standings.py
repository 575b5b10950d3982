"""The standings of a Swiss tournament: points, then Buchholz, then Sonneborn-Berger.

Buchholz is the sum of the points of all opponents; Sonneborn-Berger is the sum of each opponent's
points times the share of the points won against it. A bye counts in both as an opponent with the
engine's own points: the dummy opponent of FIDE's tie-break regulations (FIDE Handbook C.07, 2024).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.formats.encounter import Encounter


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
    engines: Sequence[str], encounters: Sequence[Encounter], byes: Sequence[str], bye: int
) -> list[SwissStanding]:
    """Return the engines from first to last; engines that are equal in everything share a rank.

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
    table: Sequence[SwissStanding], rounds: Sequence[Sequence[Encounter]], byes: Sequence[str]
) -> dict[str, Any]:
    """Return the standings and the encounters of each round as plain values for JSON."""
    return {
        "standings": [asdict(row) for row in table],
        "rounds": [
            {
                "encounters": [encounter.facts() for encounter in encounters],
                "bye": byes[number] if byes else None,
            }
            for number, encounters in enumerate(rounds)
        ],
    }
