"""Ayu's units: which pieces are one, how far it is to the next, and where they may go.

`ayu.py` has the rules one by one, and names the rule that a move breaks; for that, a unit is a set
of indices (`Unit`). The legal moves are found for a whole unit at a time, on sets of points
(`Units`), by two consequences of the rules:

- A unit gets closer if and only if one of its pieces goes to one of its *goals*: the empty points
  next to it that lie on a shortest path to a friendly unit. Where two units have an empty point
  next to both, those are the goals. Otherwise a wave from the points next to all others finds them.
  It does not matter which piece goes there: the point that it leaves is farther away than any goal.
- A piece may leave for each goal that is next to every part of the unit without it.

Both depend only on a unit and its goals, and a turn changes few of these, so results are cached
(`lru_cache`) for the next positions.
"""

from __future__ import annotations

from bisect import insort
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oddly.games.board import Board, Points, indices_of
from oddly.games.groups import Group, groups_in
from oddly.games.turns import EMPTY, Colour, Move

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    """Return the number of empty points on the shortest path to a friendly unit, if any."""
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


Units = tuple[Group, ...]
"""The units of one colour as sets of points, by their lowest index."""


def goals_of(board: Board, units: Units, empty: Points) -> list[Points]:
    """Return each unit's goals: the empty points where its pieces bring it closer to another."""
    near_one = near_two = 0
    for _, beside in units:
        near_two |= near_one & beside
        near_one |= beside
    near_one &= empty
    near_two &= empty
    return [
        beside & near_two or _reached(board, beside, near_one & ~beside, empty)
        for _, beside in units
    ]


def _reached(board: Board, beside: Points, wave: Points, empty: Points) -> Points:
    """Return the points of `beside` that a wave over empty points reaches first, if any."""
    size, (first_column, last_column) = board.size, _columns(board)
    front = wave
    while front:
        right, left = (front & ~last_column) << 1, (front & ~first_column) >> 1
        front = (right | left | front << size | front >> size) & empty & ~wave
        wave |= front
        if front & beside:
            return front & beside
    return 0


@cache
def _columns(board: Board) -> tuple[Points, Points]:
    """Return the first and last columns of a square board."""
    first = sum(1 << row * board.size for row in range(board.size))
    return first, first << board.size - 1


@lru_cache(maxsize=1 << 14)
def ways_of(board: Board, unit: Points, goals: Points) -> tuple[tuple[int, Points], ...]:
    """Return the pieces of a unit that can move, each by its index with the goals where it may go.

    A goal must be next to every part of the unit without the piece.
    """
    near = board.near
    if unit & (unit - 1) == 0:
        return ((unit.bit_length() - 1, goals),)
    pieces, near_two, is_tree = _shape(board, unit)
    joining = goals & near_two
    ways = []
    for index in pieces:
        links = near[index] & unit
        if links & (links - 1) == 0:
            # The rest of the unit is one part.
            points = goals & ~(near[index] & ~near_two)
        elif is_tree and not joining:
            # The rest has several parts, and no goal is next to two of them.
            continue
        else:
            points = goals
            for part in groups_in(board, unit ^ 1 << index):
                points &= part.beside
        if points:
            ways.append((index, points))
    return tuple(ways)


@lru_cache(maxsize=1 << 13)
def _shape(board: Board, unit: Points) -> tuple[tuple[int, ...], Points, bool]:
    """Return a unit's pieces, the points next to several of them, and whether it has no ring."""
    pieces = tuple(indices_of(unit))
    near_one = near_two = links = 0
    for index in pieces:
        near = board.near[index]
        near_two |= near_one & near
        near_one |= near
        links += (near & unit).bit_count()
    return pieces, near_two, links == 2 * len(pieces) - 2


@lru_cache(maxsize=1 << 14)
def moves_of(board: Board, unit: Points, goals: Points) -> tuple[Move, ...]:
    """Return the legal moves of a unit with these goals, by origin and destination."""
    vertices = board.vertices
    return tuple(
        Move(vertices[origin], vertices[destination])
        for origin, points in ways_of(board, unit, goals)
        for destination in indices_of(points)
    )


def units_after(board: Board, units: Units, origin: int, destination: int) -> Units:
    """Return the units after a legal move, which may join some."""
    left, taken = 1 << origin, 1 << destination
    kept, joined, beside = [], taken, board.near[destination]
    for unit in units:
        stones, around = unit
        if not around & taken:
            kept.append(unit)
        elif stones & left:
            # The moved unit, which is next to where its piece goes.
            joined |= stones ^ left
            for index in indices_of(stones ^ left):
                beside |= board.near[index]
        else:
            joined |= stones
            beside |= around
    insort(kept, Group(joined, beside), key=_lowest)
    return tuple(kept)


def _lowest(unit: Group) -> Points:
    return unit.stones & -unit.stones
