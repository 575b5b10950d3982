"""The levels in words: their names with the measured strength beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.engines.levels import Level
    from oddly.games.game import Game


def level_text(level: Level) -> str:
    """Return `Level 3, learner (+340 Elo)`, or the name alone of a level that is not measured."""
    strength = f" (+{level.rating} Elo)" if level.rating else ""
    return f"Level {level.number}, {level.name}{strength}"


def what_the_ratings_say(game: Game) -> str:
    """Return on which board the levels were measured, and what that means for others."""
    usual = type(game)()
    board = f"base {usual.size}" if usual.board.shape == "hexhex" else f"{usual.size}x{usual.size}"
    return (
        f"Elo counts from level 1, as measured on {usual.title}'s usual board, {board}; on smaller "
        "boards the levels are closer to each other."
    )
