"""GoGui and Java on this machine: where they are, and what is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMED_BY = "ODDLY_GOGUI"
"""The environment variable that names GoGui: its program, its gogui.jar, or its folder."""
GOGUI_SOURCE = "https://github.com/Remi-Coulom/gogui/releases"
JAVA_SOURCE = "https://adoptium.net, or your system's package default-jre"
OLDEST = (1, 5)
"""Earlier versions, such as Debian's 1.4.9, know no game but Go."""
PATIENCE = 60.0
"""Seconds for GoGui to say its version, on a busy machine."""

_VERSION = re.compile(r"GoGui (\d+)\.(\d+)\S*")
_PLACES = ("", "bin/gogui", "lib/gogui.jar", "gogui", "gogui.jar")


class NotInstalledError(Exception):
    """GoGui cannot be started. The message is one sentence, with where to get what is missing."""


def find_gogui(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the words that start GoGui. Raises NotInstalledError if it cannot be started."""
    path, java = _gogui(environment), _java(environment)
    lacks_java = f"Java is missing, which GoGui runs on: get it from {JAVA_SOURCE}"
    if path is None:
        lacks_gogui = (
            f"GoGui is missing: get version 1.6.0 or later from {GOGUI_SOURCE}, and put its "
            f"'gogui' on the PATH or name it in {NAMED_BY}"
        )
        raise NotInstalledError(lacks_gogui if java else f"{lacks_gogui}; {lacks_java}")
    if path.suffix == ".jar":
        if java is None:
            raise NotInstalledError(lacks_java)
        command: tuple[str, ...] = (java, "-jar", str(path))
    else:
        command = (str(path),)
    found = _version(command)
    if found is None and java is None:
        raise NotInstalledError(lacks_java)
    if found is not None and found < OLDEST:
        raise NotInstalledError(
            f"{path} is GoGui {found[0]}.{found[1]}, which knows only Go: get version 1.6.0 "
            f"or later from {GOGUI_SOURCE}, and name its 'gogui' in {NAMED_BY}"
        )
    return command


def _gogui(environment: Mapping[str, str]) -> Path | None:
    """Where GoGui is. Raises NotInstalledError if it is named and not there."""
    named = environment.get(NAMED_BY)
    if not named:
        found = shutil.which("gogui", path=environment.get("PATH"))
        return None if found is None else Path(found)
    for place in _PLACES:
        path = Path(named, place)
        if path.is_file() and (path.suffix == ".jar" or os.access(path, os.X_OK)):
            return path.absolute()
    raise NotInstalledError(
        f"{NAMED_BY} names {named}, which is neither a program nor gogui.jar nor a folder with "
        f"either: get GoGui 1.6.0 or later from {GOGUI_SOURCE}"
    )


def _java(environment: Mapping[str, str]) -> str | None:
    """Where Java is, as GoGui's own script looks for it."""
    home = environment.get("GOGUI_JAVA_HOME")
    path = str(Path(home, "bin")) if home else environment.get("PATH")
    return shutil.which("java", path=path)


def _version(command: tuple[str, ...]) -> tuple[int, int] | None:
    """The version that GoGui says it is, or None if it says nothing of the kind."""
    try:
        done = subprocess.run(
            [*command, "-version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stdout)
    return None if found is None else (int(found[1]), int(found[2]))
