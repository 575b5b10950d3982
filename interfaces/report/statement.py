"""A sentence about the groups on the board, by the rules of each game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.game import Parity

if TYPE_CHECKING:
    from oddly.games.game import Position


def statement(position: Position) -> str:
    """Return the counts of a position: `3 black + 2 white = 5 groups, odd`.

    Where parity decides the game, the sentence says who is ahead; where it means nothing, it has
    the counts alone.
    """
    game, (black, white) = position.game, position.group_counts
    total = black + white
    parity = "odd" if total % 2 else "even"
    if game.parity is Parity.WINS:
        side = "Black" if total % 2 else "White"
        verb = "wins" if position.is_over else "would win a full board"
        which = (game.counting or f"{game.counted}s").capitalize()
        return f"{which}: {black} black + {white} white = {total}, {parity}: {side} {verb}"
    if game.parity is Parity.NOTHING:
        words = game.counted if black == 1 else f"{game.counted}s"
        return f"{black} black {words}, {white} white {game.counted}{'' if white == 1 else 's'}"
    if total == 0:
        return f"No {game.counted}s yet"
    said = f"{black} black + {white} white = {game.counted_words(total)}, {parity}"
    result = position.result
    if result is not None and result.winner is not None:
        return f"{said}: {str(result.winner).capitalize()} has fewer and wins"
    return said
