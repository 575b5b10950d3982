"""Marks that turns leave on the board: the last turn's vertices, and each stone's number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.games.turns import Drops, Move

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.games.turns import Turn, Vertex


@dataclass(frozen=True, slots=True)
class Trace:
    """The last turn's marks, and the numbers, from 1, of the turns that put stones where they lie.

    `placed` are the vertices that received a stone by the last turn, `left` those that lost one.
    """

    placed: frozenset[Vertex] = frozenset()
    left: frozenset[Vertex] = frozenset()
    numbers: Mapping[Vertex, int] = field(default_factory=dict)


def trace_of(turns: Iterable[Turn]) -> Trace:
    """Return the trace of turns from the start of a game."""
    placed: frozenset[Vertex] = frozenset()
    left: frozenset[Vertex] = frozenset()
    numbers: dict[Vertex, int] = {}
    for number, turn in enumerate(turns, start=1):
        placed, left = touched(turn)
        for vertex in left:
            numbers.pop(vertex, None)
        numbers.update(dict.fromkeys(placed, number))
    return Trace(placed, left, numbers)


def touched(turn: Turn) -> tuple[frozenset[Vertex], frozenset[Vertex]]:
    """Return the vertices that receive a stone by this turn, and those that lose one."""
    match turn:
        case Drops(drops):
            return frozenset(drop.vertex for drop in drops), frozenset()
        case Move(origin, destination):
            return frozenset((destination,)), frozenset((origin,))
        case _:
            return frozenset(), frozenset()
