"""GoGui on this machine: where it is, and its settings.

Lines that are not ours stay as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.safe_files.whole_files import change_file

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


def find_gogui() -> tuple[str, ...]:
    """Return the words that start GoGui. Raises NotInstalledError if it cannot be started."""
    path, java = _gogui(), _java()
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


def _gogui() -> Path | None:
    """Return where GoGui is. Raises NotInstalledError if it is named and not there."""
    named = os.environ.get(NAMED_BY)
    if not named:
        found = shutil.which("gogui")
        return None if found is None else Path(found)
    for place in _PLACES:
        path = Path(named, place)
        if path.is_file() and (path.suffix == ".jar" or os.access(path, os.X_OK)):
            return path.absolute()
    raise NotInstalledError(
        f"{NAMED_BY} names {named}, which is neither a program nor gogui.jar nor a folder with "
        f"either: get GoGui 1.6.0 or later from {GOGUI_SOURCE}"
    )


def _java() -> str | None:
    """Return where Java is, found as GoGui's own script finds it."""
    home = os.environ.get("GOGUI_JAVA_HOME")
    path = str(Path(home, "bin")) if home else None
    return shutil.which("java", path=path)


def _version(command: tuple[str, ...]) -> tuple[int, int] | None:
    """Return the version that GoGui reports; None if it reports none."""
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


FILE = ".gogui-prefs"
PROGRAMS = "net.sf.gogui.gui.program."
WINDOW = "net.sf.gogui.gogui."
BOARD_PIXELS = 820
MAX_FIELD = 80
"""Pixels of a point on a small board."""
NO_VARIATIONS = "2"
"""The last of GoGui's choices under View, Variation Labels."""
_MARGIN = 1.2
"""Points that the coordinates around the board take."""

_HOME = re.compile(r"-Duser\.home=(?:\"([^\"]*)\"|(\S+))")
_OF_OURS = re.compile(r".*?\boddly\"? ((?:engine|bridge) .*)")
_LINE = re.compile(r"\s*((?:\\.|[^\\:=\s])*)\s*[:=]?\s*(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def preferences_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return GoGui's settings file, in the home folder that Java uses.

    Raises NotInstalledError if there is no home folder.
    """
    options = " ".join(environment.get(name, "") for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"))
    if found := _HOME.search(options):
        return Path(found[1] or found[2], FILE)
    import pwd

    try:
        home = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        home = environment.get("HOME", "")
    if not home:
        raise NotInstalledError("GoGui's settings need a home folder, and HOME names none")
    return Path(home, FILE)


def with_program(text: str, label: str, command: str) -> tuple[str, str]:
    """Return the settings with a program in GoGui's menu, and its label there.

    It takes the place of the same program, whatever its label was. If another one has the label, it
    gets a number.
    """
    known = properties(text)
    size = known.get(f"{PROGRAMS}size", "0")
    number = int(size) if size.isascii() and size.isdigit() and len(size) < 5 else 0
    labels = [known.get(f"{PROGRAMS}{index}.label") for index in range(number)]
    commands = [known.get(f"{PROGRAMS}{index}.command", "") for index in range(number)]
    same = [index for index in range(number) if _asked(commands[index]) == _asked(command)]
    index = next((index for index in same if labels[index] == label), (*same, number)[0])
    taken = {*labels[:index], *labels[index + 1 :]}
    wanted = chain([label], (f"{label} ({other})" for other in count(2)))
    free = next(each for each in wanted if each not in taken)
    entry = {"label": free, "name": free, "command": command, "working-directory": ""}
    changes = {f"{PROGRAMS}{index}.{name}": value for name, value in entry.items()}
    changes[f"{PROGRAMS}size"] = str(max(number, index + 1))
    return with_properties(text, changes), free


def _asked(command: str) -> str:
    """Return what a command asks of `oddly`, wherever that is; all of another command."""
    found = _OF_OURS.match(command)
    return command if found is None else found[1]


def with_window(text: str, width: int) -> str:
    """Return the settings with a board that fills a screen and shows our words, where not set."""
    field = min(MAX_FIELD, int(BOARD_PIXELS / (width + _MARGIN)))
    wanted = {
        f"{WINDOW}windows/main/size-{width}/fieldsize": str(field),
        f"{WINDOW}show-grid": "true",
        # Letters of variations hide our words on stones, and so does the dot on the last tap.
        f"{WINDOW}show-variations": NO_VARIATIONS,
        f"{WINDOW}show-last-move": "false",
    }
    known = properties(text)
    return with_properties(text, {key: wanted[key] for key in wanted if key not in known})


def properties(text: str) -> dict[str, str]:
    """Return the values of Java properties by their keys."""
    return dict(_read(line) for line in text.splitlines() if _is_property(line))


def with_properties(text: str, changes: Mapping[str, str]) -> str:
    """Return the text of Java properties with these values, and the other lines as they are."""
    kept = [
        line for line in text.splitlines() if not (_is_property(line) and _read(line)[0] in changes)
    ]
    new = [f"{_escaped(key)}={_escaped(value)}" for key, value in changes.items()]
    return "\n".join([*kept, *new, ""])


def update(path: Path, label: str, command: str, width: int) -> str:
    """Put a program and the size of its board into GoGui's settings. Raises OSError.

    Returns its label, with a number if another program has that label.
    """
    free = label

    def changed(text: str) -> str:
        nonlocal free
        text, free = with_program(text, label, command)
        return with_window(text, width)

    change_file(path, changed, encoding="latin-1")
    return free


def quoted(words: tuple[str, ...]) -> str:
    """Return a command as GoGui reads it: it knows double quotes and no other quoting.

    Raises ValueError for a word with a double quote in it.
    """
    for word in words:
        if '"' in word:
            raise ValueError(f"GoGui cannot start a command with a double quote in it: {word}")
    return " ".join(
        f'"{word}"' if not word or any(c.isspace() for c in word) else word for word in words
    )


def _is_property(line: str) -> bool:
    return bool(line.strip()) and line.lstrip()[0] not in "#!"


def _read(line: str) -> tuple[str, str]:
    found = _LINE.fullmatch(line)
    key, value = ("", "") if found is None else found.groups()
    return _unescaped(key), _unescaped(value)


def _unescaped(text: str) -> str:
    plain = _ESCAPED.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else _CONTROLS.get(found[2], found[2]),
        text,
    )
    # Java writes a character beyond the first 65,536 as two.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(text: str) -> str:
    plain = re.sub(r"([\\:=#! ])", r"\\\1", text)
    return "".join(
        c if " " <= c <= "~" else "".join(f"\\u{unit:04x}" for unit in _utf16(c)) for c in plain
    )


def _utf16(character: str) -> list[int]:
    data = character.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
