"""Whether the terminal belongs to this process, which then may draw on it and read its keys."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


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
