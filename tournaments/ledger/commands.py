"""Comparing commands and options of engines, apart from the paths of files."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|java|ruby|perl|php|lua|luajit|julia|Rscript|guile|racket|"
    r"sbcl|bash|dash|zsh|sh|env)[-0-9.]*"
)


def is_interpreter(program: str) -> bool:
    """Return whether a program only runs an engine, which is another file."""
    return INTERPRETER.fullmatch(PurePath(program).name) is not None


def same_command(old: list[str], new: list[str]) -> bool:
    """Return whether two commands differ only in the paths of files."""
    one, other = _without_launcher(old), _without_launcher(new)
    return len(one) == len(other) and all(
        before == now or place == 0 or _are_paths(before, now)
        for place, (before, now) in enumerate(zip(one, other, strict=True))
    )


def same_options(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Return whether the options of an engine differ only in the paths of files.

    The contents of files are compared by their hashes, see engines.py.
    """
    return old.keys() == new.keys() and all(
        before == new[name] or (_is_absolute(before, new[name]) and _are_paths(before, new[name]))
        for name, before in old.items()
    )


def _is_absolute(*words: str) -> bool:
    """Return whether one of the words is a path from the root: `1/2` may be a number."""
    return any(PurePath(word).is_absolute() for word in words)


def _without_launcher(words: list[str]) -> list[str]:
    """Return the words of a command of ours after what runs oddly, which is one word then."""
    for launcher in (["-m", "oddly"], ["-P", "-m", "oddly"]):
        if words[1 : 1 + len(launcher)] == launcher:
            return ["oddly", *words[1 + len(launcher) :]]
    if words and PurePath(words[0]).name == "oddly":
        return ["oddly", *words[1:]]
    return words


def _are_paths(before: str, now: str) -> bool:
    """Return whether both words name a file, or may have named one on another machine."""
    if before.startswith("-"):
        (option, _, before), (same, _, now) = before.partition("="), now.partition("=")
        if option != same:
            return False
    if PurePath(before).name == PurePath(now).name:
        return "/" in before or "/" in now
    try:
        is_file = Path(now).is_file()
    except (OSError, ValueError):
        is_file = False
    return is_file and "/" in before
