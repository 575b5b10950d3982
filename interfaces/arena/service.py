"""A running arena: its clock, its disk and its connections.

The clock stands still while the arena does. The disk has a thread of its own, so that a slow disk
delays only the messages that depend on it.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import ExitStack
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import trio

from oddly.arena.effects import Batch, Finished, LazyRows, OrderDone, Send
from oddly.arena.rulings import KeeperOrder, KnownGame, NotNowError, answer
from oddly.arena.store.rows import known_game, pending_orders
from oddly.interfaces.arena.endpoint import AWAY, POLICY, RESTART, EngineSocket
from oddly.interfaces.arena.event_log import report
from oddly.referee.justice.outcome import failure_text
from oddly.safe_files import UnusableFileError
from oddly.safe_files.sqlite_file import reason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from oddly.arena import Message
    from oddly.arena.arena import Arena
    from oddly.arena.store.store import ArenaStore

    Watcher = Callable[[Batch], None]

T = TypeVar("T")
TICK = 0.05
"""Seconds between two readings of the clock."""
STALL = 0.3
"""A pause of this many seconds between two readings means that the arena itself stood still."""


class ArenaClock:
    """The seconds that an arena has run, over all its runs.

    It stands still while the arena does not run, and while its process is stopped, so the player to
    move loses no time.
    """

    def __init__(self, base: float) -> None:
        self._base = base
        self._seen = self._since = trio.current_time()
        self._lost = 0.0

    def now(self) -> float:
        """Return the seconds of the arena's clock."""
        now = trio.current_time()
        if now - self._seen > STALL:
            self._lost += now - self._seen - TICK
        self._seen = now
        return self._base + now - self._since - self._lost


ORDERS_EVERY = 0.5


class ArenaFailure(Exception):
    """The arena cannot go on, as on a full disk. The message is one sentence."""


