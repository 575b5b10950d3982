"""A native engine's program behind GoGui's profile.

All this runs in a thread that answers GoGui's commands one by one. Trio runs the engine's process
in the main thread.
"""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from oddly.engines import CommandError, Engine, OptionError
from oddly.engines.dispatcher import Arguments, expect
from oddly.games import Colour, Drop, DropPosition, Drops, Game, Position, Turn
from oddly.interfaces.gogui.dispatcher import GoguiDispatcher
from oddly.interfaces.gogui.session import GoguiSession
from oddly.protocol import NO_CLOCK, Command, CommandDecoder, MalformedCommand, encode_reply
from oddly.referee import EngineFault, EngineSeat
from oddly.referee.program.channel import CHUNK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from typing import TypeVar, TypeVarTuple

    from trio.abc import ReceiveStream, SendStream

    from oddly.protocol import Evaluation, Resign, TimeControl
    from oddly.referee import EngineConfiguration, Limits

    Answer = TypeVar("Answer")
    Words = TypeVarTuple("Words")


class NativeEngine(Engine):
    """The engine of `seat`, which gets `patience` seconds for a turn.

    `name` is the file's name until the program reports its own.
    """

    options = ()

    def __init__(self, seat: EngineSeat, name: str, patience: float) -> None:
        super().__init__()
        self.name = name
        self.version = ""
        self.first: Position | None = None
        self.opening: Sequence[tuple[Colour, Turn]] | None = None
        self.turns: Sequence[tuple[Colour, Turn]] = ()
        self.is_known = False
        self._seat = seat
        self._patience = patience
        self._game: Game | None = None
        self._rates = True

    def prepare(self, game: Game) -> None:
        """Remember the game. The program hears of it when it is needed."""
        self._game = game

    def wait_until_ready(self) -> None:
        """Let a running program prepare now, before its clock starts."""
        if self._game is not None and self.first is None and self._seat.is_running:
            try:
                self._seat.set_time(self._control)
                self._await(self._seat.follow, self._game)
            except CommandError:
                # The next genmove tries again and reports a failure.
                return

    def new_game(self) -> None:
        """Forget the last game."""
        self.first, self.turns = None, ()

    def shake_hands(self) -> None:
        """Ask the program for its name and version. Raises CommandError if it fails."""
        self._await(self._seat.start)
        self.name = self._seat.engine_name or self.name
        self.version = self._seat.engine_version
        self.is_known = True

    def choose(self, position: Position) -> Turn | Resign:
        """Return the program's turn after `turns`, up to `position`. Raises CommandError."""
        past = self._past(self.first or position)
        self.shake_hands()
        left = None if self._control is NO_CLOCK else self.time.left.get(position.to_move)
        self._seat.set_time(self._control)
        turn, _ = self._await(self._seat.choose, position, past, self._patience, left)
        return turn

    def evaluate(self, at: DropPosition) -> Evaluation | None:
        """Return what the program thinks of `at`; None if it rates no positions.

        Raises CommandError if it cannot be asked.
        """
        past = self._past(self.first or at.start)
        self.shake_hands()
        if not self._rates or "evaluate" not in self._seat.commands:
            return None
        try:
            return self._await(self._seat.evaluate, at, past, self._patience)
        except CommandError:
            # A program that had to be stopped is not asked again, so it is not stopped again.
            self._rates = self._seat.is_running
            return None

    def set_option(self, name: str, text: str) -> None:
        """Set an option of the program. Raises OptionError if it refuses."""
        reply = self._await(self._seat.set_option, name, text)
        if not reply.ok:
            raise OptionError(reply.text)

    @property
    def chosen(self) -> Mapping[str, str]:
        """The options that the program gets when it starts, with their values."""
        return self._seat.configuration.options

    def list_options(self) -> str:
        """Return the program's options. Raises CommandError if it lists none."""
        reply = self._await(self._seat.ask, Command("list_options"))
        if not reply.ok:
            raise CommandError(reply.text)
        return reply.text

    def _past(self, first: Position) -> list[tuple[Colour, Turn]]:
        """Return all turns from the start. Raises CommandError if none are known to `first`."""
        if self.opening is not None:
            return [*self.opening, *self.turns]
        way = turns_to(first)
        if way is None:
            raise CommandError(
                f"{self.name} cannot be told of the position that was set up: "
                "it must be played from the start of the game"
            )
        position = first.game.start()
        past: list[tuple[Colour, Turn]] = []
        for turn in way:
            past.append((position.to_move, turn))
            position = position.play(turn)
        return [*past, *self.turns]

    @property
    def _control(self) -> TimeControl:
        return self.time.control or NO_CLOCK

    def _await(self, function: Callable[[*Words], Awaitable[Answer]], *arguments: *Words) -> Answer:
        """Run `function` in the main thread. Raises CommandError for a fault of the program."""
        try:
            return trio.from_thread.run(function, *arguments)
        except EngineFault as fault:
            said = f" ({fault.evidence})" if fault.evidence not in fault.reason else ""
            raise CommandError(
                f"{self.name}: {fault.reason}{said}; it is started again when it is needed"
            ) from None


