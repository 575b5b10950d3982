"""The two colours, what a player may do in one turn, and what can be wrong with it.

A turn is a value that knows its own notation. It names its vertices by their text (`k5`), so that a
turn off the board can be expressed and refused. `as_turn` reads what is written here;
`protocol/notation.py` also reads other spellings and says which character is wrong.

The last two errors concern a game's settings and a diagram.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum, IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


EMPTY = 0
"""The value at an index of a board without a stone."""


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
"""By a colour's number: a dictionary would call a Python function to hash the colour."""


Vertex = str
"""A lower-case letter and a number without leading zeros: `a1`, `h8`, `s19`."""


@lru_cache(maxsize=8192)
def vertex_order(vertex: Vertex) -> tuple[int, str]:
    """Return the sort key of the canonical order: number, then letter (`k5` before `e13`)."""
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
        """Return the turn of drops that are already in canonical order."""
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
"""What a player does when it is their turn."""

PASS = Pass()
"""The turn that leaves the board as it is."""
SWAP = Swap()
"""The turn by which the players exchange colours."""

_VERTEX = "[a-z][1-9][0-9]?"
DROPS = re.compile(f"[BW]{_VERTEX}(?:,[BW]{_VERTEX})*")
MOVE = re.compile(f"({_VERTEX})-({_VERTEX})")
"""Turns as they are written."""


def player_after(turn: object, mover: Colour) -> Colour:
    """Return the colour that the player `mover` holds after a turn or action: a swap exchanges it.

    The result of the position after a turn names its winner by that colour.
    """
    return mover.other if isinstance(turn, Swap) else mover


def as_turn(turn: Turn | str) -> Turn:
    """Return a turn, given as such or as canonical text.

    Raises IllegalTurn for other text, and for a Drop, which is not a turn by itself.
    """
    if isinstance(turn, Drop):
        raise IllegalTurn(
            Illegality.WRONG_KIND,
            f"{turn} is a Drop, not a turn: the turn of one drop is Drops((drop,)), or its text",
        )
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


class Illegality(Enum):
    """The rule that an illegal turn breaks."""

    GAME_OVER = "game over"
    WRONG_KIND = "wrong kind of turn"
    OFF_BOARD = "off the board"
    OCCUPIED = "occupied"
    SAME_VERTEX = "two drops on one vertex"
    DROP_COUNT = "wrong number of drops"
    FIRST_TURN = "first turn must be one drop"
    PARITY = "even number of groups"
    NO_PIECE = "no piece to move"
    WRONG_PIECE = "opponent's piece"
    NOT_ADJACENT = "too far"
    SPLITS_GROUP = "splits the group"
    NOT_CLOSER = "does not get closer"
    NO_SWAP = "no swap now"
    FORBIDDEN = "forbidden here"
    """For rules of other packages' games that nothing else here names."""


class IllegalTurn(ValueError):
    """A turn that the rules refuse. `reason` is one sentence for the player.

    >>> import oddly
    >>> position = oddly.create_game("yodd", 3).start().play("Bc3")
    >>> try:
    ...     position.play("Wc3")
    ... except oddly.IllegalTurn as error:
    ...     print(error.reason)
    c3 is occupied
    """

    def __init__(self, illegality: Illegality, reason: str) -> None:
        super().__init__(reason)
        self.illegality = illegality
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made, in another process too."""
        return type(self), (self.illegality, self.reason), self.__dict__


class GameError(ValueError):
    """A game, size or setting that does not exist. The message is one sentence.

    `about` names what is wrong: `game`, `size` or the setting.
    """

    def __init__(self, sentence: str, about: str = "game") -> None:
        super().__init__(sentence)
        self.about = about


class DiagramError(ValueError):
    """A diagram that is not a position of the game. The message names the line."""


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `; did you mean 'yodd'?` for a near miss, else an empty string.

    `cutoff` is how similar the words have to be, from 0 to 1, as in `difflib`.
    """
    close = get_close_matches(word.lower(), list(known), n=1, cutoff=cutoff)
    return f"; did you mean {close[0]!r}?" if close else ""
