"""The loop around a session: it carries out requests, and waits for people and engines.

People's lines come from a pipe or a simple terminal, with Ctrl-C between them; `prompting.py` has
the source on a terminal that can show a prompt.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Protocol

import trio
from rich.text import Text

from oddly.game_records import FORMATS, KeptGame, format_of
from oddly.games import Turn, one_line
from oddly.interfaces.terminal.play.messages import (
    AskEngine,
    AskHint,
    Keep,
    Leave,
    Request,
    Save,
    Say,
    ShowBoard,
    board_text,
)
from oddly.referee import EngineFault, RecordError
from oddly.safe_files import new_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from rich.console import Console

    from oddly.interfaces.terminal.play.play_session import PlaySession
    from oddly.interfaces.terminal.play.scoresheet import Autosave
    from oddly.protocol import Resign
    from oddly.referee import EngineSeat, GameRecord


MAX_EVIDENCE = 120


class FlagFellError(Exception):
    """The time of the person to move has run out."""


class Driver:
    """Runs one session. `opponent` is None if two humans play."""

    def __init__(
        self,
        session: PlaySession,
        opponent: EngineSeat | None,
        adviser: EngineSeat,
        reader: Reader,
        console: Console,
        autosave: Autosave,
        seed: int | None = None,
    ) -> None:
        self.session = session
        self.opponent = opponent
        self.adviser = adviser
        self.reader = reader
        self.console = console
        self.autosave = autosave
        self.seed = seed
        self.was_ended = False
        """Whether a signal ended the session."""
        self._is_leaving = False
        self._since = 0.0
        self._nursery: trio.Nursery
        self._thinking: trio.CancelScope | None = None

    async def run(self) -> None:
        """Play until the human leaves, the input ends or a signal arrives."""
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        with trio.open_signal_receiver(*numbers) as signals:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._handle, signals, nursery.cancel_scope)
                await self._play()
                self._is_leaving = True
                await earlier_signals_are_handled()
                nursery.cancel_scope.cancel()

    async def _handle(self, signals: AsyncIterator[int], everything: trio.CancelScope) -> None:
        """At Ctrl-C stop a thinking engine, or clear a line; end the session at other signals."""
        async for number in signals:
            if number == signal.SIGINT and self._thinking is not None:
                self._thinking.cancel()
                continue
            if number == signal.SIGINT and (self._is_leaving or self._has_cleared_a_line()):
                continue
            self.was_ended = True
            self.reader.abandon()
            everything.cancel()

    def _has_cleared_a_line(self) -> bool:
        """Return whether Ctrl-C came at the prompt of a simple terminal, which clears the line."""
        reader = self.reader
        return self.console.is_terminal and isinstance(reader, PipeReader) and reader.interrupt()

    async def _play(self) -> None:
        await self._do(self.session.begin())
        self._since = trio.current_time()
        while not self._is_leaving:
            before = self._stage
            try:
                line = await self._read()
            except FlagFellError:
                await self._do(self.session.flag_fell())
                continue
            except Interrupted as error:
                if not error.had_text:
                    kept = f"; the game is kept in {one_line(str(self.autosave.path))}"
                    self.show(f"quit or Ctrl-D leaves{kept if self.autosave.has_kept else ''}")
                continue
            if line is None:
                return
            await self._do(self.session.line(line, self._spent))
            if self._stage != before:
                self._since = trio.current_time()

    @property
    def _stage(self) -> tuple[int, bool]:
        """The stage of the game; the clock starts again when it changes."""
        return len(self.session.scoresheet.turns), self.session.scoresheet.is_over

    @property
    def _spent(self) -> float:
        """The seconds that the person to move has spent on this turn, if there is a clock."""
        return trio.current_time() - self._since if self.session.scoresheet.clock else 0.0

    async def _read(self) -> str | None:
        """Return the next line. Raises FlagFellError if the person to move runs out of time."""
        scoresheet = self.session.scoresheet
        left = scoresheet.time_left()
        if left is None or not scoresheet.clock_runs:
            return await self.reader.read(self.session.prompt)
        left -= self._spent
        if left <= 0:
            raise FlagFellError
        waiting, reading = trio.CancelScope(), trio.CancelScope()
        self._nursery.start_soon(self._await_flag, left, waiting, reading)
        line = None
        try:
            with reading:
                line = await self.reader.read(self.session.prompt, left)
        finally:
            waiting.cancel()
        if reading.cancel_called:
            raise FlagFellError
        return line

    async def _await_flag(
        self, left: float, waiting: trio.CancelScope, reading: trio.CancelScope
    ) -> None:
        """End the wait for a line when the time is over."""
        with waiting:
            await trio.sleep(max(0.0, left))
            reading.cancel()
            self.reader.abandon()

    async def _do(self, requests: list[Request]) -> None:
        """Carry out requests and those that follow from them."""
        awaited = list(requests)
        while awaited:
            awaited[:0] = await self._answer(awaited.pop(0))

    async def _answer(self, request: Request) -> list[Request]:
        """Carry out one request and return those that follow from it."""
        match request:
            case Say(text):
                self.show(text)
            case ShowBoard(position, marked, notes):
                self.console.print(board_text(position, marked, notes), soft_wrap=True)
            case AskEngine():
                return await self._ask_engine()
            case AskHint():
                return await self._ask_hint()
            case Keep():
                await self._keep()
            case Save(path):
                self.show(save(self.record(), path))
            case Leave():
                self._is_leaving = True
        return []

    def show(self, text: str) -> None:
        """Print `text` without markup."""
        self.console.print(Text(text), soft_wrap=not self.console.is_terminal)

    def record(self) -> GameRecord:
        """Return the record of the game so far."""
        engine = "" if self.opponent is None else self.opponent.engine_text
        participants = self.session.scoresheet.participants
        first, second = ("" if participant.is_human else engine for participant in participants)
        return self.session.scoresheet.record((first, second), self.seed)

    async def _ask_engine(self) -> list[Request]:
        if self.opponent is None:
            raise RuntimeError("there is no engine to ask")
        answer = await self._ask(self.opponent, "thinks")
        if isinstance(answer, str):
            return self.session.failed(answer)
        return self.session.played(*answer)

    async def _ask_hint(self) -> list[Request]:
        name = self.adviser.name
        answer = await self._ask(self.adviser, "thinks for you")
        if isinstance(answer, str):
            return self.session.no_hint(name, answer)
        return self.session.hinted(self.adviser.name, *answer)

    async def _ask(self, engine: EngineSeat, does: str) -> tuple[Turn | Resign, float] | str:
        """Return the engine's turn and its seconds, or why there is none."""
        current = self.session.scoresheet.current
        try:
            with (
                self.console.status(Text(f"{engine.name} {does}; Ctrl-C stops it")),
                trio.CancelScope() as self._thinking,
            ):
                return await engine.choose(current.position, current.played)
        except EngineFault as fault:
            return f"{fault.reason}{evidence_text(fault)}"
        finally:
            self._thinking = None
        return "it was stopped with Ctrl-C"

    async def _keep(self) -> None:
        """Save the game, and send the engine a turn that ended it."""
        if not self.autosave.keep(self.record()):
            self.show(
                f"{self.autosave.failure}; the game goes on, and save FILE writes it elsewhere"
            )
        if self.opponent is not None and self.session.scoresheet.is_over:
            await self.opponent.take_note(self.session.scoresheet.current.played)


