"""The taps that make a turn, and the turn that taps make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.colour import Colour
from oddly.games.taps import PartialDrops, PartialMove, PartialTurn, begin_turn
from oddly.games.turns import PASS, SWAP, Drop, Drops, Move, Pass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games.game import Position
    from oddly.games.turns import Turn, Vertex


def next_tap(partial: PartialTurn, turn: Turn) -> Vertex | Pass | None:
    """Return the next tap from `partial` to a legal turn; None if the turn cannot be reached.

    Raises TypeError for another kind of turn.
    """
    if isinstance(partial, PartialMove):
        return _next_of_a_move(partial, turn)
    if isinstance(partial, PartialDrops):
        return _next_of_drops(partial, turn)
    raise TypeError(f"no way from {partial!r}")


def taps_of(position: Position, turn: Turn) -> Iterator[Vertex | Pass]:
    """Yield the taps that make a legal turn. Raises ValueError if none do."""
    partial = begin_turn(position)
    while partial.start is position:
        tap = next_tap(partial, turn)
        if tap is None:
            raise ValueError(f"no taps make {turn}")
        yield tap
        partial = tapped(partial, tap)


def tapped(partial: PartialTurn, tap: Vertex | Pass) -> PartialTurn:
    """Return the turn after a tap or a pass. Raises IllegalTurn if it is not legal."""
    return partial.tap_pass() if isinstance(tap, Pass) else partial.tap(tap)


def turn_ended_by(partial: PartialTurn, tap: Vertex | Pass) -> Turn:
    """Return the turn that a legal tap ended."""
    if isinstance(partial, PartialDrops) and partial.drops:
        return Drops(partial.drops)
    if isinstance(partial, PartialMove) and partial.origin is not None:
        return Move(partial.origin, str(tap))
    return SWAP if partial.start.is_legal(SWAP) else PASS


def turns_from(partial: PartialDrops) -> Iterator[Drops]:
    """Yield the legal turns with a stone of any colour on every tentative one."""
    points = {drop.vertex for drop in partial.drops}
    for colour in Colour:
        for turn in partial.start.turns_with(Drop(colour, partial.drops[0].vertex)):
            if points <= {drop.vertex for drop in turn.drops}:
                yield turn


def _next_of_drops(partial: PartialDrops, turn: Turn) -> Vertex | Pass | None:
    wanted = {drop.vertex: drop.colour for drop in turn.drops} if isinstance(turn, Drops) else {}
    placed = {drop.vertex: drop.colour for drop in partial.drops}
    if isinstance(turn, Move):
        return None if placed else turn.origin
    if not placed.keys() <= wanted.keys():
        return None
    for vertex, colour in wanted.items():
        if placed.get(vertex) != colour:
            return vertex
    return (_older_stone(partial) if placed else None) or PASS


def _next_of_a_move(partial: PartialMove, turn: Turn) -> Vertex | Pass:
    if not isinstance(turn, Move):
        return partial.origin or PASS
    if partial.origin is None:
        return turn.origin
    return turn.destination if partial.origin == turn.origin else partial.origin


def _older_stone(partial: PartialTurn) -> Vertex | None:
    """Return a vertex with an older stone, where a tap ends the turn without a pass."""
    stones = zip(partial.start.game.board.vertices, partial.start.stones, strict=True)
    return next((vertex for vertex, stone in stones if stone), None)
