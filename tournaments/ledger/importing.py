"""Begins a ledger with games that were played before, such as those of a published study."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oddly.tournaments.ledger.ledger_file import new_ledger, utc_now
from oddly.tournaments.ledger.store import (
    INSERT_DEATH,
    INSERT_GAME,
    INSERT_HAPPENING,
    INSERT_PLAN,
    deaths_in,
    game_row,
    plan_row,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oddly.referee import GameRecord
    from oddly.tournaments.ledger.event_facts import Facts
    from oddly.tournaments.results.schedule import ScheduledGame


def import_games(
    path: Path, facts: Facts, games: Iterable[tuple[ScheduledGame, GameRecord]], source: str
) -> None:
    """Write a new ledger of an event with these games, or none if anything goes wrong.

    `source` says where they come from. Raises LedgerError if there is a file at `path`, or if it
    cannot be written.
    """
    now = utc_now()
    with new_ledger(path) as connection:
        connection.execute("insert into event values (?)", (json.dumps(facts),))
        for scheduled, record in games:
            connection.execute(INSERT_PLAN, plan_row(scheduled))
            connection.execute(INSERT_GAME, game_row(scheduled.id, record, now))
            connection.executemany(INSERT_DEATH, deaths_in(scheduled.id, record))
        connection.execute(INSERT_HAPPENING, (now, f"began with the games of {source}"))
