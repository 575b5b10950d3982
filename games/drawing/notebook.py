"""What a notebook shows of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.drawing.picture import picture_of
from oddly.games.drawing.svg import svg

if TYPE_CHECKING:
    from oddly.games.drop_level import DropPosition
    from oddly.games.game import Position


def notebook_svg(position: Position | DropPosition) -> str:
    """Return a picture with whose turn it is, or the result, below."""
    title = position.game.title
    if position.result is not None:
        return svg(picture_of(position, caption=f"{title}: {position.result}"))
    return svg(picture_of(position, caption=f"{title}: {position.to_move} to move"))
