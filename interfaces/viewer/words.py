"""The words and colours with which pages show games."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.games import Colour, Game


def title(game: Game) -> str:
    """Return for example `Yodd, base 6` or `Xodd, 12x12`, with unusual settings."""
    shape = game.board.shape
    size = f"base {game.size}" if shape == "hexhex" else f"{game.size}x{game.size}"
    return f"{game.title}, {size}" + (f", {game.variant}" if game.variant else "")


def first_colour(mover: int, to_move: Colour) -> Colour:
    """Return the colour of the player who opened, where `mover` is to move and holds `to_move`."""
    return to_move if mover == 0 else to_move.other
