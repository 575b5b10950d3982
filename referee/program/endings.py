"""How a process ended, in words."""

from __future__ import annotations

import signal


def ending_text(code: int) -> str:
    """Return how a process with this return code ended: a negative one is the signal's number."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed ({signal.Signals(-code).name})"
    except ValueError:
        return f"was killed (signal {-code})"
