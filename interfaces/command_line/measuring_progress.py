"""The progress of measurements: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from rich.progress import Progress


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
            print(f"{self._doing} {what}", file=sys.stderr, flush=True)
            return lambda: None
        for earlier in list(bar.task_ids):
            bar.remove_task(earlier)
        task = bar.add_task(what, total=steps)
        return lambda: bar.advance(task)


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
