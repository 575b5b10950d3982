"""The observer that draws a run on a terminal and obeys its keys."""

from __future__ import annotations

import os
import sys
import termios
from contextlib import ExitStack, suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

import trio
from rich.console import Console, Group
from rich.live import Live

from oddly.games.wording import counted
from oddly.interfaces.terminal.live.view import RunHistory, view
from oddly.interfaces.text.progress import is_ours
from oddly.tournaments import Observer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any, Self

    from oddly.interfaces.terminal.live.lines import RunSnapshot
    from oddly.referee import GameRecord, Snapshot
    from oddly.tournaments import Control, PlayedGame, RunStart, ScheduledGame


EVERY = 0.5
"""Seconds between two drawings."""


class LiveProgress(Observer):
    """Draws on a terminal, restores it at the end, and prints the faults again."""

    history: RunHistory
    control: Control

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._live = Live(
            console=self._console,
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._keyboard = Keyboard(sys.stdin.fileno()) if is_ours(sys.stdin) else None
        self._until_finish = ExitStack()
        self._pressed = trio.Event()

    def start(self, start: RunStart) -> None:
        """Take the terminal."""
        self.control = start.control
        self.history = RunHistory(
            start.title,
            start.games,
            start.engines,
            start.control,
            monotonic(),
            start.earlier,
            by_elo=start.by_elo,
            question=start.question,
            reports=start.reports,
        )
        start.control.listen(self.said)
        if start.isolation is not None and start.isolation.lack is not None:
            # Above the live view, so that it is still there when the view is gone.
            print(start.isolation.sentence(), file=sys.stderr)
        with ExitStack() as stack:
            stack.enter_context(self._live)
            if self._keyboard is not None:
                stack.enter_context(self._keyboard)
            self._until_finish = stack.pop_all()

    def finish(self) -> None:
        """Give the terminal back, and print the faults."""
        self._until_finish.close()
        lines = self.history.fault_lines
        for line in lines:
            print(line, file=sys.stderr)
        if (before := self.history.faults_here - len(lines)) > 0:
            print(f"and {counted(before, 'fault')} before", file=sys.stderr)

    def turned(self, scheduled: ScheduledGame, snapshot: Snapshot) -> None:
        """Note a turn."""
        self.history.turned(scheduled, snapshot, monotonic())

    def began(self, scheduled: ScheduledGame) -> None:
        """Show a new game, or one from its start."""
        self.history.began(scheduled, monotonic())

    began_again = began

    def ended(self, played: PlayedGame, record: GameRecord) -> None:
        """Show the result of a game."""
        self.history.ended(played, monotonic())

    def said(self, what: str) -> None:
        """Show a message about the run."""
        self.history.said(what, monotonic())
        self._pressed.set()

    async def attend(self) -> None:
        """Draw and obey keys until cancelled. A terminal that disappears does not stop the run."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._draw_forever)
            if self._keyboard is not None:
                nursery.start_soon(self._obey_keys, self._keyboard)

    async def _draw_forever(self) -> None:
        while True:
            try:
                # In a thread, so that the referee reads answers meanwhile.
                await trio.to_thread.run_sync(self._draw, self.snapshot())
            except OSError:
                return
            with trio.move_on_after(EVERY):
                await self._pressed.wait()
            self._pressed = trio.Event()

    def snapshot(self) -> RunSnapshot:
        """Return the run as it is now."""
        return replace(self.history.snapshot(monotonic()), has_keys=self._keyboard is not None)

    def _draw(self, run: RunSnapshot) -> None:
        width, height = self._console.size
        ascii_only = self._console.options.ascii_only
        lines = view(run, width, height, ascii_only=ascii_only)
        self._live.update(Group(*lines), refresh=True)

    async def _obey_keys(self, keyboard: Keyboard) -> None:
        try:
            async for key in keyboard.keys():
                self.press(key)
        except OSError:
            return

    def press(self, key: str) -> None:
        """Obey a key; every key closes the help and the report that are shown."""
        control, history = self.control, self.history
        was_helping, was_reporting = history.helping, history.reporting
        history.helping = history.reporting = False
        match key:
            case "q" if not control.stopping:
                control.stop()
            case "p" | "\x1a":
                control.pause_or_resume()
            case "+" | "=":
                control.more()
            case "-" | "_":
                control.fewer()
            case "\t":
                history.next_game()
            case "b":
                history.reporting = not was_reporting
            case "?" | "h":
                history.helping = not was_helping
        self._pressed.set()


MAX_BYTES = 64
LOCAL_MODES, SPECIAL = 3, 6
"""Indices into the result of `termios.tcgetattr`."""


class Keyboard:
    """The keys of the terminal `descriptor` within a `with` block, which restores the terminal.

    Keys are not echoed. Ctrl-C is still a signal. Ctrl-Z is an ordinary key, because the clocks of
    thinking engines would run out while the referee is stopped.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before: list[Any] | None = None

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._descriptor)
        modes = termios.tcgetattr(self._descriptor)
        modes[LOCAL_MODES] &= ~(termios.ICANON | termios.ECHO)
        modes[SPECIAL][termios.VMIN], modes[SPECIAL][termios.VTIME] = 1, 0
        modes[SPECIAL][termios.VSUSP] = os.fpathconf(self._descriptor, "PC_VDISABLE").to_bytes(1)
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, modes)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            # What was typed too late must not reach the shell.
            with suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, self._before)
            self._before = None

    async def keys(self) -> AsyncIterator[str]:
        """Yield each key that is pressed, until the terminal is gone.

        Arrows and other keys that send several bytes are left out.
        """
        while True:
            await trio.lowlevel.wait_readable(self._descriptor)
            try:
                data = os.read(self._descriptor, MAX_BYTES)
            except OSError:
                return
            if not data:
                return
            if not data.startswith(b"\x1b"):
                for key in data.decode("utf-8", "replace"):
                    yield key
