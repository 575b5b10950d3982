"""Perft: counting sequences of legal turns or actions, to compare implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oddly.games.drop_level import DropPosition

if TYPE_CHECKING:
    from oddly.games.game import Position

Step = Literal["turn", "drop"]


def perft(position: Position, depth: int, by: Step = "turn") -> list[int]:
    """Return how many sequences of 1, 2, ... `depth` legal steps start at `position`.

    By turn, a pair of drops counts once and a pass is a turn. By drop, single drops, `end` and
    `pass` are the steps. A finished game has no continuation.
    """
    counts = [0] * depth
    if by == "turn":
        _count_turns(position, 0, counts)
    else:
        _count_actions(DropPosition(position), 0, counts)
    return counts


def _count_turns(position: Position, level: int, counts: list[int]) -> None:
    if level == len(counts):
        return
    for turn in position.legal_turns():
        counts[level] += 1
        if level + 1 < len(counts):
            _count_turns(position.play(turn), level + 1, counts)


def _count_actions(position: DropPosition, level: int, counts: list[int]) -> None:
    if level == len(counts):
        return
    for action in position.actions():
        counts[level] += 1
        if level + 1 < len(counts):
            _count_actions(position.act(action), level + 1, counts)
