"""A line at the bottom of the terminal that is redrawn, and sentences that scroll above it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from oddly.interfaces.text.joining import JoiningState, sentence

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from oddly.arena.client.events import ClientEvent

EVERY = 0.5
"""Seconds between two drawings."""


class LiveLine:
    """Shows an engine's state within a `with` block, which restores the terminal."""

    def __init__(self, name: str, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, markup=False, soft_wrap=True)
        self._state = JoiningState(name)
        self._live = Live(self._text(), console=self._console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def told(self, event: ClientEvent) -> None:
        """Show an event."""
        self._state.learn(event, monotonic())
        if said := sentence(event):
            self._console.print(Text(said))
        self._live.update(self._text(), refresh=True)

    async def attend(self) -> None:
        """Let the clocks run on the line until cancelled."""
        while True:
            await trio.sleep(EVERY)
            self._live.update(self._text(), refresh=True)

    def _text(self) -> Text:
        return Text(self._state.line(monotonic()), no_wrap=True, overflow="ellipsis")
