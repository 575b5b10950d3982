"""The two colours of stones, which are also the names of the two sides."""

from __future__ import annotations

from enum import IntEnum

EMPTY = 0
"""What an index of a board holds when no stone lies there."""


class Colour(IntEnum):
    """A stone's colour, or the side that plays under that name. Never equal to EMPTY."""

    BLACK = 1
    WHITE = 2

    @property
    def other(self) -> Colour:
        """The opponent's colour."""
        return _OTHER[self]

    @property
    def letter(self) -> str:
        """`B` or `W`, as drops and results are written."""
        return "B" if self is Colour.BLACK else "W"

    def __str__(self) -> str:
        return "black" if self is Colour.BLACK else "white"


_OTHER = (Colour.BLACK, Colour.WHITE, Colour.BLACK)
"""By the number of a colour: a dictionary would call a Python function to hash the colour."""
