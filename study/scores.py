"""Who won: by who moved first, by strength, and against copying strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from study.document import Column, StudyTable
from study.estimates import mean, share
from study.plan import Purpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.record import GameRecord
    from study.estimates import Estimate
    from study.plan import StudyPairing, StudyPlan
    from study.playing import GamesByPairing


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
    """Return the first player's share of the points between equals, weakest first."""
    rows = []
    for pairing in _of(plan, Purpose.EQUAL):
        records = played[pairing]
        rows.append((pairing.one, len(records), first_player_share(records), draw_share(records)))
    every = [record for pairing in _of(plan, Purpose.EQUAL) for record in played[pairing]]
    if len(rows) > 1:
        rows.append(("all", len(every), first_player_share(every), draw_share(every)))
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
        Column("first player's points", is_share=True),
        Column("turns"),
    )
    return StudyTable("ladder", "Strong against weak", columns, rows)


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
