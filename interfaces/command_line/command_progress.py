"""Progress of commands that take long: bars, plain lines, a spinner."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from oddly.interfaces.text.line_writer import RemainingTime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from rich.progress import Progress, ProgressColumn

    TellProgress = Callable[[int, int | None], None]


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


SECONDS = 1.0
"""The delay before anything is shown: shorter work needs no sign."""


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show what is going on, such as `merging 2 ledgers`, if the body takes long.

    It is shown on standard error if that is a terminal, and removed when the body ends.
    """
    if not sys.stderr.isatty():
        yield
        return
    over = Event()
    sign = Thread(target=_show, args=(what, over), daemon=True)
    sign.start()
    try:
        yield
    finally:
        over.set()
        sign.join()


def _show(what: str, over: Event) -> None:
    if over.wait(SECONDS):
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
