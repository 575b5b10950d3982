"""The folder for what oddly remembers for a user: games, and the token of the page."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """Return the folder of this user, as XDG has it; it may be missing yet."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    root = state if state.is_absolute() else Path("~/.local/state").expanduser()
    return root / "oddly"
