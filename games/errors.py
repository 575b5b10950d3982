"""What can be wrong with a turn, a game's settings or a diagram."""

from __future__ import annotations

from difflib import get_close_matches
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


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


class GameError(ValueError):
    """A game, size or setting that does not exist. The message is one sentence.

    `about` names what is wrong: `game`, `size` or the setting.
    """

    def __init__(self, sentence: str, about: str = "game") -> None:
        super().__init__(sentence)
        self.about = about


class DiagramError(ValueError):
    """A diagram that is not a position of the game. The message names the line."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'yodd'?` for a near miss, else an empty string."""
    close = get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