class NativeSession(GoguiSession):
    """GoGui's session with an engine that needs the whole game."""

    engine: NativeEngine

    def choose(self, player: Colour) -> Turn | Resign:
        """Return the engine's turn for `player`, who must be to move. Plays nothing."""
        self.tell_past(self.position)
        return super().choose(player)

    def tell_past(self, at: Position, drops: Sequence[Drop] = ()) -> None:
        """Give the engine the turns up to `at`: this turn's start, or its end with these drops."""
        self.engine.first, self.engine.turns = self.first, self.turns
        self.engine.opening = self.opening if self.first is self._begun_from else None
        if at is not self.position:
            self.engine.turns = [*self.engine.turns, (self.position.to_move, Drops(tuple(drops)))]


class NativeDispatcher(GoguiDispatcher):
    """GoGui's commands. Those about the engine itself start its program.

    GoGui asks a ruler for the board first, and a player for the name. So this recognises a ruler,
    which uses the file's name and starts no program.
    """

    engine: NativeEngine

    def __init__(self, engine: NativeEngine, game: Game) -> None:
        super().__init__(engine, game)
        self._is_ruler = False
        for name in ("name", "version", "gogui-title"):
            self.handlers[name] = self._after_handshake(self.handlers[name])

    def open_session(self, game: Game) -> NativeSession:
        """Return the state of a new conversation."""
        return NativeSession(self.engine, game)

    @property
    def program_name(self) -> str:
        """What the program calls itself, or the name of its file."""
        return self.engine.name

    def _name(self, arguments: Arguments) -> str:
        """Return the program's own name, which GoGui keeps as its label."""
        expect(arguments, 0, "no arguments")
        return self.program_name

    def _rules_board(self) -> str:
        self._is_ruler = not self.engine.is_known
        return super()._rules_board()

    def _list_options(self, arguments: Arguments) -> str:
        expect(arguments, 0, "no arguments")
        return self.engine.list_options()

    def _option_values(self) -> Mapping[str, str]:
        """Return the program's options that were set, with their values."""
        return self.engine.chosen

    def _after_handshake(self, handler: Callable[[Arguments], str]) -> Callable[[Arguments], str]:
        def after(arguments: Arguments) -> str:
            if not self._is_ruler:
                self.engine.shake_hands()
            return handler(arguments)

        return after


LAST_WORDS = 5.0
"""Seconds after the end of input in which earlier commands are still answered."""
MAX_WAITING = 1000
"""Commands read ahead; GoGui waits for each reply."""


async def play_in_gogui(
    configuration: EngineConfiguration,
    game: Game,
    patience: float,
    opening: Sequence[tuple[Colour, Turn]] = (),
) -> None:
    """Serve GoGui on standard input and output until `quit` or the end of input.

    The engine gets `patience` seconds for each turn, and stops before this returns. The game begins
    after the turns of `opening`.
    """
    source, sink = (trio.lowlevel.FdStream(os.dup(fd)) for fd in (0, 1))
    async with source, sink, native_dispatcher(configuration, game, patience) as dispatcher:
        if opening:
            dispatcher.session.go_on_from(opening)
        await converse(dispatcher, source, sink)


@asynccontextmanager
async def native_dispatcher(
    configuration: EngineConfiguration, game: Game, patience: float, limits: Limits | None = None
) -> AsyncIterator[NativeDispatcher]:
    """Yield a dispatcher to call in threads; the engine stops after the body."""
    async with trio.open_nursery() as nursery:
        unclocked = replace(configuration, time=NO_CLOCK)
        seat = EngineSeat(unclocked, nursery, limits=limits, wire=_show_stderr)
        try:
            name = Path(configuration.name).name
            yield NativeDispatcher(NativeEngine(seat, name, patience), game)
        finally:
            await seat.stop()
            nursery.cancel_scope.cancel()


async def converse(
    dispatcher: NativeDispatcher,
    source: ReceiveStream,
    sink: SendStream,
    last_words: float = LAST_WORDS,
) -> None:
    """Answer commands until `quit`, or for `last_words` seconds after the end of input."""
    send, receive = trio.open_memory_channel[Command | MalformedCommand](MAX_WAITING)

    async def read() -> None:
        decoder = CommandDecoder()
        async with send:
            while data := await source.receive_some(CHUNK):
                decoder.feed(bytes(data))
                while (event := decoder.next_event()) is not None:
                    await send.send(event)
        await trio.sleep(last_words)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        async for event in receive:
            reply = await trio.to_thread.run_sync(dispatcher.answer, event)
            try:
                await sink.send_all(encode_reply(reply))
            except trio.BrokenResourceError:
                break
            if dispatcher.has_quit:
                break
        nursery.cancel_scope.cancel()


def _show_stderr(direction: str, data: bytes, _at: float) -> None:
    """Copy the engine's standard error to ours, which GoGui's log shows."""
    if direction == "!":
        # A log that is closed or full must not end the game.
        with suppress(OSError):
            os.write(2, data)


def turns_to(position: Position) -> Sequence[Turn] | None:
    """Return legal turns from the start to `position`, which was set up; None if none are known.

    Games of drops know some unless the last turn was a pass.
    """
    start = position.game.start()
    if position.key == start.key:
        return []
    turns = position.game.opening_to(position)
    if turns is None:
        return None
    reached = start
    for turn in turns:
        if not reached.is_legal(turn):
            return None
        reached = reached.play(turn)
    return turns if reached.key == position.key else None
