"""An executor whose games are played by the workers of a Dask cluster.

The rules, learnt the hard way by people who ran such clusters:

- Delivery is at least once: if a worker is lost after its game, the game is played again. The
  ledger keeps the first record of an id, and a task's name has the id in it, so that Dask itself
  does not run one twice at the same time.
- A result is released on arrival, because a future that is kept keeps its result on a worker.
- Dask gives a task to other workers when one dies, `allowed-failures` times. After that the game
  is void: the next run of the tournament plays it, and no engine is blamed.

A worker does not run this in its main thread, so nothing here may touch signal handlers. It may
play the same game twice, which the executor sorts out.
"""

from __future__ import annotations

import itertools
import platform
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import trio
from distributed import KilledWorker

from oddly.games.installation import VERSION
from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord
from oddly.tournaments.executors.cluster.address import ClusterError
from oddly.tournaments.executors.executor import Conditions, local_executor
from oddly.tournaments.executors.remote_games import FaultCount, unplayed
from oddly.tournaments.results.schedule import scheduled_facts, scheduled_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from distributed import Client, Future

    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.executors.executor import Ended
    from oddly.tournaments.results.schedule import ScheduledGame


class ClusterExecutor:
    """The workers of a cluster; `slots` is how many games they play at once."""

    def __init__(
        self,
        client: Client,
        configurations: Mapping[str, EngineConfiguration],
        conditions: Conditions,
        slots: int,
    ) -> None:
        self.slots = slots
        self.failure: str | None = None
        self._client = client
        self._configurations = configurations
        self._conditions = conditions
        self._faults = FaultCount(conditions)
        self._attempts = itertools.count(1)

    async def play(self, scheduled: ScheduledGame, ended: Ended | None = None) -> GameRecord:
        """Play the game on one of the workers. Raises ClusterError if the scheduler is gone."""
        record = await self._play(scheduled)
        if ended is not None:
            ended(record)
        return record

    async def _play(self, scheduled: ScheduledGame) -> GameRecord:
        players = self._configurations[scheduled.first], self._configurations[scheduled.second]
        future = self._client.submit(
            play_order,
            self._order(scheduled, players),
            key=f"oddly-{scheduled.id}-{next(self._attempts)}",
            pure=False,
            resources=dict.fromkeys(players[0].requires + players[1].requires, 1),
        )
        try:
            delivery = await _result(future)
        except KilledWorker as killed:
            reason = f"every worker that played it died: {killed}"
            return unplayed(scheduled, Outcome(None, None, "void", Termination.VOID, reason, 0))
        finally:
            future.release()
        record = GameRecord.from_json(delivery.record)
        self._keep_logs(delivery)
        self._faults.count(record)
        return record

    def _order(
        self, scheduled: ScheduledGame, players: tuple[EngineConfiguration, EngineConfiguration]
    ) -> Order:
        faults = self._faults.of(player.name for player in players)
        conditions = replace(
            self._conditions, log_directory=None, on_turn=None, say=None, faults=faults
        )
        wants_log = self._conditions.log_directory is not None
        return Order(scheduled_facts(scheduled), players, conditions, wants_log)

    def _keep_logs(self, delivery: Delivery) -> None:
        directory = self._conditions.log_directory
        for name, text in delivery.logs.items():
            if directory is None or self.failure is not None:
                return
            try:
                (directory / PurePath(name).name).write_bytes(text)
            except OSError as error:
                self.failure = f"cannot write logs to {directory}: {error.strerror}"


async def _result(future: Future) -> Delivery:
    """Wait for a result without a thread of our own. Raises what the task raised."""
    done, token = trio.Event(), trio.lowlevel.current_trio_token()

    def tell(_: Future) -> None:
        try:
            token.run_sync_soon(done.set)
        except trio.RunFinishedError:
            # The waiting task is gone.
            return

    future.add_done_callback(tell)
    try:
        await done.wait()
    except trio.Cancelled:
        future.cancel()
        raise
    if future.status in ("finished", "error"):
        result: Delivery = await trio.to_thread.run_sync(future.result)
        return result
    raise ClusterError("the cluster's scheduler is gone")


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