class ArenaService:
    """A running arena, with what its parts share."""

    def __init__(self, arena: Arena, store: ArenaStore, writer: WriterThread) -> None:
        self.arena = arena
        self.store = store
        self.clock = ArenaClock(store.heartbeat)
        self.last_write: float | None = None
        """Seconds that writing the last batch took; None if it had no rows."""
        self.watchers: list[Watcher] = []
        """Called with each batch once its rows are on the disk and its messages are sent."""
        self.chores: list[Callable[[], Awaitable[None]]] = []
        """Tasks that run as long as the arena, such as counting for its pages."""
        self.closing = ExitStack()
        """Closes what the arena has opened, such as files of its pages, once it has stopped."""
        self._writer = writer
        self._sockets: dict[int, EngineSocket] = {}
        self._changed = trio.Event()
        self._lazy = LazyRows()
        self._answered = trio.Event()
        """Set once the answer to the last order is on the disk."""

    def open(self, address: str, host: str, socket: EngineSocket) -> int:
        """Begin a session; return its number."""
        session = self.arena.open(address, host, self.clock.now())
        self._sockets[session] = socket
        self._changed.set()
        return session

    def excess(self, session: int, size: int) -> str:
        """Count bytes; return why they are too many, empty if they are not."""
        return self.arena.admits(session, size, self.clock.now())

    def hear(self, session: int, message: Message) -> None:
        """Handle a message."""
        self.arena.hear(session, message, self.clock.now())
        self._changed.set()

    def refuse(self, session: int, code: str, reason: str, again: float | None) -> None:
        """Refuse a session."""
        self.arena.refuse(session, code, reason, again)
        self._changed.set()

    def closed(self, session: int) -> None:
        """Note that a connection is gone."""
        self._sockets.pop(session, None)
        self.arena.closed(session)

    def changed(self) -> None:
        """Have the arena act soon on a page's request."""
        self._changed.set()

    async def keep_time(self) -> None:
        """Let the arena read its clock, many times a second."""
        while True:
            self.arena.tick(self.clock.now())
            self._changed.set()
            await trio.sleep(TICK)

    async def obey_orders(self) -> None:
        """Carry out the keeper's orders as they appear in the arena's file."""
        while True:
            await trio.sleep(ORDERS_EVERY)
            for order in await self._use_disk(self._orders):
                # An earlier order, which is on the disk by now, may have ruled on the same game.
                game = await self._use_disk(partial(self._game, order.name))
                try:
                    answer(self.arena, order, game, self.clock.now())
                except NotNowError:
                    continue
                self._answered = trio.Event()
                self._changed.set()
                await self._answered.wait()

    def _orders(self) -> list[KeeperOrder]:
        return pending_orders(self.store.file.connection)

    def _game(self, name: str) -> KnownGame | None:
        return known_game(self.store.file.connection, name)

    async def work(self, stop: trio.Event) -> None:
        """Write and send the arena's output, batch by batch, until `stop` is set.

        Events that occur while a batch is written go into the next. Raises ArenaFailure.
        """
        while True:
            is_last = stop.is_set()
            await self._do(self.arena.take())
            if is_last:
                await self._do(Batch(beats=True))
                return
            await self._changed.wait()
            self._changed = trio.Event()

    async def _do(self, batch: Batch) -> None:
        now = self.clock.now()
        self._lazy.go_with(batch, now)
        self.last_write = None
        if batch.must_be_written:
            began = trio.current_time()
            await self._use_disk(lambda: self.store.write(batch, now))
            self.last_write = trio.current_time() - began
            if any(isinstance(row, OrderDone) for row in batch.writes):
                self._answered.set()
            if any(isinstance(row, Finished) for row in batch.writes):
                self._writer.later(lambda: self._file(batch))
        for each in batch.out:
            socket = self._sockets.get(each.session)
            if socket is None:
                continue
            if isinstance(each, Send):
                socket.put(each.message.encoded())
            else:
                socket.close(AWAY if each.is_silent else POLICY)
        if batch.out or batch.asks:
            self.arena.sent(batch, self.clock.now())
        for watcher in [*self.watchers]:
            try:
                watcher(batch)
            except Exception as error:
                self.watchers.remove(watcher)
                report(f"a watcher failed and is told nothing more: {failure_text(error)}")

    async def _use_disk(self, work: Callable[[], T]) -> T:
        """Run `work` in the thread that owns the files; return its result. Raises ArenaFailure."""
        try:
            return await self._writer.run(work)
        except (sqlite3.Error, UnusableFileError) as error:
            said = reason(error) if isinstance(error, sqlite3.Error) else str(error)
            raise ArenaFailure(
                f"cannot use {self.store.folder}: {said}; all games go on when the arena is "
                "started again"
            ) from None

    def _file(self, batch: Batch) -> None:
        """Put finished games into their ledgers. If this fails, the next start does it."""
        try:
            self.store.file_games(batch)
        except (sqlite3.Error, UnusableFileError):
            return

    def say_goodbye(self) -> None:
        """Close all connections, since the arena restarts."""
        for socket in self._sockets.values():
            socket.close(RESTART)


class _Job:
    """A function to call, and its result."""

    def __init__(self, function: Callable[[], Any], *, is_awaited: bool = True) -> None:
        self.function = function
        self.done = trio.Event()
        self.is_awaited = is_awaited
        self.result: Any = None
        self.error: BaseException | None = None


class WriterThread:
    """Calls functions one after the other in one thread, which owns what they open.

    It must be made in a trio run, and stopped before that ends.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._token = trio.lowlevel.current_trio_token()
        self._thread = threading.Thread(target=self._work, name="arena writer", daemon=True)
        self._thread.start()

    async def run(self, function: Callable[[], T]) -> T:
        """Call a function in the thread, and return its result or raise its error.

        The call goes on even if the wait is cancelled.
        """
        job = _Job(function)
        self._jobs.put(job)
        await job.done.wait()
        if job.error is not None:
            raise job.error
        found: T = job.result
        return found

    def later(self, function: Callable[[], Any]) -> None:
        """Queue a function for the thread without waiting. It must not raise."""
        self._jobs.put(_Job(function, is_awaited=False))

    def stop(self) -> None:
        """End the thread after all queued functions."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job.result = job.function()
            except BaseException as error:
                job.error = error
            if job.is_awaited:
                try:
                    self._token.run_sync_soon(job.done.set)
                except trio.RunFinishedError:
                    return
