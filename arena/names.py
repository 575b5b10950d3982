"""Names of engines, families and owners: plain, short, and not easily confused.

Two names are look-alikes if they have the same skeleton, as in Unicode Technical Standard 39 for
the letters that are left here: case, spaces, hyphens and underlines do not count, and neither does
the difference between `I`, `l` and `1`, `O` and `0`, or `rn` and `m`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MAX_NAME = 40
MAX_KNOWN = 20_000
"""How many skeletons are remembered."""

_ALLOWED = re.compile(r"[A-Za-z0-9 ._-]")
_SEPARATORS = str.maketrans("", "", " -_")
_LOOK_ALIKES = str.maketrans({"i": "l", "1": "l", "0": "o"})


class UnfitNameError(ValueError):
    """A text cannot be a name. The message is one sentence."""


def plain_name(text: str, what: str = "name") -> str:
    """Return a name in its only spelling: compatible characters are replaced, spaces are single.

    Raises UnfitNameError, which calls it `what`.
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


@lru_cache(MAX_KNOWN)
def skeleton(name: str) -> str:
    """Return what a plain name has in common with its look-alikes."""
    bare = name.lower().translate(_SEPARATORS).translate(_LOOK_ALIKES)
    return bare.replace("rn", "m")


def slug(name: str) -> str:
    """Return a name for addresses and files. It differs for names that are not look-alikes."""
    return name.lower().replace(" ", "-").replace("_", "-")


def visitor_name(word: str) -> str:
    """Return the name of a visitor in a game, which no engine can have."""
    return f"a visitor ({word})"


def is_visitor(name: str) -> bool:
    """Return whether a name is that of a visitor."""
    return name.startswith("a visitor (")
