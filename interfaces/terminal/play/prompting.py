"""The prompt on a terminal, by prompt_toolkit: completion, history and a preview."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer
from prompt_toolkit.completion import Completion as Offered
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.shortcuts import CompleteStyle

from oddly.interfaces.human_play.recording import clock_text
from oddly.interfaces.terminal.play.completion import completions, preview
from oddly.interfaces.terminal.play.driver import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from oddly.interfaces.terminal.play.play_session import PlaySession

MENU_LINES = 6
REFRESH = 0.2
"""Seconds between two looks at a clock that runs."""
AT_REST = "Tab completes, help lists the commands"
OVER = "The game is over: undo, save FILE or quit"


class TurnCompleter(Completer):
    """Completes turns and commands that the session accepts now."""

    def __init__(self, session: PlaySession) -> None:
        self._session = session

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterator[Offered]:
        """Yield the completions of the text before the cursor."""
        session = self._session
        found = completions(
            session.scoresheet.position,
            document.text_before_cursor,
            with_turns=session.scoresheet.human_is_to_move,
        )
        for text, replaces, meaning in found:
            yield Offered(text, -replaces, display_meta=meaning)


class PromptReader:
    """Lines typed at a terminal. The prompt has an event loop of its own, in a thread.

    Engines must not start in that thread: they would die with it.
    """

    def __init__(self, session: PlaySession) -> None:
        self._session = session
        self._prompt: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            completer=TurnCompleter(session),
            complete_while_typing=False,
            complete_style=CompleteStyle.MULTI_COLUMN,
            reserve_space_for_menu=MENU_LINES,
            enable_suspend=True,
            bottom_toolbar=self._look_ahead,
            refresh_interval=REFRESH if session.scoresheet.clock else 0,
        )
        self._flag: float | None = None
        """When the time of the person at the prompt ends, on the monotonic clock."""

    async def read(self, prompt: str, left: float | None = None) -> str | None:
        """Return the next line, None after Ctrl-D. Raises Interrupted after Ctrl-C."""
        self._flag = None if left is None else time.monotonic() + left
        return await trio.to_thread.run_sync(self._read, prompt)

    def abandon(self) -> None:
        """End the prompt, which restores the terminal."""
        application = self._prompt.app
        if application.loop is not None and application.is_running:
            application.loop.call_soon_threadsafe(self._leave)

    def _read(self, prompt: str) -> str | None:
        try:
            return self._prompt.prompt(prompt)
        except EOFError:
            return None
        except KeyboardInterrupt:
            raise Interrupted(had_text=bool(self._prompt.default_buffer.text)) from None

    def _leave(self) -> None:
        if self._prompt.app.is_running:
            self._prompt.app.exit(exception=EOFError())

    def _look_ahead(self) -> str:
        """Return the text below the prompt: what the line would lead to."""
        scoresheet = self._session.scoresheet
        if not scoresheet.human_is_to_move:
            return OVER if scoresheet.is_over else AT_REST
        said = preview(scoresheet.current, self._prompt.default_buffer.text) or AT_REST
        if self._flag is None:
            return said
        return f"{clock_text(self._flag - time.monotonic())} left; {said}"
