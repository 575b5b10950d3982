"""How this program is called: what a line that people copy has to begin with."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

NAME = "oddly"


def own_name() -> str:
    """Return `oddly` if the shell finds this very program by it, else the path that was typed."""
    typed = Path(sys.argv[0])
    if typed.name != NAME:
        return NAME
    found = shutil.which(NAME)
    is_found = found is not None and typed.exists() and typed.samefile(found)
    return NAME if is_found else shlex.quote(sys.argv[0])
