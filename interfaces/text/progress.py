"""What people see while a command works: a bar, a spinner, or the time that is left.

A terminal is drawn on only while it belongs to this process. Elsewhere, work that takes long has a
line each minute that says how long the rest will take.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self, TextIO

    from rich.progress import Progress, ProgressColumn

    TellProgress = Callable[[int, int | None], None]


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