async def earlier_signals_are_handled() -> None:
    """Wait until the tasks that wait for signals have seen all that came before."""
    passed_on = trio.Event()
    # trio passes signals on in the same way, in the order in which they came.
    trio.lowlevel.current_trio_token().run_sync_soon(passed_on.set, idempotent=True)
    await passed_on.wait()
    # A task that a signal woke runs in this same round.
    await trio.lowlevel.checkpoint()


def save(record: GameRecord, path: Path) -> str:
    """Write the game to a new file. Returns a message for the player."""
    name = format_of(path)
    if name is None:
        known = ", ".join(
            dict.fromkeys(suffix for format_ in FORMATS.values() for suffix in format_.suffixes)
        )
        return f"cannot save {one_line(str(path))}: expected a name that ends in one of {known}"
    try:
        with new_file(path) as file:
            file.write(FORMATS[name].writer()(KeptGame(record)))
    except RecordError as error:
        return f"cannot save {one_line(str(path))}: {error}"
    except OSError as error:
        return f"cannot save {one_line(str(path))}: {error.strerror}"
    except ValueError:
        return f"cannot save {one_line(str(path))}: a name has no NUL character"
    return f"the game is saved in {one_line(str(path))}"


def evidence_text(fault: EngineFault) -> str:
    """Return what the engine at fault sent, in brackets, or nothing."""
    evidence = fault.evidence.removesuffix("\\n")
    if len(evidence) > MAX_EVIDENCE:
        evidence = f"{evidence[:MAX_EVIDENCE]}..."
    return f" ({evidence})" if evidence else ""


