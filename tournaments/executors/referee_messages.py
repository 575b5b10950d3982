"""The messages between the planning process and a referee process, and the socket for them.

Both run the same code on the same machine, and the socket between them has no name that an engine
could open.
"""

from __future__ import annotations

import pickle
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.protocol import TurnEvaluation
    from oddly.referee import EngineConfiguration
    from oddly.tournaments.executors.conditions import Conditions


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


HEAD = 4
"""The bytes before each message, which hold its length."""
CHUNK = 1 << 16
MAX_FAREWELL = 1.0
"""Seconds for writing the last message of a process."""


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
