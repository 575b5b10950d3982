"""What a game's rules make of groups, of the colours, and of what is not on the board."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Parity(Enum):
    """What it means that the number of groups that count is odd."""

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
