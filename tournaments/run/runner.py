"""Playing a plan: several games at once, whose results may lead to other games."""

from __future__ import annotations

import math
import os
import signal
import stat
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.referee import Termination
from oddly.referee.justice.outcome import absent
from oddly.tournaments.ledger.rulings import Rulings
from oddly.tournaments.results.game_summary import GameSummary, game_summaries
from oddly.tournaments.results.schedule import PlayedGame, ScheduledGame, turns_digest
from oddly.tournaments.run.control import Control
from oddly.tournaments.run.observer import Observer, Observers
from oddly.tournaments.run.recording import RecordQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from oddly.referee import GameRecord
    from oddly.tournaments.executors.conditions import AbsenceCheck, EngineIsolation
    from oddly.tournaments.executors.executor import Executor
    from oddly.tournaments.formats.plan import Plan, Rest
    from oddly.tournaments.results.counts import EngineStatistics
    from oddly.tournaments.results.sequential import Question


SIGNALS = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
)

BETWEEN_LOOKS = 1.0
"""Seconds between checks for rulings while an engine rests."""

MAX_IDLE = 120.0
"""Seconds that a run with nothing else to play waits for engines that rest."""

PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 5.0, 5.0)
"""The pauses, in seconds, before a game that failed through our own fault is played again.

After the last pause, the game is left for another run, or the run waits for an exhausted machine.
"""


@dataclass(slots=True)
class Run:
    """The played games of a plan, with their results."""

    plan: Plan
    """The plan with everything it learnt, for its verdict and its reports."""
    games: int | None
    """How many games there are in all; None if that depends on results."""
    played: list[PlayedGame] = field(default_factory=list)
    """The games that ended, in the order of the schedule."""
    records: list[GameRecord] = field(default_factory=list)
    """The games that were played in this run."""
    records_by_id: dict[str, GameRecord] = field(default_factory=dict)
    """The records by the ids of games."""
    absent: Sequence[str] = ()
    """The engines still absent at the end, whose games were not all played."""
    interrupted: bool = False
    """Whether a signal or a call of `Control.stop` ended the run before its last game."""
    failures: list[str] = field(default_factory=list)
    """What went wrong without costing a game, such as a log: a sentence each."""
    engines: Sequence[str] = ()
    """The names of the engines in the order in which they were entered."""
    by_elo: bool = False
    """Whether engines are in the order of ratings, not of points."""
    statistics_by_title: Mapping[str, Mapping[str, EngineStatistics]] = field(default_factory=dict)
    """The statistics of each engine, by the title of the game and by its name."""
    rulings: Rulings = field(default_factory=Rulings)
    """The rulings of the arbiter, from the ledger."""
    annulled: int = 0
    """How many games a ruling annulled during the run."""
    isolation: EngineIsolation | None = None
    """Which engines were isolated; None where the machines of a cluster decide."""
    noticed: Sequence[str] = ()
    """The engines whose version differs from earlier games, in words."""

    def add(self, scheduled: ScheduledGame, record: GameRecord) -> None:
        """Add a game that ended."""
        self.keep(PlayedGame(scheduled, record.outcome, turns_digest(record)), record)

    def keep(self, played: PlayedGame, record: GameRecord) -> None:
        """Add a game whose result is known, with its record."""
        self.played.append(played)
        self.records.append(record)
        self.records_by_id[played.scheduled.id] = record

    def in_order(self) -> None:
        """Sort the games in the order of the schedule."""
        order = sorted(range(len(self.played)), key=lambda i: self.played[i].scheduled.number)
        self.played = [self.played[i] for i in order]
        self.records = [self.records[i] for i in order]

    def summaries(self, question: Question | None = None) -> list[GameSummary]:
        """Return a summary of the results of each game, with the tests of `question` if given."""
        return game_summaries(
            self.engines, self.played, self.statistics_by_title, question, by_elo=self.by_elo
        )

    @property
    def forfeits(self) -> int:
        """The number of games that were lost by a fault."""
        return sum(game.outcome.is_forfeit for game in self.played)

    @property
    def no_starts(self) -> int:
        """The number of games in which an engine could not start."""
        return sum(
            game.outcome.termination in (Termination.NO_START, Termination.VOID)
            for game in self.played
        ) + len(self.absent)


