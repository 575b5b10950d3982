"""The way to a turn, tap by tap: how an engine that thinks in turns answers GoGui."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.colour import Colour
from games.turns import PASS, Drop, Drops, Move
from interfaces.gogui.taps import Dropping, Moving, Turning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.turns import Pass, Turn, Vertex


def next_tap(turning: Turning, turn: Turn) -> Vertex | Pass | None:
    """The tap that brings `turning` closer to `turn`, a legal one; None if there is no way."""
    if isinstance(turning, Moving):
        return _next_of_a_move(turning, turn)
    if isinstance(turning, Dropping):
        return _next_of_drops(turning, turn)
    raise TypeError(f"no way from {turning!r}")


def turns_from(turning: Dropping) -> Iterator[Drops]:
    """The legal turns that have a stone, of either colour, wherever a tentative one lies."""
    points = {drop.vertex for drop in turning.drops}
    for colour in Colour:
        for turn in turning.start.turns_with(Drop(colour, turning.drops[0].vertex)):
            if points <= {drop.vertex for drop in turn.drops}:
                yield turn


def _next_of_drops(turning: Dropping, turn: Turn) -> Vertex | Pass | None:
    wanted = {drop.vertex: drop.colour for drop in turn.drops} if isinstance(turn, Drops) else {}
    placed = {drop.vertex: drop.colour for drop in turning.drops}
    if not placed.keys() <= wanted.keys():
        return None
    for vertex, colour in wanted.items():
        if placed.get(vertex) != colour:
            return vertex
    return (_older_stone(turning) if placed else None) or PASS


def _next_of_a_move(turning: Moving, turn: Turn) -> Vertex | Pass:
    if not isinstance(turn, Move):
        return turning.origin or PASS
    if turning.origin is None:
        return turn.origin
    return turn.destination if turning.origin == turn.origin else turning.origin


def _older_stone(turning: Turning) -> Vertex | None:
    """A stone that lay there before the turn: a tap on it ends the turn without a pass."""
    stones = zip(turning.start.game.board.vertices, turning.start.stones, strict=True)
    return next((vertex for vertex, stone in stones if stone), None)
