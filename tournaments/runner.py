"""Playing a schedule: several games at once, each an independent referee of two processes."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio

from referee.match import play_game
from referee.outcome import Termination
from tournaments.standings import PlayedGame

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.limits import Limits
    from referee.player import Contestant
    from referee.record import GameRecord
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


async def run_schedule(
    schedule: Sequence[ScheduledGame],
    contestants: Mapping[str, Contestant],
    observer: Observer,
    concurrency: int | None = None,
    limits: Limits | None = None,
) -> Run:
    """Play all games, `concurrency` at once (by default one per core), in the schedule's order.

    On SIGINT or SIGTERM running games are finished and no new ones begun; on a second one running
    games are given up. Either way every engine is seen out, and `interrupted` says so.
    """
    run = Run(len(schedule))
    waiting = iter(schedule)

    async def seat(waiting: Iterator[ScheduledGame]) -> None:
        for scheduled in waiting:
            if run.interrupted:
                return
            observer.began(scheduled)
            players = contestants[scheduled.first], contestants[scheduled.second]
            record = await play_game(scheduled.game, players, scheduled.seed, limits)
            played = PlayedGame(scheduled, record.outcome)
            run.played.append(played)
            run.records.append(record)
            observer.ended(played, record)

    async with trio.open_nursery() as listener:
        await listener.start(_listen, run, observer, listener)
        async with trio.open_nursery() as seats:
            for _ in range(min(concurrency or cores(), max(1, len(schedule)))):
                seats.start_soon(seat, waiting)
        listener.cancel_scope.cancel()
    order = sorted(range(len(run.played)), key=lambda i: run.played[i].scheduled.number)
    run.played[:] = [run.played[i] for i in order]
    run.records[:] = [run.records[i] for i in order]
    run.interrupted = run.interrupted and len(run.played) < run.games
    return run


async def _listen(
    run: Run,
    observer: Observer,
    listener: trio.Nursery,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Stop gently on the first signal, at once on the second."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            if run.interrupted:
                listener.cancel_scope.cancel()
            else:
                run.interrupted = True
                observer.stopping()


def cores() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
