"""Playing a plan: several games at once, each of which may bring others."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import trio

from referee.outcome import Termination
from tournaments.standings import PlayedGame

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from referee.record import GameRecord
    from tournaments.formats.plan import Plan
    from tournaments.hall import Hall
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
    """What came of a plan. `games` is how many there are in all, None if nobody knows."""

    games: int | None
    played: list[PlayedGame] = field(default_factory=list)
    records: list[GameRecord] = field(default_factory=list)
    interrupted: bool = False
    failure: str | None = None
    """What went wrong around the games, as the hall says."""

    def add(self, scheduled: ScheduledGame, record: GameRecord) -> None:
        """A game more."""
        self.played.append(PlayedGame(scheduled, record.outcome))
        self.records.append(record)

    def in_order(self) -> None:
        """Sort the games as they were scheduled."""
        order = sorted(range(len(self.played)), key=lambda i: self.played[i].scheduled.number)
        self.played = [self.played[i] for i in order]
        self.records = [self.records[i] for i in order]

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


async def run_plan(
    plan: Plan, opening_hall: AbstractAsyncContextManager[Hall], observer: Observer
) -> Run:
    """Play a plan's games in the hall, as many at once as it has seats, until the plan is over.

    On SIGINT or SIGTERM running games are finished and no new ones begun; on a second one running
    games are given up. Either way the hall is closed, and `interrupted` says so.
    """
    run = Run(plan.total)
    desk = _Desk(plan, observer, run)
    async with trio.open_nursery() as background:
        await background.start(_listen, run, observer, background)
        async with opening_hall as hall, trio.open_nursery() as seats:
            for _ in range(min(hall.seats, plan.total or hall.seats)):
                seats.start_soon(desk.seat, hall)
        run.failure = hall.failure
        background.cancel_scope.cancel()
    run.in_order()
    # A signal during the last games interrupted nothing.
    run.interrupted = run.interrupted and (desk.running > 0 or plan.next() is not None)
    return run


class _Desk:
    """Where the seats of a hall get their games and bring back the results."""

    def __init__(self, plan: Plan, observer: Observer, run: Run) -> None:
        self.plan = plan
        self.observer = observer
        self.run = run
        self.running = 0
        self.waiting = trio.lowlevel.ParkingLot()

    async def seat(self, hall: Hall) -> None:
        """Play one game after the other, waiting while the plan has none."""
        while (scheduled := await self.next()) is not None:
            self.running += 1
            self.observer.began(scheduled)
            self.end(scheduled, await hall.play(scheduled))

    async def next(self) -> ScheduledGame | None:
        """The next game; None if there will be none."""
        while not self.run.interrupted:
            if (scheduled := self.plan.next()) is not None or not self.running:
                return scheduled
            await self.waiting.park()
        return None

    def end(self, scheduled: ScheduledGame, record: GameRecord) -> None:
        """Have the game kept, then learnt; whoever waits may find that it brought new games."""
        self.run.add(scheduled, record)
        self.observer.ended(self.run.played[-1], record)
        self.plan.learn(scheduled, record.outcome)
        self.running -= 1
        self.waiting.unpark_all()


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
