"""Lines of JSON that a regular expression can read as well.

A line is one object without anything nested. Its values are strings, whole numbers from 0, and
booleans; a string is printable ASCII without quotes and backslashes, so that none needs an escape.
A list is a string of words with one space between two.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Fact = str | int | bool
"""What a field may hold."""

Facts = dict[str, Fact]
"""One line, its fields in the order in which they are written."""

CHECKSUM_BASE = 257
CHECKSUM_PRIME = 2**31 - 1

_KEY = re.compile("[a-z_]+")
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


def as_line(facts: Mapping[str, Fact]) -> str:
    """Return one line with its line feed. Raises ValueError for what would need an escape."""
    for key, value in facts.items():
        if not _KEY.fullmatch(key):
            raise ValueError(f"{key!r} is no name for a field")
        if isinstance(value, str) and not _PLAIN.fullmatch(value):
            raise ValueError(f"{key}: {value!r} needs an escape")
        if isinstance(value, int) and value < 0:
            raise ValueError(f"{key}: {value} is below 0")
    return json.dumps(facts, separators=(",", ":")) + "\n"


def words(items: Iterable[object]) -> str:
    """Return a list as one string."""
    return " ".join(map(str, items))


def checksum(items: Iterable[object]) -> int:
    """Return a number from 0 to 2**31 - 2 for a set of texts, whatever their order.

    Each text is a polynomial in its bytes, and the values are summed. No step exceeds 2**40, so
    that languages whose numbers are doubles can follow.
    """
    total = 0
    for item in items:
        value = 0
        for byte in str(item).encode("ascii"):
            value = (value * CHECKSUM_BASE + byte) % CHECKSUM_PRIME
        total = (total + value) % CHECKSUM_PRIME
    return total
