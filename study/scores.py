"""Scores by the order of play, by strength, and against copying strategies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddly.study.document import Column, StudyTable
from oddly.study.estimates import mean, share, transformed
from oddly.study.fairness import Stage, simulations_of
from oddly.study.plan import Purpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.referee.justice.record import GameRecord
    from oddly.study.document import Cell
    from oddly.study.estimates import Estimate
    from oddly.study.plan import StudyPairing, StudyPlan
    from oddly.study.playing import GamesByPairing


def first_player_share(records: Sequence[GameRecord]) -> Estimate | None:
    """Return the first player's share of the points; a draw counts half. None without games."""
    return share(sum(_points(record, 0) for record in records), len(records))


def share_of(name: str, records: Sequence[GameRecord]) -> Estimate | None:
    """Return the share of the points of the player `name`; a draw counts half."""
    points = sum(_points(record, record.players.index(name)) for record in records)
    return share(points, len(records))


def draw_share(records: Sequence[GameRecord]) -> Estimate | None:
    """Return the share of drawn games."""
    return share(sum(record.outcome.winner is None for record in records), len(records))


def _points(record: GameRecord, seat: int) -> float:
    winner = record.outcome.winner
    return 0.5 if winner is None else float(winner == seat)


def balance_table(plan: StudyPlan, played: GamesByPairing) -> StudyTable:
    """Return the first player's share of the points between equals, weakest first.

    Strengths are not pooled: a game may be fair for weak players alone.
    """
    rows = []
    for pairing in _of(plan, Purpose.EQUAL):
        records = played[pairing]
        rows.append((pairing.one, len(records), first_player_share(records), draw_share(records)))
    columns = (
        Column("both players"),
        Column("games"),
        Column("first player's points", is_share=True),
        Column("drawn", is_share=True),
    )
    return StudyTable("balance", "Side balance at rising strength", columns, rows)


def ladder_table(plan: StudyPlan, played: GamesByPairing) -> StudyTable:
    """Return the results of each strength against the one below it."""
    rows = [
        (
            pairing.one,
            pairing.other,
            len(played[pairing]),
            share_of(pairing.one, played[pairing]),
            elo_cell(share_of(pairing.one, played[pairing])),
            elo_cell(share_of(pairing.one, played[pairing]), _doublings(pairing)),
            first_player_share(played[pairing]),
            mean([float(len(record.turns)) for record in played[pairing]]),
        )
        for pairing in _of(plan, Purpose.LADDER)
    ]
    columns = (
        Column("strong"),
        Column("weak"),
        Column("games"),
        Column("strong's points", is_share=True),
        Column("Elo", digits=0),
        Column("Elo a doubling", digits=0),
        Column("first player's points", is_share=True),
        Column("turns"),
    )
    note = (
        "Elo: 400 log10 of the odds of a point. A doubling is of the simulations of an action. "
        "Where one side won all games, the end of the interval is all that can be said."
    )
    return StudyTable("ladder", "Strong against weak", columns, rows, note)


def elo_cell(points: Estimate | None, doublings: float | None = 1.0) -> Cell:
    """Return a share of points as an Elo difference, divided by the number of doublings.

    None without games or doublings; `more than 300` where one side has all points.
    """
    if points is None or points.low is None or points.high is None or not doublings:
        return None
    if points.value in (0.0, 1.0):
        end = points.low if points.value else points.high
        return f"{'more' if points.value else 'less'} than {_elo(end) / doublings:.0f}"
    return transformed(points, lambda part: _elo(part) / doublings)


def _elo(share_of_points: float) -> float:
    return 400 * math.log10(share_of_points / (1 - share_of_points))


def _doublings(pairing: StudyPairing) -> float | None:
    strong, weak = simulations_of(pairing.one), simulations_of(pairing.other)
    return math.log2(strong / weak) if strong and weak else None


def stages(plan: StudyPlan, played: GamesByPairing) -> list[Stage]:
    """Return the games between equals of each strength that has a number of simulations."""
    found = []
    for pairing in _of(plan, Purpose.EQUAL):
        simulations, records = simulations_of(pairing.one), played[pairing]
        if simulations and records:
            points = sum(_points(record, 0) for record in records)
            found.append(Stage(simulations, points, len(records)))
    return found


def mirror_table(plan: StudyPlan, played: GamesByPairing) -> StudyTable:
    """Return the results of copying strategies."""
    rows = [
        (pairing.one, pairing.other, len(played[pairing]), share_of(pairing.one, played[pairing]))
        for pairing in _of(plan, Purpose.MIRROR)
    ]
    columns = (
        Column("strategy"),
        Column("against"),
        Column("games"),
        Column("its points", is_share=True),
    )
    note = (
        "Each answers the opponent's last turn with its image, or with a random turn where that is "
        "illegal"
    )
    if plan.game.start().most_drops:
        note += ", and begins in the centre"
    if any("exchanged" in pairing.one for pairing in plan.pairings):
        note += "; 'exchanged' drops a stone of the other colour"
    note += "."
    return StudyTable("mirrors", "Mirror and copy strategies", columns, rows, note)


def _of(plan: StudyPlan, purpose: Purpose) -> list[StudyPairing]:
    return [pairing for pairing in plan.pairings if pairing.purpose is purpose]
