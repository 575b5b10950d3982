"""An executor whose games are played by the workers of a Dask cluster.

The rules, learnt the hard way by people who ran such clusters:

- Delivery is at least once: if a worker is lost after its game, the game is played again. The
  ledger keeps the first record of an id, and a task's name has the id in it, so that Dask itself
  does not run one twice at the same time.
- A result is released on arrival, because a future that is kept keeps its result on a worker.
- Dask gives a task to other workers when one dies, `allowed-failures` times. After that the game
  is void: the next run of the tournament plays it, and no engine is blamed.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import trio
from distributed import KilledWorker

from oddly.referee.justice.outcome import Outcome, Termination
from oddly.referee.justice.record import GameRecord
from oddly.tournaments.cluster.address import ClusterError
from oddly.tournaments.cluster.task import Delivery, Order, play_order
from oddly.tournaments.elsewhere import FaultCount, unplayed
from oddly.tournaments.ledger.scheduled import scheduled_facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from distributed import Client, Future

    from oddly.referee.program.configuration import EngineConfiguration
    from oddly.tournaments.executor import Conditions, Ended
    from oddly.tournaments.schedule import ScheduledGame


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
