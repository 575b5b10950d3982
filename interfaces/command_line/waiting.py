"""A sign of life from a command that says nothing for a while."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 1.0
"""How long nothing is shown: what is over sooner needs no sign."""


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show what is going on, such as `merging 2 ledgers`, if the body takes long.

    It is shown on standard error where that is a terminal, and is gone when the body ends.
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
