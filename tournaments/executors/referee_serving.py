"""The inside of a referee process: it plays the games it receives until it must finish.

It ignores the signals that control a run: the process that started it handles pausing, resuming and
stopping. When that process dies, it kills its engines and ends.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from oddly.referee.justice.outcome import first_error
from oddly.referee.program.orphans import kill_our_engines
from oddly.tournaments.executors.executor import LocalExecutor, local_executor
from oddly.tournaments.executors.referee_messages import (
    MAX_FAREWELL,
    Assignment,
    Beat,
    BrokenDown,
    Finish,
    GameEnded,
    GiveUp,
    Instructions,
    Link,
    PlaceFree,
    Ready,
    TurnsTold,
    TurnTold,
    framed,
)
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_from

if TYPE_CHECKING:
    import socket

    from oddly.referee import GameRecord, Snapshot

BEAT = 1.0
BATCH = 0.02
"""Seconds over which turns are gathered into one message."""
PR_SET_PDEATHSIG = 1
DEAF_TO = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def serve(connection: socket.socket) -> None:
    """Be the referee process at this end of `connection`, until it must finish."""
    for name in DEAF_TO:
        number = getattr(signal, name)
        # A handler, because engines would inherit an ignored signal.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _hear_nothing)
    _wake_when_orphaned()
    last_words = connection.dup()
    try:
        trio.run(_Referee(Link(connection)).run)
    except BaseException as error:
        with suppress(OSError):
            last_words.settimeout(MAX_FAREWELL)
            last_words.sendall(framed(BrokenDown(_in_words(error))))
        raise


def _hear_nothing(*_: object) -> None:
    return


def _wake_when_orphaned() -> None:
    """Resume when the starting process dies, even if this one was stopped (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGCONT)


def _in_words(error: BaseException) -> str:
    """Return the message of an error inside trio's exception groups."""
    first = first_error(error)
    return f"{type(first).__name__}: {first}"


class _Referee:
    """Plays the games that come through the link."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._running: dict[str, trio.CancelScope] = {}
        self._turns: list[TurnTold] = []
        self._has_turns = trio.Event()

    async def run(self) -> None:
        """Play until `Finish` comes; kill the engines if nobody is left to send it."""
        instructions = await self._link.receive()
        if not isinstance(instructions, Instructions):
            return
        async with trio.open_nursery() as background:
            background.start_soon(self._link.write)
            background.start_soon(self._beat)
            background.start_soon(self._tell_turns)
            conditions = replace(
                instructions.conditions,
                on_turn=self._note_turn if instructions.tells_turns else None,
            )
            async with (
                local_executor(instructions.configurations, conditions) as executor,
                trio.open_nursery() as games,
            ):
                self._link.send(Ready())
                await self._obey(executor, games)
                games.cancel_scope.cancel()
            background.cancel_scope.cancel()

    async def _obey(self, executor: LocalExecutor, games: trio.Nursery) -> None:
        """Handle messages until `Finish`, or until nothing more comes."""
        while (message := await self._link.receive()) is not None:
            if isinstance(message, Assignment):
                games.start_soon(self._play, executor, message)
            elif isinstance(message, GiveUp) and message.id in self._running:
                self._running[message.id].cancel()
            elif isinstance(message, Finish):
                return
        # The process that started us is dead.
        kill_our_engines()

    async def _play(self, executor: LocalExecutor, assignment: Assignment) -> None:
        scheduled = scheduled_from(assignment.scheduled)
        pool = executor.pool
        for name, faults in assignment.faults.items():
            pool.learn(name, faults, is_stuck=name in assignment.stuck)

        def ended(record: GameRecord) -> None:
            self._tell_turns_now()
            self._link.send(GameEnded(scheduled.id, record.as_json()))

        with trio.CancelScope() as scope:
            self._running[scheduled.id] = scope
            await executor.play_now(scheduled, ended)
        del self._running[scheduled.id]
        if not scope.cancelled_caught:
            stuck = tuple(filter(pool.is_stuck, assignment.faults))
            self._link.send(PlaceFree(scheduled.id, stuck, executor.failure))

    def _note_turn(self, scheduled: ScheduledGame, snapshot: Snapshot) -> None:
        turn, left = snapshot.last, snapshot.seconds_left
        self._turns.append(
            TurnTold(scheduled.id, turn.turn, turn.seconds, snapshot.mover, left, turn.evaluation)
        )
        self._has_turns.set()

    async def _tell_turns(self) -> None:
        """Report turns soon after they are played, several in one message if there are many."""
        while True:
            await self._has_turns.wait()
            await trio.sleep(BATCH)
            self._has_turns = trio.Event()
            self._tell_turns_now()

    def _tell_turns_now(self) -> None:
        if self._turns:
            self._link.send(TurnsTold(self._turns))
            self._turns = []

    async def _beat(self) -> None:
        while True:
            self._link.send(Beat())
            await trio.sleep(BEAT)
