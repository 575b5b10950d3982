"""From an engine's choice to a turn that does not lose on the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.result import Ending
from oddly.games.turns import Move, Swap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.games.game import Position
    from oddly.games.turns import Turn


def loses_there(position: Position, turn: Turn) -> bool:
    """Return whether a turn brings a position back, which loses on the site."""
    result = position.play(turn).result
    return result is not None and result.ending is Ending.REPETITION


def instead(position: Position, candidates: Iterable[Turn]) -> Turn | None:
    """Return the best turn that brings no position back; None if every legal turn does.

    `candidates` are what the engine thinks well of, the best first. Without any that is legal and
    safe, a turn that wins is taken, or else the one that the rules of thumb of the game like best.
    """
    safe = [turn for turn in position.legal_turns() if not loses_there(position, turn)]
    if not safe:
        return None
    for turn in candidates:
        if turn in safe:
            return turn
    mover = position.to_move

    def worth(turn: Turn) -> tuple[bool, int]:
        after = position.play(turn)
        won = after.result is not None and after.result.winner is mover
        return won, position.game.score(after.group_counts, mover) or 0

    return max(safe, key=worth)


def turns_among(actions: Iterable[object]) -> list[Turn]:
    """Return the actions that are whole turns."""
    return [action for action in actions if isinstance(action, Move | Swap)]
