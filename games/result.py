"""What groups and colours mean in the rules, and how a finished game ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from oddly.games.turns import Colour

_BLACK = Colour.BLACK
"""A member by a name of its own, found faster than in its class."""


class Parity(Enum):
    """What an odd number of counted groups means."""

    NOTHING = "nothing"
    ENDS_TURNS = "a turn may end there"
    WINS = "Black wins if the game ends there, White otherwise"


class Exchange(Enum):
    """What must be exchanged with the colours of all stones for the game to stay the same."""

    NOTHING = "nothing is known"
    PLAYERS = "the players"
    STONES = "each other, the players staying as they are"


class Status(NamedTuple):
    """What the rules look at besides the stones and the side to move."""

    passes: int = 0
    """Passes in a row (Yodd, Xodd)."""
    may_swap: bool = False
    """Whether a swap is open (Ayu with the pie rule)."""


class GroupCounts(NamedTuple):
    """The number of groups of each colour that the game's rules count."""

    black: int
    white: int

    @property
    def total(self) -> int:
        """Groups of both colours together."""
        return self.black + self.white

    def lead(self, side: Colour) -> int:
        """Return how many fewer groups a side has than the opponent."""
        difference = self.white - self.black
        return difference if side == _BLACK else -difference

    def changed(self, colour: Colour, by: int) -> GroupCounts:
        """Return these counts with `by` more groups of one colour."""
        black, white = self
        if colour == _BLACK:
            return GroupCounts(black + by, white)
        return GroupCounts(black, white + by)


class Ending(Enum):
    """The rule that ended a game."""

    DOUBLE_PASS = "both players passed"
    BOARD_FULL = "the board is full"
    NO_MOVES = "the player to move has no legal move"
    REPETITION = "the position occurred before"
    GOAL = "the goal of the game is reached"
    """For games of other packages."""


@dataclass(frozen=True, slots=True)
class Result:
    """The winner, or None for a draw, how it ended, and the margin in groups if the game has one.

    Written as `final_score` answers it: `B+1`, `W+`, `0`.
    """

    winner: Colour | None
    ending: Ending
    margin: int | None = None

    def __str__(self) -> str:
        if self.winner is None:
            return "0"
        return f"{self.winner.letter}+{'' if self.margin is None else self.margin}"
