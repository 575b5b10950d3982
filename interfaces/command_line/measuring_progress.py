"""The progress of measurements: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from oddly.tournaments.run.duration import spelled

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress

SECONDS_BETWEEN_ESTIMATES = 60.0


class MeasuringProgress:
    """Shows one measurement after the other, each with a known number of steps."""

    def __init__(self, doing: str = "measuring") -> None:
        self._doing = doing
        self._bar: Progress | None = _bar(doing) if sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

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
    """Tells once a minute how long a measurement will take."""

    def __init__(self, what: str, steps: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._steps = steps
        self._clock = clock
        self._done = 0
        self._began = self._told = clock()

    def step(self) -> None:
        """Count a step, and print a line if the last one is a minute old."""
        self._done += 1
        now = self._clock()
        if self._done < self._steps and now - self._told >= SECONDS_BETWEEN_ESTIMATES:
            self._told = now
            left = (now - self._began) / self._done * (self._steps - self._done)
            told = f"{self._what}: {self._done} of {self._steps}, about {spelled(left)} left"
            print(told, file=sys.stderr, flush=True)


def _bar(doing: str) -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn(doing + " {task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("ETA"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
