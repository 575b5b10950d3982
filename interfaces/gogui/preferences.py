"""GoGui's settings, a file of Java properties: the programs in its menu, and the size of a board.

Lines that are not ours stay as they are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = ".gogui-prefs"
PROGRAMS = "net.sf.gogui.gui.program."
WINDOW = "net.sf.gogui.gogui."
BOARD_PIXELS = 820
MAX_FIELD = 80
"""Pixels of a point on a small board."""
_MARGIN = 1.2
"""Points that the coordinates around the board take."""

_HOME = re.compile(r"-Duser\.home=(?:\"([^\"]*)\"|(\S+))")
_LINE = re.compile(r"\s*((?:\\.|[^\\:=\s])*)\s*[:=]?\s*(.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def preferences_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file, in the home that Java knows."""
    options = " ".join(environment.get(name, "") for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"))
    if found := _HOME.search(options):
        return Path(found[1] or found[2], FILE)
    import pwd

    return Path(pwd.getpwuid(os.getuid()).pw_dir, FILE)


def with_program(text: str, label: str, command: str) -> str:
    """Return the settings with a program in GoGui's menu; one of the same label is replaced."""
    known = properties(text)
    size = known.get(f"{PROGRAMS}size", "0")
    number = int(size) if size.isdecimal() else 0
    labels = [known.get(f"{PROGRAMS}{index}.label") for index in range(number)]
    index = labels.index(label) if label in labels else number
    entry = {"label": label, "name": label, "command": command, "working-directory": ""}
    changes = {f"{PROGRAMS}{index}.{name}": value for name, value in entry.items()}
    return with_properties(text, changes | {f"{PROGRAMS}size": str(max(number, index + 1))})


def with_window(text: str, width: int) -> str:
    """Return the settings with a board that fills a screen, and coordinates, unless chosen."""
    field = min(MAX_FIELD, int(BOARD_PIXELS / (width + _MARGIN)))
    wanted = {
        f"{WINDOW}windows/main/size-{width}/fieldsize": str(field),
        f"{WINDOW}show-grid": "true",
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


def update(path: Path, label: str, command: str, width: int) -> None:
    """Put a program and the size of its board into GoGui's settings. Raises OSError."""
    text = path.read_text(encoding="latin-1") if path.exists() else ""
    text = with_window(with_program(text, label, command), width)
    part = path.with_name(f"{path.name}.oddly")
    try:
        part.write_text(text, encoding="latin-1")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def quoted(words: tuple[str, ...]) -> str:
    """Return a command as GoGui reads it, which knows double quotes and no other way of quoting.

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
