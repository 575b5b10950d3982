"""The two colours, and what a player may do in one turn, as values that know how they are written.

A turn names its vertices by their text (`k5`), so that a turn off the board can be spoken of and
refused. `as_turn` reads what is written here; `protocol/notation.py` also reads other spellings and
says which character is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from oddly.games.errors import Illegality, IllegalTurn

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


Vertex = str
"""A lower-case letter and a number without leading zeros: `a1`, `h8`, `s19`."""


@lru_cache(maxsize=8192)
def vertex_order(vertex: Vertex) -> tuple[int, str]:
    """Sort key of the canonical order: by number, then by letter (`k5` before `e13`)."""
    return int(vertex[1:]), vertex[0]


@dataclass(frozen=True, slots=True)
class Drop:
    """One stone of either colour placed on one vertex. Written `Bk5`."""

    colour: Colour
    vertex: Vertex

    def __str__(self) -> str:
        return f"{self.colour.letter}{self.vertex}"


@dataclass(frozen=True, slots=True)
class Drops:
    """A turn that places stones. Their order does not matter; it is kept and written canonically.

    Any number of drops can be expressed, so that the rules can refuse the wrong ones by name.
    """

    drops: tuple[Drop, ...]

    def __post_init__(self) -> None:
        drops = self.drops
        if len(drops) > 1 and (len(drops) > 2 or _drop_order(drops[0]) > _drop_order(drops[1])):
            object.__setattr__(self, "drops", tuple(sorted(drops, key=_drop_order)))

    @classmethod
    def in_order(cls, *drops: Drop) -> Drops:
        """Return the turn of drops that come in the canonical order, as most that are listed do."""
        turn = object.__new__(cls)
        object.__setattr__(turn, "drops", drops)
        return turn

    def __str__(self) -> str:
        return ",".join([f"{drop.colour.letter}{drop.vertex}" for drop in self.drops])


def _drop_order(drop: Drop) -> tuple[tuple[int, str], int]:
    return vertex_order(drop.vertex), drop.colour


@dataclass(frozen=True, slots=True)
class Move:
    """A turn of Ayu: the piece on `origin` goes to `destination`. Written `d4-d5`."""

    origin: Vertex
    destination: Vertex

    def __str__(self) -> str:
        return f"{self.origin}-{self.destination}"


@dataclass(frozen=True, slots=True)
class Pass:
    """A turn that leaves the board as it is. Written `pass`."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class Swap:
    """The pie rule's turn: the players exchange colours, the stones stay. Written `swap`."""

    def __str__(self) -> str:
        return "swap"


Turn = Drops | Move | Pass | Swap

PASS = Pass()
SWAP = Swap()

_VERTEX = "[a-z][1-9][0-9]?"
DROPS = re.compile(f"[BW]{_VERTEX}(?:,[BW]{_VERTEX})*")
MOVE = re.compile(f"({_VERTEX})-({_VERTEX})")
"""Turns as they are written."""


def as_turn(turn: Turn | str) -> Turn:
    """Return a turn, which may be given as it is written.

    Raises IllegalTurn for any other text.
    """
    if not isinstance(turn, str):
        return turn
    if DROPS.fullmatch(turn):
        return Drops(tuple(map(written_drop, turn.split(","))))
    if found := MOVE.fullmatch(turn):
        return Move(found[1], found[2])
    if turn in ("pass", "swap"):
        return PASS if turn == "pass" else SWAP
    raise IllegalTurn(
        Illegality.WRONG_KIND,
        f"{turn[:80]!r} is not how a turn is written: Bc3, Bc3,Wd4, d4-d5, pass or swap",
    )


@lru_cache(maxsize=8192)
def written_drop(text: str) -> Drop:
    """Return the drop that is written `Bk5`."""
    return Drop(Colour.BLACK if text[0] == "B" else Colour.WHITE, text[1:])
