"""Loaded by the workers that we start ourselves, before their first game.

Ctrl-C in a terminal goes to every process of the terminal's session. It is for us to say that
running games are to be finished; workers must not hear of it.
"""

from __future__ import annotations

import os
from contextlib import suppress


def dask_setup(worker: object) -> None:
    """Called by Dask in the worker's main thread."""
    with suppress(PermissionError):
        os.setsid()