MAX_LINE_LENGTH = 65_536
"""The most bytes in a line; the rest is cut off."""


class Interrupted(Exception):
    """Ctrl-C at the prompt. `had_text` says whether it only cleared a line."""

    def __init__(self, *, had_text: bool) -> None:
        super().__init__("Ctrl-C")
        self.had_text = had_text


class Reader(Protocol):
    """A source of lines."""

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None at the end. Raises Interrupted after Ctrl-C.

        `left` is the time on the reader's clock in seconds, if it runs.
        """

    def abandon(self) -> None:
        """End a cancelled `read` and restore the terminal."""


class PipeReader:
    """Lines from a file descriptor, echoed after the prompt.

    A simple terminal, as in an editor, echoes by itself, and gets the prompt first.
    """

    def __init__(self, descriptor: int, show: Callable[[str], None]) -> None:
        self._descriptor = descriptor
        self._show = show
        self._data = b""
        self._ended = False
        self._waiting: trio.CancelScope | None = None

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None at the end. Raises Interrupted."""
        is_terminal = os.isatty(self._descriptor)
        if is_terminal and b"\n" not in self._data:
            self._show(prompt)
        if not await self._has_waited():
            # The terminal has shown ^C, and dropped what was typed; we have what Ctrl-D passed on.
            self._data = b""
            self._show("")
            raise Interrupted(had_text=False)
        if not self._data:
            return None
        line, _, self._data = self._data.partition(b"\n")
        text = line[:MAX_LINE_LENGTH].decode("utf-8", "backslashreplace")
        if not is_terminal:
            self._show(f"{prompt}{text}")
        return text

    def interrupt(self) -> bool:
        """End a `read` from a terminal by Interrupted; return whether there is one."""
        if self._waiting is None or not os.isatty(self._descriptor):
            return False
        self._waiting.cancel()
        return True

    def abandon(self) -> None:
        """Do nothing: the wait is cancelled already."""

    async def _has_waited(self) -> bool:
        """Wait for a line or the end; return False if `interrupt` ended the wait."""
        try:
            with trio.CancelScope() as self._waiting:
                while b"\n" not in self._data and not self._ended:
                    data = await self._receive()
                    self._ended = not data
                    self._data = self._data[:MAX_LINE_LENGTH] + data
            return not self._waiting.cancelled_caught
        finally:
            self._waiting = None

    async def _receive(self) -> bytes:
        try:
            await trio.lowlevel.wait_readable(self._descriptor)
        except PermissionError:
            # Linux cannot wait for a regular file, which is always readable.
            await trio.lowlevel.checkpoint()
        return os.read(self._descriptor, MAX_LINE_LENGTH)


def is_interactive() -> bool:
    """Return whether input and output are a terminal that can show a prompt."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
