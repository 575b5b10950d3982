"""Ayu's units and the distance between them, by flood fill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.games.board import Board
    from oddly.games.colour import Colour

Unit = frozenset[int]
"""The indices of a singleton, or of a set of adjacent pieces of one colour."""


def unit_at(board: Board, stones: Sequence[int], index: int) -> Unit:
    """Return the unit of the piece on `index`."""
    colour = stones[index]
    unit = {index}
    frontier = [index]
    while frontier:
        for neighbour in board.neighbours[frontier.pop()]:
            if stones[neighbour] == colour and neighbour not in unit:
                unit.add(neighbour)
                frontier.append(neighbour)
    return frozenset(unit)


def units(board: Board, stones: Sequence[int], colour: Colour) -> list[Unit]:
    """Return all units of one colour, by their lowest index."""
    found: list[Unit] = []
    seen: set[int] = set()
    for index, stone in enumerate(stones):
        if stone == colour and index not in seen:
            unit = unit_at(board, stones, index)
            seen |= unit
            found.append(unit)
    return found


def closest_distance(board: Board, stones: Sequence[int], unit: Unit) -> int | None:
    """Empty points on the shortest path from `unit` to a friendly one; None without a path."""
    colour = stones[next(iter(unit))]
    seen = set(unit)
    frontier = list(unit)
    distance = 0
    while frontier:
        reached: list[int] = []
        for index in frontier:
            for neighbour in board.neighbours[index]:
                if neighbour in seen:
                    continue
                seen.add(neighbour)
                if stones[neighbour] == colour:
                    return distance
                if stones[neighbour] == EMPTY:
                    reached.append(neighbour)
        frontier = reached
        distance += 1
    return None
