"""Names for engines that give themselves the same name: each shows what is different.

`oddly engine rave --threads 2` beside `oddly engine rave` is `rave threads=2` beside `rave`.
"""

from __future__ import annotations

import os
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games.untrusted_text import short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PLACES = ("first", "second", "third")
"""Tells apart engines that are the same in everything."""


def told_apart(name: str, commands: Sequence[Sequence[str]]) -> list[str]:
    """Return different names for engines called `name`, from the words of their commands."""
    words = [list(_settings(command)) for command in commands]
    shared = {word for word in words[0] if all(word in each for each in words)}
    own = [[word for word in each if word not in shared] for each in words]
    names = [short_name(" ".join((name, *_parts(each, own)))) for each in own]
    if len(set(names)) == len(names):
        return names
    places = zip_longest(names, PLACES[: len(names)])
    return [f"{name} ({place or number})" for number, (name, place) in enumerate(places, start=1)]


def _settings(command: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command, an option with its value as one: `threads=2`."""
    option = ""
    for word in command:
        if word.startswith("--") and len(word) > 2:
            if option:
                yield option
            option = word.lstrip("-")
            if "=" in option:
                yield option
                option = ""
        elif option:
            yield f"{option}={word}"
            option = ""
        else:
            yield word
    if option:
        yield option


def _parts(own: Sequence[str], of_all: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the words of an engine; of a path only the first part that is not in all paths."""
    paths = [Path(word).parts for words in of_all for word in words if os.sep in word]
    shared = {part for part in chain(*paths) if all(part in path for path in paths)}
    for word in own:
        parts = Path(word).parts if os.sep in word else ()
        yield next((part for part in parts if part not in shared), word)
