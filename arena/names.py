"""Names of engines, families and owners: plain, short, and not easily confused.

Two are look-alikes if they have the same skeleton, as in Unicode Technical Standard 39 for the
letters allowed here: case, spaces, hyphens and underlines do not count, and neither does the
difference between `I`, `l` and `1`, `O` and `0`, or `rn` and `m`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_NAME = 40
MAX_KNOWN = 20_000
"""The number of skeletons remembered."""

_ALLOWED = re.compile(r"[A-Za-z0-9 ._-]")
_GAME = re.compile(r"[0-9a-f]{16}")
_SEPARATORS = str.maketrans("", "", " -_")
_LOOK_ALIKES = str.maketrans({"i": "l", "1": "l", "0": "o"})


class UnfitNameError(ValueError):
    """A text cannot be a name. The message is one sentence."""


def plain_name(text: str, what: str = "name") -> str:
    """Return a name in its only spelling: compatible characters are replaced, spaces are single.

    Raises UnfitNameError, whose message calls the name `what`.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    for character in name:
        if not _ALLOWED.fullmatch(character):
            raise UnfitNameError(
                f"the {what} {text[:60]!r} has the character {character!r}, expected letters a to "
                "z, digits, spaces and . _ -"
            )
    if not 1 <= len(name) <= MAX_NAME:
        raise UnfitNameError(
            f"the {what} {text[:60]!r} has {len(name)} characters, expected 1 to {MAX_NAME}"
        )
    if not (name[0].isalnum() and name[-1].isalnum() and any(map(str.isalpha, name))):
        raise UnfitNameError(
            f"the {what} {text[:60]!r} is expected to have a letter, and to begin and end with a "
            "letter or a digit"
        )
    return name


def check_new(name: str) -> None:
    """Raise UnfitNameError for a plain name that is not for a new engine.

    An order of the keeper may name a game or an engine, so an engine is not called like a game.
    """
    if _GAME.fullmatch(name.lower()):
        raise UnfitNameError(
            f"the name {name!r} looks like the id of a game (16 hexadecimal digits): choose another"
        )


@lru_cache(MAX_KNOWN)
def skeleton(name: str) -> str:
    """Return the form that a plain name shares with its look-alikes."""
    bare = name.lower().translate(_SEPARATORS).translate(_LOOK_ALIKES)
    return bare.replace("rn", "m")


def slug(name: str) -> str:
    """Return a name for addresses and files, different for names that are not look-alikes."""
    return name.lower().replace(" ", "-").replace("_", "-")


def visitor_name(word: str) -> str:
    """Return the name of a visitor in a game, which no engine can have."""
    return f"a visitor ({word})"


def is_visitor(name: str) -> bool:
    """Return whether a name is a visitor's."""
    return name.startswith("a visitor (")
