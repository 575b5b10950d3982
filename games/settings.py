"""Settings that games share: how a size, a board shape or a threshold is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.errors import GameError

if TYPE_CHECKING:
    from games.board import Shape

LARGEST_BASE = 13
LARGEST_SQUARE = 19


def check_size(name: str, size: int, smallest: int, largest: int, noun: str) -> None:
    """Raise GameError unless `size` lies in the game's range."""
    if not smallest <= size <= largest:
        raise GameError(
            f"unacceptable size {size}: {name.capitalize()} is played on a {noun} "
            f"from {smallest} to {largest}",
            about="size",
        )


def check_board_size(name: str, shape: Shape, size: int) -> None:
    """Raise GameError unless a board of `shape` and `size` fits into 26 letters and our limits."""
    if shape == "hexhex":
        check_size(name, size, 2, LARGEST_BASE, "hexhex board of base")
    else:
        check_size(name, size, 2, LARGEST_SQUARE, "square board of size")
