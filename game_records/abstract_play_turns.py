"""Turns in the notation of Abstract Play, and games judged by its rules where they differ.

A drop is `1` for black or `2` for white, then a cell: `1h8,2c3`. A move of Ayu is as ours. On a
square board the cells have our names. On a hexhex board the letter is the row, `a` the lowest, and
the number the place in it, 1 the leftmost in every row.

A game of Yodd ends there as soon as the board is full. In Ayu the player to move wins when a
position comes back, which is a draw here. A turn that names one cell twice is one stone.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

from oddly.games.colour import EMPTY, Colour
from oddly.games.errors import IllegalTurn
from oddly.games.turns import PASS, Drop, Drops, Move, Pass
from oddly.games.untrusted_text import one_line
from oddly.referee.justice.record import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oddly.games.board import Board
    from oddly.games.game import Game, Position
    from oddly.games.turns import Turn, Vertex

MAX_TURN_LENGTH = 40
_CELL = "[a-z][1-9][0-9]?"
_DROPS = re.compile(f"[12]{_CELL}(?:,[12]{_CELL})?")
_MOVE = re.compile(f"({_CELL})-({_CELL})")


def read_site_turn(game: Game, text: str) -> Turn:
    """Return the turn that a text names there, legal or not. Raises RecordError if it names none.

    Capitals and spaces do not matter. A cell that is named twice gets one stone, of the colour
    that the site puts there.
    """
    words = "".join(text[: 2 * MAX_TURN_LENGTH].lower().split())
    board = game.board
    if words == "pass":
        return PASS
    if (found := _MOVE.fullmatch(words)) and Drops not in game.turn_kinds:
        return Move(_vertex(board, found[1]), _vertex(board, found[2]))
    if _DROPS.fullmatch(words) and Drops in game.turn_kinds:
        # White's come last in their order, and what comes last stays.
        colours = {drop[1:]: Colour(int(drop[0])) for drop in sorted(words.split(","))}
        return Drops(tuple(Drop(c, _vertex(board, cell)) for cell, c in colours.items()))
    example = "1h8,2c3 or pass" if Drops in game.turn_kinds else "b1-c1"
    raise RecordError(
        f"{_quoted(text)} is not a turn of {game.title}: expected one such as {example}"
    )


def site_turn(game: Game, turn: Turn) -> str:
    """Return a turn as the site writes it. Raises RecordError for one that it does not have."""
    board = game.board
    match turn:
        case Drops():
            drops = sorted(turn.drops, key=lambda d: (d.colour, board.index[d.vertex]))
            return ",".join(f"{d.colour:d}{site_cell(board, d.vertex)}" for d in drops)
        case Move():
            return f"{site_cell(board, turn.origin)}-{site_cell(board, turn.destination)}"
        case Pass():
            return "pass"
        case _:
            raise RecordError(f"{turn} is not a turn there")


def site_cell(board: Board, vertex: Vertex) -> str:
    """Return the site's name of a vertex."""
    if board.shape == "square":
        return vertex
    column, row = board.coordinates[board.index[vertex]]
    return f"{ascii_lowercase[row - 1]}{column - _first_column(board, row) + 1}"


def _vertex(board: Board, cell: str) -> Vertex:
    """Return the vertex that the site names. Raises RecordError if it is off the board."""
    vertex = cell
    if board.shape == "hexhex":
        row = ascii_lowercase.index(cell[0]) + 1
        column = int(cell[1:]) - 1 + _first_column(board, row)
        vertex = f"{ascii_lowercase[column - 1]}{row}" if 0 < column <= len(ascii_lowercase) else ""
    if vertex not in board:
        raise RecordError(f"{cell} is off the {board}")
    return vertex


def _first_column(board: Board, row: int) -> int:
    """The column of the leftmost vertex of a row of a hexhex board."""
    return max(1, board.size + 1 - row)


def follow(
    position: Position, texts: Iterable[str], number: int = 1
) -> Iterator[tuple[Turn, Position]]:
    """Return each turn of a game there with the position after it, `number` being the first.

    Raises RecordError, which names the turn, where one is illegal or the game is over before it.
    """
    for current, text in enumerate(texts, start=number):
        try:
            turn = _legal(position, text, is_first=current == 1)
            position = position.play(turn)
        except (RecordError, IllegalTurn) as error:
            raise RecordError(f"turn {current}: {error}") from None
        yield turn, position


def _legal(position: Position, text: str, *, is_first: bool) -> Turn:
    """The turn that a text names. Raises RecordError where the site's rules alone refuse it."""
    turn = read_site_turn(position.game, text)
    if ends_there(position):
        raise RecordError(f"the game was over before {_quoted(text)}")
    if is_first and "," in text:
        raise RecordError(f"{_quoted(text)}: the first turn is one drop")
    return turn


def ends_there(position: Position) -> bool:
    """Return whether a game is over by the site's rules."""
    return position.is_over or (Drops in position.game.turn_kinds and EMPTY not in position.stones)


def _quoted(text: str) -> str:
    return repr(one_line(text[:MAX_TURN_LENGTH]))
