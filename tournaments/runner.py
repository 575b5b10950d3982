"""Playing a schedule: several games at once, each an independent referee of two processes."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import trio

from protocol.notation import parse_turn
from referee.lag import LagMeter
from referee.limits import Limits
from referee.match import play_pooled_game
from referee.outcome import Termination
from referee.pool import EnginePool, Restart
from referee.wire_log import open_log
from tournaments.standings import PlayedGame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from referee.player import Contestant
    from referee.record import GameRecord
    from referee.wire_log import WireLog
    from tournaments.schedule import ScheduledGame


class Observer(Protocol):
    """Who is told what happens."""

    def began(self, scheduled: ScheduledGame) -> None:
        """A game has begun."""

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """A game has ended."""

    def stopping(self) -> None:
        """Running games are being finished, and no more will begin."""


@dataclass(slots=True)
class Run:
    """What came of a schedule."""

    games: int
    played: list[PlayedGame] = field(default_factory=list)
    records: list[GameRecord] = field(default_factory=list)
    interrupted: bool = False
    log_failure: str | None = None
    """Why the wire logs are not complete, if they are not."""

    def in_order(self) -> None:
        """Sort the games as they were scheduled; a run that got through was not interrupted."""
        order = sorted(range(len(self.played)), key=lambda i: self.played[i].scheduled.number)
        self.played = [self.played[i] for i in order]
        self.records = [self.records[i] for i in order]
        self.interrupted = self.interrupted and len(self.played) < self.games

    def remember(
        self, schedule: Sequence[ScheduledGame], earlier: Mapping[str, GameRecord]
    ) -> None:
        """Add the games of the schedule that were played in earlier runs, by their ids."""
        self.games = len(schedule)
        for scheduled in schedule:
            if (record := earlier.get(scheduled.id)) is not None:
                self.played.append(PlayedGame(scheduled, record.outcome))
                self.records.append(record)
        self.in_order()

    @property
    def forfeits(self) -> int:
        """Games that were lost by a fault."""
        return sum(game.outcome.is_forfeit for game in self.played)

    @property
    def no_starts(self) -> int:
        """Games in which an engine could not start, whoever it was."""
        return sum(
            game.outcome.termination in (Termination.NO_START, Termination.VOID)
            for game in self.played
        )


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


async def run_schedule(
    schedule: Sequence[ScheduledGame],
    contestants: Mapping[str, Contestant],
    observer: Observer,
    conditions: Conditions | None = None,
) -> Run:
    """Play all games, several at once, begun in the schedule's order.

    On SIGINT or SIGTERM running games are finished and no new ones begun; on a second one running
    games are given up. Either way every engine is seen out, and `interrupted` says so.
    """
    conditions = conditions or Conditions()
    run = Run(len(schedule))
    async with trio.open_nursery() as background:
        await background.start(_listen, run, observer, background)
        hall = Hall(contestants, conditions, background)
        background.start_soon(hall.lag.beat)
        waiting = iter(schedule)
        try:
            async with trio.open_nursery() as seats:
                for _ in range(min(conditions.concurrency or cores(), max(1, len(schedule)))):
                    seats.start_soon(_seat, waiting, hall, run, observer)
        finally:
            await hall.pool.stop()
            background.cancel_scope.cancel()
    run.log_failure = hall.log_failure
    run.in_order()
    return run


class Hall:
    """Where games are played: the contestants, their running engines, and the lag meter."""

    def __init__(
        self,
        contestants: Mapping[str, Contestant],
        conditions: Conditions,
        background: trio.Nursery,
    ) -> None:
        self.contestants = contestants
        self.conditions = conditions
        self.lag = LagMeter()
        self.log_failure: str | None = None
        self.pool = EnginePool(
            background, conditions.limits, conditions.restart, conditions.patience
        )

    async def play(self, scheduled: ScheduledGame) -> GameRecord:
        """Play one game, with its log and the lag during it."""
        players = self.contestants[scheduled.first], self.contestants[scheduled.second]
        log = self._open_log(scheduled)
        watch = self.lag.watch()
        try:
            record = await play_pooled_game(
                self.pool,
                scheduled.game,
                players,
                scheduled.seed,
                log=log,
                opening=[parse_turn(turn) for turn in scheduled.opening],
            )
        finally:
            lag = watch.end()
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
        self.log_failure = self.log_failure or f"{place}: {reason}"


async def _seat(waiting: Iterator[ScheduledGame], hall: Hall, run: Run, observer: Observer) -> None:
    """Play one waiting game after the other."""
    for scheduled in waiting:
        if run.interrupted:
            return
        observer.began(scheduled)
        record = await hall.play(scheduled)
        played = PlayedGame(scheduled, record.outcome)
        run.played.append(played)
        run.records.append(record)
        observer.ended(played, record)


async def _listen(
    run: Run,
    observer: Observer,
    background: trio.Nursery,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Stop gently on the first signal, at once on the second."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            if run.interrupted:
                background.cancel_scope.cancel()
            else:
                run.interrupted = True
                observer.stopping()


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