async def run_plan(
    plan: Plan,
    opening_executor: AbstractAsyncContextManager[Executor],
    observers: Observers | Sequence[Observer] = (),
    control: Control | None = None,
    *,
    handle_signals: bool = True,
    follow_rulings: Callable[[], None] | None = None,
    absence_check: AbsenceCheck | None = None,
) -> Run:
    """Play a plan's games in the executor, as many at once as `control` says; return the run.

    On SIGINT, SIGTERM or SIGHUP, running games finish and no new ones begin; on a second signal,
    running games are abandoned, as on SIGQUIT. Either way the executor is closed, and `interrupted`
    is set. A game that fails because of us is played again. SIGUSR1 pauses and resumes the run; on
    SIGUSR2 the number of games at once is read again. Without `handle_signals`, and outside the
    main thread, signals are left alone.

    `follow_rulings` is called before each choice of a game. With `absence_check`, a game from which
    an engine was absent counts for nobody, and the plan has it played later.
    """
    control = control or Control()
    run = Run(plan, plan.total)
    if not isinstance(observers, Observers):
        observers = Observers(observers, control.say)
    scheduler = _Scheduler(plan, observers, run, control, follow_rulings, absence_check)
    async with trio.open_nursery() as background:
        scheduler.background = background
        background.start_soon(scheduler.observers.attend)
        if handle_signals and threading.current_thread() is threading.main_thread():
            await background.start(_listen, control, background)
        async with opening_executor as executor, trio.open_nursery() as slots:
            control.open(executor.slots)
            while (scheduled := await scheduler.next()) is not None:
                slots.start_soon(scheduler.play, executor, scheduled)
        scheduler.queue.try_again()
        run.failures += [executor.failure] if executor.failure else []
        background.cancel_scope.cancel()
    run.failures += scheduler.observers.failures
    if words := scheduler.queue.last_words():
        control.say(words)
    run.in_order()
    run.absent = tuple(sorted(scheduler.absent))
    # A signal during the last games interrupted nothing.
    is_cut_short = control.stopping and (scheduler.is_open or not plan.is_done)
    # A game that we could not finish is played by the next run.
    run.interrupted = is_cut_short or any(game.outcome.is_abandoned for game in run.played)
    return run


