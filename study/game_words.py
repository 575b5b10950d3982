"""What the texts of a study may say of a game: no passes or pairs of drops where it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.turns import Drops, Move, Pass

if TYPE_CHECKING:
    from oddly.games.game import Game


def has_passes(game: Game) -> bool:
    """Return whether a player may pass."""
    return Pass in game.turn_kinds


def has_pairs(game: Game) -> bool:
    """Return whether a turn may have two drops; in the games that we know, those with passes."""
    return Drops in game.turn_kinds and has_passes(game)


def action_words(game: Game) -> str:
    """Return the kinds of actions of a game as a list, such as `a drop or a pass`."""
    words = []
    if Drops in game.turn_kinds:
        words.append("a drop")
    if has_pairs(game):
        words.append("the end of a turn that could go on")
    if has_passes(game):
        words.append("a pass")
    if Move in game.turn_kinds:
        words.append("a move")
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
