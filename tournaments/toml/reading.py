"""Reads a TOML file that a user wrote, within bounds."""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any

from oddly.games import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 1 << 20
MAX_KEY_PARTS = 16
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:{_PART}){{{MAX_KEY_PARTS}}}", re.ASCII)


class TomlFileError(ValueError):
    """A file is wrong. The message has a line for each problem, with its place."""


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text of a file and the value that it holds.

    Raises TomlFileError if it cannot be read or is not TOML.
    """
    text = _read(path)
    if _LONG_KEY.search(text):
        # tomllib takes time quadratic in the length.
        raise TomlFileError(f"{path}: a key has more than {MAX_KEY_PARTS} parts")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TomlFileError(_syntax_error(path, str(error))) from None
    except ValueError:
        raise TomlFileError(f"{path}: a number has too many digits") from None
    except RecursionError:
        raise TomlFileError(f"{path}: lists or tables are nested too deeply") from None


def _read(path: Path) -> str:
    try:
        if path.is_dir():
            raise TomlFileError(f"{path} is a directory, not a file")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise TomlFileError(f"{path} is larger than {LARGEST_FILE} bytes")
        return data.removeprefix(BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except FileNotFoundError:
        near = did_you_mean(path.name, [p.name for p in path.parent.glob("*.toml")])
        raise TomlFileError(f"there is no file {path}{near}") from None
    except UnicodeDecodeError as error:
        raise TomlFileError(f"{path} is not UTF-8 text, at byte {error.start}") from None
    except OSError as error:
        raise TomlFileError(f"{path} cannot be read: {error.strerror}") from None


def _syntax_error(path: Path, message: str) -> str:
    place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
    if place is None:
        return f"{path}: not TOML: {message}"
    return f"{path}:{place[1]}: not TOML, at column {place[2]}: {message[: place.start()]}"