@dataclass(eq=False)
class _Scheduler:
    """Gives games to an executor when they may begin, and collects the results."""

    plan: Plan
    observers: Observers
    run: Run
    control: Control
    follow_rulings: Callable[[], None] | None
    absence_check: AbsenceCheck | None
    background: trio.Nursery | None = None
    absent: set[str] = field(default_factory=set)
    """The engines that were absent when last needed."""
    resting: int = 0
    running: int = 0
    last_counted: float = field(default_factory=trio.current_time)
    """When the last game that counts ended, or the run began."""
    waiting: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)

    def __post_init__(self) -> None:
        self.queue = RecordQueue(self.observers, self.control, self._kept)
        self.control.listen(self.look_again)

    @property
    def is_open(self) -> bool:
        """Whether a game has begun but not ended, or was not recorded."""
        return self.running > 0 or bool(self.queue.unkept)

    async def next(self) -> ScheduledGame | None:
        """Return the next game as soon as it may begin; None if there will be none."""
        while not self.control.stopping:
            if self.follow_rulings is not None:
                self.follow_rulings()
                if self.control.stopping:
                    break
            self._begin_rests()
            if self.control.may_begin(self.running):
                if (prepare := self.plan.preparation()) is not None:
                    await _off_the_loop(prepare)
                    continue
                if (scheduled := self.plan.next()) is not None:
                    self.running += 1
                    return scheduled if await self.queue.announce(scheduled) else None
                if not self.running and not self._waits_for_engines():
                    return None
            with trio.move_on_after(BETWEEN_LOOKS if self.resting else math.inf):
                await self.waiting.park()
        return None

    def _begin_rests(self) -> None:
        """Begin the rests that the plan wants."""
        for rest in self.plan.rests():
            if self.background is not None:
                self.resting += 1
                self.background.start_soon(self._rest, rest)

    async def _rest(self, rest: Rest) -> None:
        await trio.sleep(rest.seconds)
        self.resting -= 1
        self.plan.wake(rest)
        self.look_again()

    def _waits_for_engines(self) -> bool:
        """Return whether a resting engine may still come back in time."""
        idle = trio.current_time() - self.last_counted
        return self.resting > 0 and self.plan.waits and idle < MAX_IDLE

    async def play(self, executor: Executor, scheduled: ScheduledGame) -> None:
        """Play the game, and replay it while it fails through our own fault."""
        reasons: list[str] = []
        ended = partial(self._ended, scheduled, reasons)
        record = await executor.play(scheduled, ended)
        for attempt in count():
            outcome = record.outcome
            if not outcome.is_abandoned or self.control.stopping:
                break
            if attempt < len(PAUSES):
                self.control.say(f"game {scheduled.number} is played again, since {outcome.reason}")
                reasons.append(outcome.reason)
            elif outcome.is_exhaustion:
                self.control.hold(outcome.reason)
            else:
                break
            await trio.sleep(PAUSES[min(attempt, len(PAUSES) - 1)])
            if self.control.stopping:
                break
            self.observers.began_again(scheduled)
            record = await executor.play(scheduled, ended)
        if record.outcome.is_abandoned:
            self.queue.keep(scheduled, record)
        elif self._is_in_doubt(record):
            await self._settle(scheduled, record, reasons)
        await self.queue.until_kept()
        self.running -= 1
        self.look_again()

    def _ended(self, scheduled: ScheduledGame, reasons: Sequence[str], record: GameRecord) -> None:
        """Record a game that has just ended, unless it is to be played again."""
        if not (record.outcome.is_abandoned or self._is_in_doubt(record)):
            self.queue.keep(scheduled, replace(record, abandoned=tuple(reasons)))

    def _is_in_doubt(self, record: GameRecord) -> bool:
        """Return whether an engine may have been absent, instead of losing."""
        return self.absence_check is not None and self.absence_check.is_in_doubt(record)

    async def _settle(
        self, scheduled: ScheduledGame, record: GameRecord, reasons: Sequence[str]
    ) -> None:
        """Record the game if both engines were present; otherwise put it off."""
        names = () if self.absence_check is None else await self.absence_check.absent(record)
        if not names:
            self.queue.keep(scheduled, replace(record, abandoned=tuple(reasons)))
            return
        outcome = absent(names, record.outcome.reason, record.outcome.turns)
        self.observers.ended(PlayedGame(scheduled, outcome), replace(record, outcome=outcome))
        self.plan.miss(scheduled, names)
        for name in names:
            if name not in self.absent:
                self.control.say(f"{one_line(name)} is absent, and its games wait for it")
        self.absent.update(names)

    def _kept(self, played: PlayedGame, record: GameRecord) -> None:
        """Count a recorded game; the plan learns its result, which may bring new games."""
        self.run.keep(played, record)
        self.plan.learn(played)
        if not record.outcome.is_void:
            self.last_counted = trio.current_time()
        for name in self.absent & set(record.players):
            self.control.say(f"{one_line(name)} is back")
            self.absent.discard(name)

    def look_again(self, _: str = "") -> None:
        """Check again whether a game may begin, since something has changed."""
        self.waiting.unpark_all()


async def _off_the_loop(calculate: Callable[[], None]) -> None:
    """Run a long calculation in a thread, or in this one if no other is available."""
    try:
        await trio.to_thread.run_sync(calculate)
    except RuntimeError:
        calculate()


def leave_dead_terminal() -> None:
    """Discard output to a terminal that is gone, instead of failing."""
    for descriptor in (0, 1, 2):
        with suppress(OSError):
            # A terminal that is gone is still a device, but does not answer.
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                nobody = os.open(os.devnull, os.O_RDWR)
                os.dup2(nobody, descriptor)
                os.close(nobody)


async def _listen(
    control: Control,
    background: trio.Nursery,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Stop gently on the first signal and at once on the second; others change how games run."""
    # Under nohup SIGHUP is ignored, and stays so.
    handled = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    with trio.open_signal_receiver(*handled) as signals:
        task_status.started()
        async for number in signals:
            if number == signal.SIGHUP:
                leave_dead_terminal()
            if number == signal.SIGUSR1:
                control.pause_or_resume()
            elif number == signal.SIGUSR2:
                control.reread()
            elif control.stopping or number == signal.SIGQUIT:
                control.stopping = True
                background.cancel_scope.cancel()
            else:
                control.stop()
