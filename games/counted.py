"""Numbers of things, as sentences have them."""

from __future__ import annotations


def counted(number: int, thing: str, style: str = "") -> str:
    """Return `1 game`, `2 games`; `style` is a format for the number, such as `,`."""
    return f"{number:{style}} {thing}{'' if number == 1 else 's'}"
