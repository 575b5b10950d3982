"""Where the browser is: Debian's `chromium`, or the one that ODDLY_CHROMIUM names."""

from __future__ import annotations

import os
import shutil

import pytest

CHROMIUM = os.environ.get("ODDLY_CHROMIUM") or shutil.which("chromium")


def need_chromium(for_what: str) -> None:
    """Skip the tests of the module that calls this if there is no browser."""
    if CHROMIUM is None:
        pytest.skip(f"{for_what}: no chromium is installed", allow_module_level=True)
