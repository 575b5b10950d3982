"""The inside of a referee process, and the messages between it and the planning process.

Both processes run the same code on the same machine, and the socket between them has no name that
an engine could open.

The referee process plays the games it receives until it must finish. It ignores the signals that
control a run: the process that started it handles pausing, resuming and stopping. When that process
dies, it kills its engines and ends.
"""

from __future__ import annotations

import pickle
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from oddly.referee.justice.outcome import first_error
from oddly.referee.program.orphans import kill_our_engines
from oddly.tournaments.executors.executor import LocalExecutor, local_executor
from oddly.tournaments.results.schedule import ScheduledGame, scheduled_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.protocol import TurnEvaluation
    from oddly.referee import EngineConfiguration, GameRecord, Snapshot
    from oddly.tournaments.executors.conditions import Conditions


BEAT = 1.0
BATCH = 0.02
"""Seconds over which turns are gathered into one message."""
PR_SET_PDEATHSIG = 1
HEAD = 4
"""The bytes before each message, which hold its length."""
CHUNK = 1 << 16
MAX_FAREWELL = 1.0
"""Seconds for writing the last message of a process."""
DEAF_TO = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


@dataclass(frozen=True, slots=True)
class Instructions:
    """To a referee, first: what all its games have in common."""

    configurations: Mapping[str, EngineConfiguration]
    conditions: Conditions
    """Without `on_turn` and `say`, which stay in the planning process."""
    tells_turns: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """To a referee: a game to play."""

    scheduled: Mapping[str, Any]
    """The value of `scheduled_facts`."""
    faults: Mapping[str, int]
    """Faults in a row of both engines."""
    stuck: Sequence[str]
    """The engines that did not answer their last handshake."""


@dataclass(frozen=True, slots=True)
class GiveUp:
    """To a referee: end a game whose result nobody needs."""

    id: str


@dataclass(frozen=True, slots=True)
class Finish:
    """To a referee, last: give up all games, stop the engines, and end."""


@dataclass(frozen=True, slots=True)
class Ready:
    """From a referee, first: it can play."""


@dataclass(frozen=True, slots=True)
class Beat:
    """From a referee, repeatedly: it is alive."""


class TurnTold(NamedTuple):
    """A turn of a game, with everything in a `Snapshot` except the position."""

    id: str
    turn: str
    seconds: float
    mover: int
    seconds_left: tuple[float, float]
    evaluation: TurnEvaluation | None = None


class TurnsTold(NamedTuple):
    """From a referee: the turns of all its games since the last such message."""

    turns: Sequence[TurnTold]


@dataclass(frozen=True, slots=True)
class GameEnded:
    """From a referee: a game has ended, and its engines are still being released."""

    id: str
    record: Mapping[str, Any]
    """The value of `GameRecord.as_json`."""


@dataclass(frozen=True, slots=True)
class PlaceFree:
    """From a referee: everything a game needed is free again."""

    id: str
    stuck: Sequence[str]
    """Which of its engines did not answer their last handshake."""
    failure: str | None
    """What went wrong in this process without costing a game, such as a log."""


@dataclass(frozen=True, slots=True)
class BrokenDown:
    """From a referee, last: a bug of ours ended it."""

    reason: str


Message = (
    Instructions
    | Assignment
    | GiveUp
    | Finish
    | Ready
    | Beat
    | TurnsTold
    | GameEnded
    | PlaceFree
    | BrokenDown
)


class Link:
    """One end of the socket. `write` runs as a task for as long as messages are sent."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = trio.SocketStream(trio.socket.from_stdlib_socket(connection))
        self._unwritten = bytearray()
        self._has_more = trio.Event()
        self._unread = bytearray()

    def send(self, message: Message) -> None:
        """Queue a message to be written as soon as there is room. This never waits."""
        self._unwritten += framed(message)
        self._has_more.set()

    def send_now(self, message: Message) -> None:
        """Write the waiting messages and this one, as far as there is room. This never waits."""
        with suppress(OSError):
            self._connection.send(self._unwritten + framed(message), socket.MSG_DONTWAIT)

    async def write(self) -> None:
        """Write the queued messages until cancelled, or until nobody reads them."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                await self._has_more.wait()
                self._has_more = trio.Event()
                while self._unwritten:
                    data = bytes(self._unwritten)
                    self._unwritten.clear()
                    await self._stream.send_all(data)

    async def receive(self) -> Message | None:
        """Wait for a message, and return it; None at the end."""
        while (message := self._next()) is None:
            try:
                data = await self._stream.receive_some(CHUNK)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not data:
                return None
            self._unread += data
        return message

    def _next(self) -> Message | None:
        """Return the first complete message."""
        size = int.from_bytes(self._unread[:HEAD], "big") + HEAD
        if len(self._unread) < max(HEAD, size):
            return None
        message: Message = pickle.loads(self._unread[HEAD:size])  # noqa: S301 - we wrote it
        del self._unread[:size]
        return message


def framed(message: Message) -> bytes:
    """Return the bytes of a message on the socket."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(HEAD, "big") + data


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
