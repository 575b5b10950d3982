"""What people read beside a command's output, or do not: no game waits for its spectators.

Lines are written in a thread; a journal writes them without secrets. Once a minute, a line may say
how long the rest of some work takes. A terminal is drawn on, and its keys are read, only while it
belongs to this process.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, quote_plus

from oddly.games import one_line
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO


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
MAX_TOKENS = 16
HIDDEN = "[secret]"


class Journal:
    """Writes sentences of one line, without secrets and without markup."""

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


SECONDS_BETWEEN_ESTIMATES = 60.0


class RemainingTime:
    """Counts the steps of some work, and estimates the time for the others by the mean so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._done = 0
        self._began = self._said = clock()

    def after_step(self, left: int) -> str:
        """Count a step; return the time for the `left` steps, such as `about 5 min left`.

        The text is empty if no step is left, or if the last estimate is less than a minute old.
        """
        self._done += 1
        now = self._clock()
        if left <= 0 or now - self._said < SECONDS_BETWEEN_ESTIMATES:
            return ""
        self._said = now
        # Imported late: it brings trio.
        from oddly.tournaments import spelled

        return f"about {spelled((now - self._began) / self._done * left)} left"


def has_screen() -> bool:
    """Return whether standard error is a terminal that this process may draw on.

    The shell would stop a background job that changes the mode of the terminal.
    """
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") in ("dumb", "unknown"):
        return False
    return is_ours(sys.stderr)


def is_ours(stream: TextIO | None) -> bool:
    """Return whether `stream` is a terminal that belongs to this process, as do its keys."""
    try:
        return stream is not None and os.tcgetpgrp(stream.fileno()) == os.getpgrp()
    except (OSError, ValueError):
        return False
