"""What every game and every position of it offers.

A game is a frozen set of rules and settings; a position is an immutable value. Playing a turn
gives a new position, so taking a turn back is keeping the old one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from games.errors import IllegalTurn
from games.turns import Drops

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from games.board import Board
    from games.colour import Colour
    from games.result import GroupCounts, Result
    from games.turns import Drop, Turn

Setting = int | str | bool
"""A value of a game's setting: a size, a board shape, a threshold or a switch."""


class Status(NamedTuple):
    """What the rules look at besides the stones and the side to move."""

    passes: int = 0
    """Passes in a row (Yodd, Xodd)."""
    may_swap: bool = False
    """Whether a swap is open (Ayu with the pie rule)."""


class Game(ABC):
    """A game's rules with its settings chosen. Equal settings make equal games."""

    name: ClassVar[str]
    """Lower-case, as in `--game` and `set_game`."""

    size: int

    @property
    @abstractmethod
    def board(self) -> Board:
        """The empty board this game is played on."""

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, Setting]:
        """The game's settings other than its size, by name (`min_group`, `board`, `pie`)."""

    @abstractmethod
    def start(self) -> Position:
        """The initial position, Black to move."""

    @abstractmethod
    def set_up(self, stones: Sequence[int], to_move: Colour, status: Status) -> Position:
        """The position with these stones. Raises GameError if no game can come to it."""

    def __str__(self) -> str:
        """As a table's heading names it: `yodd 8`, `odd 5 (board square, min_group 5)`."""
        settings = ", ".join(f"{name} {setting_text(v)}" for name, v in self.settings.items())
        return f"{self.name} {self.size}" + (f" ({settings})" if settings else "")


class Position(ABC):
    """A game at the start of a turn."""

    __slots__ = ()

    game: Game
    """The rules and settings this position belongs to."""

    to_move: Colour
    """The side whose turn it is; after the end, the side whose turn it would be."""

    @property
    @abstractmethod
    def stones(self) -> Sequence[int]:
        """What lies on each index of the board: EMPTY or a Colour."""

    @property
    @abstractmethod
    def group_counts(self) -> GroupCounts:
        """The groups that count in this game, per colour."""

    @property
    @abstractmethod
    def result(self) -> Result | None:
        """How the game ended, or None while it goes on."""

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Equal for two positions of one game iff they are the same position.

        The stones, the side to move and whatever else the rules look at (passes in a row, a swap
        still open) are part of it; the way there is not.
        """

    @abstractmethod
    def legal_turns(self) -> Iterator[Turn]:
        """Every legal turn once, found as it is asked for; none once the game is over."""

    @abstractmethod
    def play(self, turn: Turn) -> Position:
        """The position after `turn`. Raises IllegalTurn with the reason."""

    @property
    def status(self) -> Status:
        """What the rules look at besides the stones and the side to move."""
        return Status()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.result is not None

    def is_legal(self, turn: Turn) -> bool:
        """Whether `turn` may be played here; enumerates nothing."""
        try:
            self.play(turn)
        except IllegalTurn:
            return False
        return True

    def outcomes(self) -> Iterator[tuple[Turn, GroupCounts]]:
        """Every legal turn with the group counts it leaves."""
        return ((turn, self.play(turn).group_counts) for turn in self.legal_turns())

    @property
    def most_drops(self) -> int:
        """The most stones that a turn may drop here; 0 in a game without drops."""
        return 0

    def group_counts_with(self, drops: Sequence[Drop]) -> GroupCounts:
        """The groups that would count with these drops, on empty vertices, made: legal or not."""
        if drops:
            raise ValueError(f"{self.game.name} has no drops")
        return self.group_counts

    def turns_with(self, drop: Drop) -> Iterator[Drops]:
        """Every legal turn that contains `drop`, a turn of that one drop first."""
        turn = Drops((drop,))
        if self.is_legal(turn):
            yield turn


def setting_text(value: Setting) -> str:
    """A setting as the protocol writes it: booleans are `true` and `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)
