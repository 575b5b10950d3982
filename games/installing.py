"""How an extra of oddly's is installed where this oddly runs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path


def packages_of(extra: str) -> list[str]:
    """Return the packages of an extra with their bounds, such as `numba<0.69,>=0.63`."""
    # Engines and matches start sooner without it.
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("oddly") or []
    except PackageNotFoundError:
        return []
    marker = re.compile(rf"""extra\s*==\s*['"]{re.escape(extra)}['"]""")
    return [line.partition(";")[0].strip() for line in lines if marker.search(line)]


def install_command(extra: str) -> str:
    """Return the command that adds an extra to the environment in which oddly runs."""
    packages = shlex.join(packages_of(extra))
    if not packages:
        return f"pip install -e '.[{extra}]'"
    environment = Path(sys.prefix)
    if environment.parent.name == "venvs" and "pipx" in environment.parts:
        return f"pipx inject {environment.name} {packages}"
    if environment.parent.name == "tools" and "uv" in environment.parts:
        return f"uv pip install --python {shlex.quote(sys.executable)} {packages}"
    return f"{shlex.quote(sys.executable)} -m pip install {packages}"
