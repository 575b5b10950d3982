"""Lines for standard output or standard error, which nothing waits for: a thread writes them.

A bot's journal is such lines, without its secrets.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, quote_plus

from oddly.games import one_line
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable


MAX_WAITING = 10_000
"""The most lines that wait for a reader; further ones are dropped and counted."""
PATIENCE = 0.02
"""Seconds for which `write` waits until its line is written, unless others wait already."""
LAST_LINES = 1.0
"""Seconds for which `flush` waits."""
IDLE = 1.0
"""Seconds without a line after which the thread ends."""


def _lost(number: int) -> str:
    return f"oddly: {lost_lines(number)}"


def lost_lines(number: int) -> str:
    """Return the sentence about lines that nobody read in time."""
    return f"{counted(number, 'line')} before this one {'is' if number == 1 else 'are'} lost"


class LineWriter:
    """Writes lines to standard output or standard error, in a thread.

    A line is usually written by the time `write` returns. It waits while nobody reads, as behind
    `less` or in a terminal that Ctrl-S has stopped. A stream that is gone swallows lines. `lost`
    makes the line that replaces dropped ones, from their number.
    """

    def __init__(
        self,
        stream: Literal["stdout", "stderr"],
        lost: Callable[[int], str] = _lost,
        patience: float = PATIENCE,
    ) -> None:
        self._stream = stream
        self._tell_lost = lost
        self._patience = patience
        self._lost = 0
        self._waiting: deque[str] = deque()
        self._changed = threading.Condition()
        self._is_working = False
        self._is_behind = False

    @property
    def is_behind(self) -> bool:
        """Whether lines are waiting to be written."""
        return bool(self._waiting)

    def write(self, line: str) -> None:
        """Queue a line, and wait only briefly for it to be written."""
        with self._changed:
            if len(self._waiting) >= MAX_WAITING:
                self._lost += 1
                return
            if self._lost:
                line = f"{self._tell_lost(self._lost)}\n{line}"
                self._lost = 0
            self._waiting.append(line)
            self._changed.notify_all()
            if not self._is_working:
                # If no thread can start now, a later line starts one.
                with suppress(RuntimeError):
                    threading.Thread(target=self._work, name="lines", daemon=True).start()
                    self._is_working = True
            if not self._is_behind:
                self._is_behind = not self._wait(self._patience)

    def flush(self) -> None:
        """Wait briefly for the last lines to be written."""
        with self._changed:
            self._wait(LAST_LINES)

    def _wait(self, seconds: float) -> bool:
        return self._changed.wait_for(lambda: not self._waiting, seconds)

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda: bool(self._waiting), IDLE):
                    self._is_working = False
                    return
                line = self._waiting[0]
            with suppress(OSError, ValueError):
                self._put(f"{line}\n")
            with self._changed:
                self._waiting.popleft()
                if not self._waiting:
                    self._is_behind = False
                    self._changed.notify_all()

    def _put(self, text: str) -> None:
        stream = getattr(sys, self._stream)
        if stream is None:
            return
        try:
            descriptor = stream.fileno()
        except (AttributeError, OSError):
            stream.write(text)
            stream.flush()
            return
        # Bypass the stream, whose lock Python needs when it exits.
        data = text.encode(stream.encoding, stream.errors)
        while data:
            data = data[os.write(descriptor, data) :]


MAX_LENGTH = 400
"""Characters of a sentence in a journal."""
MAX_TOKENS = 16
"""Tokens that a journal hides at a time."""
HIDDEN = "[secret]"


class Journal:
    """Writes sentences of one line, without secrets and markup; by default on standard error."""

    def __init__(self, write: Callable[[str], None] | None = None) -> None:
        self._write = write or LineWriter("stderr").write
        self._secrets: list[str] = []
        self._tokens: deque[str] = deque(maxlen=MAX_TOKENS)

    def hide(self, secret: str) -> None:
        """Never write this text, however it is quoted in an address."""
        self._secrets += _quotations(secret)

    def hide_token(self, token: str) -> None:
        """Never write this token either, until MAX_TOKENS more have come."""
        self._tokens.append(token)

    def without_secrets(self, text: str) -> str:
        """Return a text with its secrets replaced."""
        for secret in [*self._secrets, *(q for token in self._tokens for q in _quotations(token))]:
            text = text.replace(secret, HIDDEN)
        return text

    def say(self, sentence: str) -> None:
        """Write a sentence."""
        try:
            self._write(f"oddly: {one_line(self.without_secrets(sentence), MAX_LENGTH)}")
        except (OSError, ValueError):
            # A log that is gone must not stop the games.
            return


def _quotations(secret: str) -> set[str]:
    return {text for text in (secret, quote(secret, safe=""), quote_plus(secret)) if text}
