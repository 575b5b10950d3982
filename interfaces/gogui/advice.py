"""What an engine would play, as a sentence: also where a human has begun the turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oddly.interfaces.gogui.display import spelt
from oddly.protocol import Resign

if TYPE_CHECKING:
    from oddly.games import PartialTurn, Turn

GOOD = 0.1
"""How much more often the best turn may win than a turn that is still called good."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A turn, how often its player wins after it if the engine says so, and a better one.

    `otherwise` is what the engine would play without the stones that are placed, if that differs.
    """

    turn: Turn | Resign
    win_rate: float | None = None
    otherwise: Advice | None = None


def sentence(name: str, partial: PartialTurn, advice: Advice) -> str:
    """Return what the engine `name` would make of the turn.

    It says so if no good turn has the stones that are placed.
    """
    if isinstance(advice.turn, Resign):
        return f"{name} would resign"
    board = partial.start.game.board
    side = str(partial.to_move).capitalize()
    text = f"{name} would play {spelt(board, advice.turn)} as {side}{_wins(advice)}"
    otherwise = advice.otherwise
    if otherwise is None:
        return text
    if isinstance(otherwise.turn, Resign):
        return f"{text}; without these stones it would resign"
    better = f"{spelt(board, otherwise.turn)}{_wins(otherwise)}"
    if advice.win_rate is None or otherwise.win_rate is None:
        return f"{text}; without these stones it would play {better}"
    if otherwise.win_rate - advice.win_rate <= GOOD:
        return f"{text}; {better}, is about as good"
    placed = ", ".join(spelt(board, drop) for drop in partial.drops)
    return f"{text}; no good turn has {placed}: better {better}"


def _wins(advice: Advice) -> str:
    return "" if advice.win_rate is None else f", and win {advice.win_rate:.0%}"
