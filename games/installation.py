"""The version of oddly, and the command that installs its extras where it runs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

VERSION = "1.0.0"
"""As in the CHANGELOG. The distribution takes it from here, so nothing has to read its metadata."""


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


class MissingExtraError(ImportError):
    """A feature needs an extra of oddly's. The message is one sentence on how to install it."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the package {package}: {install_command(extra)}", name=package
        )
        self._about = feature, package, extra

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made, in another process too."""
        return type(self), self._about, self.__dict__
