"""The wording of numbers and lists of things in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def counted(number: int, thing: str, style: str = "") -> str:
    """Return `1 game`, `2 games`; `style` is a format for the number, such as `,`."""
    return f"{number:{style}} {thing}{'' if number == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`, from one word or more."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
