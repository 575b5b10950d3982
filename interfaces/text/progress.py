"""What people may read while a command works, besides its output; no work waits for a reader.

Lines are written in a thread. A journal, the log of a bot, has no secrets. A terminal is drawn on,
and its keys are read, only while it belongs to this process. Work that takes long has a bar or a
spinner on a terminal, and elsewhere a line each minute that says how long the rest will take.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, quote_plus

from oddly.games import one_line
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self, TextIO

    from rich.progress import Progress, ProgressColumn

    TellProgress = Callable[[int, int | None], None]


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


class MeasuringProgress:
    """Shows one measurement after the other, each with a known number of steps."""

    def __init__(self, doing: str = "measuring") -> None:
        self._doing = doing
        self._bar = self._shown_bar() if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _shown_bar(self) -> Progress:
        from rich.progress import MofNCompleteColumn, TimeElapsedColumn

        return progress_bar(self._doing, MofNCompleteColumn(), TimeElapsedColumn())

    def begin(self, what: str, steps: int) -> Callable[[], None]:
        """Show that a measurement begins; return a function to call after each of its steps."""
        bar = self._bar
        if bar is None:
            said = f"{self._doing} {what}"
            print(said, file=sys.stderr, flush=True)
            return _TimeLeft(said, steps).step
        for earlier in list(bar.task_ids):
            bar.remove_task(earlier)
        task = bar.add_task(what, total=steps)
        return lambda: bar.advance(task)


class _TimeLeft:
    """Says once a minute how long a measurement will take."""

    def __init__(self, what: str, steps: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._steps = steps
        self._done = 0
        self._remaining = RemainingTime(clock)

    def step(self) -> None:
        """Count a step, and print a line if the last one is a minute old."""
        self._done += 1
        if estimate := self._remaining.after_step(self._steps - self._done):
            line = f"{self._what}: {self._done} of {self._steps}, {estimate}"
            print(line, file=sys.stderr, flush=True)


def progress_bar(doing: str, *done: ProgressColumn) -> Progress:
    """Return a bar on standard error, with columns that say how much is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn(doing + " {task.description}"),
        BarColumn(bar_width=24),
        *done,
        TextColumn("ETA"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


SHOWN_AFTER = 1.0
"""The delay before anything is shown: shorter work needs no sign."""


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show what is going on, such as `merging 2 ledgers`, if the body takes long.

    It is shown on standard error if that is a terminal, and removed when the body ends.
    """
    if not sys.stderr.isatty():
        yield
        return
    over = threading.Event()
    sign = threading.Thread(target=_show, args=(what, over), daemon=True)
    sign.start()
    try:
        yield
    finally:
        over.set()
        sign.join()


def _show(what: str, over: threading.Event) -> None:
    if over.wait(SHOWN_AFTER):
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True)
    spinner = Spinner("dots", Text(what))
    # What the body prints must not end up on standard error.
    with Live(
        spinner, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ):
        over.wait()


@contextmanager
def game_progress(what: str) -> Iterator[TellProgress]:
    """Yield a function to call with the number of games done, and of all games."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
