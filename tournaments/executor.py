"""Where games are played: an executor with seats, of which this machine is one."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

import trio

from protocol.notation import parse_turn
from referee.lag import LagMeter
from referee.limits import Limits
from referee.match import play_pooled_game
from referee.pool import EnginePool, Restart
from referee.wire_log import open_log

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from referee.player import EngineConfiguration
    from referee.record import GameRecord
    from referee.snapshot import Snapshot
    from referee.wire_log import WireLog
    from tournaments.schedule import ScheduledGame


class Executor(Protocol):
    """Whoever plays single games, so many at a time as `seats` says."""

    @property
    def seats(self) -> int:
        """How many games may run at once."""

    @property
    def failure(self) -> str | None:
        """What went wrong around the games and cost none, such as logs; one sentence."""

    async def play(self, scheduled: ScheduledGame) -> GameRecord:
        """Play one game to its end. Several are played at once; cancelling gives the game up."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How games are run. `concurrency` None means one game per core."""

    concurrency: int | None = None
    limits: Limits = field(default_factory=Limits)
    restart: Restart = Restart.ON_FAULT
    patience: int | None = 3
    """Faults in a row after which an engine is withdrawn; None for any number."""
    log_directory: Path | None = None
    """Where each game's wire log goes."""
    watch: Callable[[ScheduledGame, Snapshot], None] | None = None
    """Who sees the games, turn by turn."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Faults in a row that configurations come with."""


@asynccontextmanager
async def local_executor(
    configurations: Mapping[str, EngineConfiguration], conditions: Conditions | None = None
) -> AsyncIterator[LocalExecutor]:
    """An executor on this machine; leaving its `async with` block stops every engine."""
    async with trio.open_nursery() as background:
        executor = LocalExecutor(configurations, conditions or Conditions(), background)
        background.start_soon(executor.lag.beat)
        try:
            yield executor
        finally:
            await executor.pool.stop()
            background.cancel_scope.cancel()


class LocalExecutor:
    """This machine: the configurations, their running engines, and the lag meter."""

    def __init__(
        self,
        configurations: Mapping[str, EngineConfiguration],
        conditions: Conditions,
        background: trio.Nursery,
    ) -> None:
        self.configurations = configurations
        self.conditions = conditions
        self.lag = LagMeter()
        self.seats = conditions.concurrency or cores()
        self.failure: str | None = None
        self.pool = EnginePool(
            background,
            conditions.limits,
            conditions.restart,
            conditions.patience,
            faults=conditions.faults,
        )

    async def play(self, scheduled: ScheduledGame) -> GameRecord:
        """Play one game, with its log and the lag during it."""
        players = self.configurations[scheduled.first], self.configurations[scheduled.second]
        log = self._open_log(scheduled)
        lag_watch = self.lag.watch()
        watch = self.conditions.watch and partial(self.conditions.watch, scheduled)
        try:
            record = await play_pooled_game(
                self.pool,
                scheduled.game,
                players,
                scheduled.seed,
                watch,
                log,
                opening=[parse_turn(turn) for turn in scheduled.opening],
            )
        finally:
            lag = lag_watch.end()
        record = replace(record, outcome=replace(record.outcome, lag=lag))
        if log is not None:
            log.outcome(record.as_json())
            if log.failure is not None:
                self._note(scheduled, log.failure)
        return record

    def _open_log(self, scheduled: ScheduledGame) -> WireLog | None:
        if self.conditions.log_directory is None:
            return None
        name = f"{scheduled.number:05} {scheduled.game} {scheduled.first} {scheduled.second}"
        try:
            log = open_log(self.conditions.log_directory, name)
        except OSError as error:
            self._note(scheduled, error.strerror)
            return None
        log.header(
            {
                "id": scheduled.id,
                "game": scheduled.game.name,
                "size": scheduled.game.size,
                "settings": dict(scheduled.game.settings),
                "players": [scheduled.first, scheduled.second],
                "seed": scheduled.seed,
                "opening": list(scheduled.opening),
            }
        )
        return log

    def _note(self, scheduled: ScheduledGame, reason: str | None) -> None:
        """Keep the first reason why a log could not be written."""
        place = (
            f"cannot write logs to {self.conditions.log_directory} from game {scheduled.number} on"
        )
        self.failure = self.failure or f"{place}: {reason}"


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
