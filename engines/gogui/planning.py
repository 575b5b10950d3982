"""The way to a turn, tap by tap: how an engine that thinks in turns answers GoGui."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from engines.gogui.taps import Dropping, Moving, Turning
from games.turns import PASS, Drop, Drops, Move

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.colour import Colour
    from games.turns import Pass, Turn, Vertex


@singledispatch
def next_tap(turning: Turning, turn: Turn) -> Vertex | Pass | None:
    """The tap that brings `turning` closer to `turn`, a legal one; None if there is no way."""
    raise TypeError(f"no taps for {type(turning).__name__}")


@next_tap.register
def _(turning: Dropping, turn: Turn) -> Vertex | Pass | None:
    wanted: dict[Vertex, Colour] = {}
    if isinstance(turn, Drops):
        wanted = {drop.vertex: drop.colour for drop in turn.drops}
    placed = {drop.vertex: drop.colour for drop in turning.drops}
    if not placed.keys() <= wanted.keys():
        return None
    for vertex, colour in wanted.items():
        if placed.get(vertex) != colour:
            return vertex
    return (older_stone(turning) if placed else None) or PASS


@next_tap.register
def _(turning: Moving, turn: Turn) -> Vertex | Pass | None:
    if not isinstance(turn, Move):
        return turning.origin or PASS
    if turning.origin is None:
        return turn.origin
    return turn.destination if turning.origin == turn.origin else turning.origin


def older_stone(turning: Turning) -> Vertex | None:
    """A stone that lay there before the turn: a tap on it ends the turn without a pass."""
    stones = zip(turning.start.game.board.vertices, turning.start.stones, strict=True)
    return next((vertex for vertex, stone in stones if stone), None)


def turns_from(turning: Dropping) -> Iterator[Drops]:
    """The legal turns that have a stone, of either colour, wherever a tentative one lies."""
    points = {drop.vertex for drop in turning.drops}
    for colour in type(turning.to_move):
        for turn in turning.start.turns_with(Drop(colour, turning.drops[0].vertex)):
            if points <= {drop.vertex for drop in turn.drops}:
                yield turn
