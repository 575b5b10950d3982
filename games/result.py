"""How a finished game ended, by the rules alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from oddly.games.colour import Colour


class GroupCounts(NamedTuple):
    """How many groups each colour has: those that the game's rules count."""

    black: int
    white: int

    @property
    def total(self) -> int:
        """Groups of both colours together."""
        return self.black + self.white

    def lead(self, side: Colour) -> int:
        """Return how many groups fewer a side has than the opponent."""
        difference = self.white - self.black
        return difference if side == 1 else -difference

    def changed(self, colour: Colour, by: int) -> GroupCounts:
        """Return these counts with `by` more groups of one colour."""
        black, white = self
        return GroupCounts(black + by, white) if colour == 1 else GroupCounts(black, white + by)


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
