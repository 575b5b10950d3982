"""By how many groups the better side of Yodd or Xodd wins, near the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games import EMPTY, Colour, Parity, Position

if TYPE_CHECKING:
    from collections.abc import Hashable


MAX_EMPTY = 4
"""With more empty cells the search takes more than about a second."""


def perfect_margin(position: Position) -> tuple[Colour, int] | None:
    """Return the winner and the margin if both sides play for as many groups as they can.

    None for games without a margin, and where more than MAX_EMPTY cells are empty.
    """
    empty = sum(stone == EMPTY for stone in position.stones)
    if position.game.parity is not Parity.ENDS_TURNS or empty > MAX_EMPTY:
        return None
    lead = _lead(position, {})
    side = position.to_move if lead > 0 else position.to_move.other
    return side, abs(lead)


def _lead(position: Position, known: dict[Hashable, int]) -> int:
    """Return by how much the side to move wins; below 0 if it loses."""
    if position.is_over:
        return position.group_counts.lead(position.to_move)
    key = position.key
    if key not in known:
        known[key] = max(-_lead(position.play(turn), known) for turn in position.legal_turns())
    return known[key]
