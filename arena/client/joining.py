"""The loop around the machine, which keeps connecting and carries out the machine's effects.

The pauses between attempts are short at first, then longer, and vary at random.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import trio

from oddly.arena.client.connection import connected
from oddly.arena.client.events import (
    ClientEvent,
    Cut,
    Effect,
    EngineFailed,
    FindOut,
    Forget,
    Joined,
    LeaveArena,
    Left,
    Noted,
    Redial,
    SendMessage,
    SetGameUp,
    Tell,
    TellEnd,
    Think,
)
from oddly.arena.client.identity import rules_of
from oddly.arena.client.machine import ClientMachine, Phase
from oddly.arena.wire.members import Message
from oddly.arena.wire.messages import Hello
from oddly.referee import EngineFault
from oddly.referee.bridge.address import BridgeError
from oddly.referee.justice.outcome import VoidGame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oddly.arena.client.connection import ArenaAddress, ArenaConnection, OpenStream
    from oddly.arena.client.engine import ArenaEngine


FIRST_PAUSE, MAX_PAUSE = 0.2, 60.0
"""Seconds before the first attempt after a cut, and between attempts at most; varied by half."""


class Pauses:
    """A series of pauses; call `begin_anew` when an attempt has succeeded."""

    def __init__(self) -> None:
        self._next = FIRST_PAUSE

    def begin_anew(self) -> None:
        """Begin with a short pause again."""
        self._next = FIRST_PAUSE

    def next(self) -> float:
        """Return the seconds to wait before the next attempt."""
        pause, self._next = self._next, min(2 * self._next, MAX_PAUSE)
        return min(MAX_PAUSE, pause * random.uniform(0.5, 1.5))


SILENCE, SILENCE_IN_GAME = 30.0, 10.0
"""Seconds of silence after which to give up a connection, without and with a game."""
UNTIL_HELLO = 10.0
FLUSH = 2.0
"""Seconds for the last messages before the client leaves."""
LAST_WAIT = 60.0
"""Seconds for which a client that wants to leave waits for an arena that is away."""
GONE = f"the arena was away for {LAST_WAIT:.0f} s; the game is lost when its clock is over"


class Joining:
    """Keeps an engine at an arena until its owner, its number of games or the arena ends the visit.

    `told` is called with each event. `open_stream` replaces TCP and TLS in tests. With `waits`, an
    arena that has never answered counts as away; otherwise its address counts as wrong.
    """

    def __init__(
        self,
        machine: ClientMachine,
        engine: ArenaEngine,
        address: ArenaAddress,
        told: Callable[[ClientEvent], None],
        open_stream: OpenStream | None = None,
        *,
        waits: bool = False,
    ) -> None:
        self.machine = machine
        self._engine = engine
        self._address = address
        self._told = told
        self._open_stream = open_stream
        self._pauses = Pauses()
        self._outbox: trio.MemorySendChannel[Message] | None = None
        self._connection = trio.CancelScope()
        self._pause = trio.CancelScope()
        self._visit = trio.CancelScope()
        self._tasks, self._next_tasks = trio.open_memory_channel[Effect](math.inf)
        self._task = trio.CancelScope()
        self._leaving = trio.Event()
        self._problem = ""
        self._redial: Redial | None = None
        self._was_greeted = False
        self._waits = waits
        self._found_out = trio.Event()
        """Whether the engine has answered every question about what it plays."""
        self._found_out.set()

    async def run(self) -> str:
        """Play until it is time to leave, and stop the engine; return what is wrong, or ""."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve_engine)
                with self._visit:
                    await self._connect_for_ever()
                if self._visit.cancelled_caught:
                    self._leave("" if self.machine.table is None else GONE)
                nursery.cancel_scope.cancel()
        finally:
            await self._engine.stop()
        if self.machine.has_joined:
            self._told(Left(self.machine.games, self._problem))
        return self._problem

    # The owner, at any time.

    def rest(self) -> None:
        """Leave after the present game; an arena that is away has LAST_WAIT to go on with it."""
        self._do(self.machine.rest())
        self._bound_wait()

    def resign(self) -> None:
        """Resign the present game and leave."""
        self._do(self.machine.resign())
        self._bound_wait()

    def leave(self, problem: str = "") -> None:
        """Leave at once, even during a game."""
        self._do([LeaveArena(problem)])

    def engine_failed(self, why: str) -> None:
        """Tell the owner that the engine failed and is started again."""
        self._told(EngineFailed(why))

    # The machine's effects.

    def _do(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case SendMessage(message):
                    if self._outbox is not None:
                        self._outbox.send_nowait(message)
                case Tell(event):
                    if isinstance(event, Joined):
                        self._pauses.begin_anew()
                        self._visit.deadline = math.inf
                    self._told(event)
                case Forget():
                    self._forget()
                case Redial():
                    self._redial = effect
                    self._connection.cancel()
                case LeaveArena(problem):
                    self._leave(problem)
                case FindOut() | SetGameUp() | Think() | TellEnd():
                    self._give(effect)

    def _give(self, task: Effect) -> None:
        """Have the engine do something after everything that it was given before."""
        if isinstance(task, FindOut):
            self._found_out = trio.Event()
        self._tasks.send_nowait(task)

    def _forget(self) -> None:
        """Stop what the engine does, and what it was to do next."""
        self._found_out.set()
        while self._next_tasks.statistics().current_buffer_used:
            self._next_tasks.receive_nowait()
        self._task.cancel()

    def _leave(self, problem: str) -> None:
        if self._leaving.is_set():
            return
        self._problem = problem
        self._leaving.set()
        self._found_out.set()
        if self._outbox is None:
            self._connection.cancel()
        else:
            # The last messages still go out.
            self._outbox.close()
            self._outbox = None

    # The connection.

    async def _connect_for_ever(self) -> None:
        while not self._leaving.is_set():
            why = await self._connect()
            self._outbox = None
            self.machine.broken()
            if self._leaving.is_set():
                return
            self._bound_wait()
            if not (self._was_greeted or self._waits or self._redial):
                self._leave(why)
                return
            asked, self._redial = self._redial, None
            if not self._found_out.is_set():
                # The engine takes longer to say what it plays than the arena waits for `join`.
                await self._found_out.wait()
                continue
            pause = self._pauses.next()
            if asked is not None and asked.after is not None:
                pause = asked.after
            self._told(Cut(why, pause))
            with trio.move_on_after(pause) as self._pause:
                await self._leaving.wait()

    def _bound_wait(self) -> None:
        """If the owner wants to leave an arena that is away, bound the wait and reconnect now."""
        is_bounded = self._visit.deadline < math.inf or self._leaving.is_set()
        if self.machine.is_away and self.machine.wants_rest and not is_bounded:
            self._visit.deadline = trio.current_time() + LAST_WAIT
            self._pauses.begin_anew()
            self._pause.cancel()
            self.note(f"the arena is away; leaving in {LAST_WAIT:.0f} s unless it is back")

    async def _connect(self) -> str:
        """Connect once, and talk until the connection ends; return why it ended."""
        try:
            with trio.CancelScope() as self._connection:
                async with connected(self._address, self._open_stream) as connection:
                    self.machine.connected()
                    return await self._talk(connection)
        except BridgeError as error:
            return str(error)
        return self._redial.why if self._redial else "the connection was closed"

    async def _talk(self, connection: ArenaConnection) -> str:
        """Send and receive until either ends; return why."""
        self._outbox, outgoing = trio.open_memory_channel[Message](math.inf)
        why = ""
        async with trio.open_nursery() as nursery:

            async def send_all() -> None:
                nonlocal why
                try:
                    async for message in outgoing:
                        await connection.send(message)
                except BridgeError as error:
                    why = str(error)
                nursery.cancel_scope.cancel()

            async def leave_in_time() -> None:
                await self._leaving.wait()
                await trio.sleep(FLUSH)
                nursery.cancel_scope.cancel()

            nursery.start_soon(send_all)
            nursery.start_soon(leave_in_time)
            try:
                await self._hear_all(connection)
            except BridgeError as error:
                why = str(error)
            except trio.TooSlowError:
                why = "the arena is silent"
            nursery.cancel_scope.cancel()
        return why

    async def _hear_all(self, connection: ArenaConnection) -> None:
        """Hand every message to the machine. Raises BridgeError, and TooSlowError at silence."""
        while not self._leaving.is_set():
            with trio.fail_after(self._patience()):
                message = await connection.receive()
            self._was_greeted |= isinstance(message, Hello)
            self._do(self.machine.heard(message))
        await trio.sleep_forever()

    def _patience(self) -> float:
        if not self._was_greeted:
            return UNTIL_HELLO
        return SILENCE_IN_GAME if self.machine.phase is Phase.PLAYING else SILENCE

    # The engine.

    async def _serve_engine(self) -> None:
        async for task in self._next_tasks:
            with trio.CancelScope() as self._task:
                await self._carry_out(task)

    async def _carry_out(self, task: Effect) -> None:
        match task:
            case FindOut():
                await self._find_out(task)
            case SetGameUp(table):
                try:
                    await self._engine.set_up(table)
                except EngineFault as fault:
                    self._do(self.machine.failed(table.id, fault.reason))
                else:
                    self._do(self.machine.is_set(table.id))
            case Think(table):
                try:
                    answer = await self._engine.think(task)
                except EngineFault as fault:
                    self._do(self.machine.failed(table.id, fault.reason))
                    return
                self._do(
                    self.machine.answered(
                        table.id, table.number, answer.turn, answer.took, answer.evaluation
                    )
                )
            case TellEnd(table, end):
                await self._engine.hear_end(table, end)

    async def _find_out(self, task: FindOut) -> None:
        """Ask the engine what it plays."""
        reasons: dict[str, str] = {}
        for offer in task.pools:
            try:
                reasons[rules_of(offer)] = await self._engine.refusal(
                    offer, is_named=task.are_named
                )
            except (EngineFault, VoidGame) as fault:
                self._leave(f"the engine does not say what it plays: {fault.reason}")
                break
        else:
            self._do(self.machine.found_out(reasons))
        self._found_out.set()

    def note(self, text: str) -> None:
        """Tell the owner a sentence."""
        self._told(Noted(text))
