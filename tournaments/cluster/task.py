"""The task of a worker: one game, from an order to a record. It knows nothing of the cluster.

A worker does not run this in its main thread, so nothing here may touch signal handlers. It may
play the same game twice, which the executor sorts out.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import trio

from oddly.games.version import VERSION
from oddly.tournaments.executor import Conditions, local_executor
from oddly.tournaments.ledger.scheduled import scheduled_from

if TYPE_CHECKING:
    from oddly.referee.justice.record import GameRecord
    from oddly.referee.program.configuration import EngineConfiguration


@dataclass(frozen=True, slots=True)
class Order:
    """A game to play. It travels by pickle between machines with one version of oddly."""

    scheduled: dict[str, Any]
    """What `scheduled_facts` returns."""
    players: tuple[EngineConfiguration, EngineConfiguration]
    conditions: Conditions = field(default_factory=Conditions)
    wants_log: bool = False


@dataclass(frozen=True, slots=True)
class Delivery:
    """A game that was played: its record as values for JSON, and its wire logs by file name."""

    record: dict[str, Any]
    logs: dict[str, bytes]


def our_version() -> str:
    """Return the version of oddly that is installed on this machine."""
    return VERSION


def play_order(order: Order) -> Delivery:
    """Play the game here with newly started engines, and return its result."""
    with TemporaryDirectory(prefix="oddly-") as place:
        directory = Path(place) if order.wants_log else None
        conditions = replace(order.conditions, concurrency=1, log_directory=directory)
        record = trio.run(_play, order, conditions)
        logs = {file.name: file.read_bytes() for file in Path(place).iterdir()}
    return Delivery(replace(record, host=platform.node()).as_json(), logs)


async def _play(order: Order, conditions: Conditions) -> GameRecord:
    configurations = {player.name: player for player in order.players}
    async with local_executor(configurations, conditions) as executor:
        return await executor.play(scheduled_from(order.scheduled))
