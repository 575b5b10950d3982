"""Answers to `legal`: how many turns there are, and where stones and pieces can go."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oddly.games import EMPTY, SYMBOLS, Colour, Drop, Drops, IllegalTurn, Move, one_line
from oddly.interfaces.human_play.sentences import counts
from oddly.interfaces.terminal.play.messages import Request, Say, ShowBoard
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from oddly.games import Position, Turn, Vertex
    from oddly.interfaces.human_play.game_in_progress import GameInProgress

MAX_COUNTED = 100_000
"""Legal turns that are counted; more are `more than`. Takes a second on the largest boards."""

LEGEND = "b black, w white, * either, - neither"

ENDS_TURN = {
    frozenset(Colour): "*",
    frozenset({Colour.BLACK}): "b",
    frozenset({Colour.WHITE}): "w",
}


def legal(current: GameInProgress, about: str = "") -> list[Request]:
    """Return the answer to `legal`, about all turns, a first drop or a piece."""
    if current.is_over:
        return [Say("the game is over: there are no legal turns")]
    if not current.has_drops and "-" not in about:
        return _moves(current.position, about.lower())
    if not about:
        notes = where_drops_end_a_turn(current.position)
        text = f"{number_of_turns(current.position)}. One stone there ends the turn: {LEGEND}."
        return [ShowBoard(current.position, notes=notes), Say(text)]
    try:
        turn = parse_turn(about)
    except NotationError as error:
        return [Say(f"legal takes a drop or a move, as in legal Bc3 or legal d4-d5: {error}")]
    if isinstance(turn, Drops) and len(turn.drops) == 1 < current.position.most_drops:
        return _second_drops(current, turn.drops[0])
    return [Say(_verdict(current, turn))]


def _second_drops(current: GameInProgress, first: Drop) -> list[Request]:
    """Return the answer about the second drops that complete `first`."""
    position = current.position
    turns = list(position.turns_with(first))
    if not turns:
        return [Say(_verdict(current, Drops((first,))))]
    notes = where_drops_end_a_turn(position, first)
    notes[first.vertex] = SYMBOLS[first.colour]
    alone = "alone is a turn" if len(turns[0].drops) == 1 else "needs a second stone"
    text = f"{first} {alone}. A second stone there ends the turn: {LEGEND}."
    return [ShowBoard(position, {first.vertex}, notes), Say(text)]


def _verdict(current: GameInProgress, turn: Turn) -> str:
    try:
        after = current.play(turn)
    except IllegalTurn as error:
        return f"{turn} is not legal: {error.reason}"
    return f"{turn} is legal and leaves {counts(after)}"


def _moves(position: Position, piece: str) -> list[Request]:
    """Ayu: where each piece can go, or where one can."""
    by_piece = destinations(position)
    if piece:
        if piece not in by_piece:
            return [Say(f"no piece on {one_line(piece)} can move")]
        notes = dict.fromkeys(by_piece[piece], "*")
        return [ShowBoard(position, {piece}, notes), Say(f"{piece} can go to the points marked *")]
    lines = [f"  {origin}: {' '.join(ends)}" for origin, ends in by_piece.items()]
    lines += ["  swap"] if position.status.may_swap else []
    text = f"{number_of_turns(position)}; the pieces that can move are in brackets:"
    return [ShowBoard(position, by_piece.keys()), Say("\n".join([text, *lines]))]


def number_of_turns(position: Position) -> str:
    """Return for example `1,234 legal turns`."""
    number = sum(1 for _ in islice(position.legal_turns(), MAX_COUNTED + 1))
    if number > MAX_COUNTED:
        return f"more than {MAX_COUNTED:,} legal turns"
    return f"{number:,} legal turn{'s' if number != 1 else ''}"


def where_drops_end_a_turn(position: Position, first: Drop | None = None) -> dict[Vertex, str]:
    """Return a note for each empty vertex: the colours of a drop there that completes a turn.

    `b` and `w` are colours, `*` is either, `-` is none. With `first`, the drop is the second one.
    """
    notes = {}
    before = () if first is None else (first,)
    for index, stone in enumerate(position.stones):
        vertex = position.game.board.vertices[index]
        if stone == EMPTY and not any(drop.vertex == vertex for drop in before):
            colours = frozenset(
                colour
                for colour in Colour
                if position.is_legal(Drops((*before, Drop(colour, vertex))))
            )
            notes[vertex] = ENDS_TURN.get(colours, "-")
    return notes


def destinations(position: Position) -> dict[Vertex, list[Vertex]]:
    """Return the vertices where each piece can move."""
    found: dict[Vertex, list[Vertex]] = {}
    for turn in position.legal_turns():
        if isinstance(turn, Move):
            found.setdefault(turn.origin, []).append(turn.destination)
    return found
