"""Boards as text, for people and for tests: drawing a position and reading it back.

X is Black, O is White, a dot is empty. Rank numbers are on the left of a square board and on the
right of a hexhex one, whose columns rise from their letter to the right. Below the board is the
side to move, with the passes in a row or an open swap.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from oddly.games.drop_level import DropPosition
from oddly.games.result import Status
from oddly.games.turns import EMPTY, Colour, DiagramError, GameError
from oddly.games.untrusted_text import one_line

if TYPE_CHECKING:
    from oddly.games.board import Board
    from oddly.games.game import Game, Position

MAX_LINE = 200
"""More characters than a row of the largest board has."""
MAX_QUOTED = 60
"""The characters of a wrong line that an error quotes."""

SYMBOLS = {EMPTY: ".", Colour.BLACK: "X", Colour.WHITE: "O"}
"""How a diagram shows what lies on a vertex."""

_STONES = {symbol: stone for stone, symbol in SYMBOLS.items()}
_ROW = re.compile(r"(?:([0-9]{1,3})|[a-z])?\s*((?:[XO.] )*[XO.])\s*([0-9]{1,3})?")
_LABELS = re.compile(r"(?:[a-z](?:\s+[a-z])*)?")
_STATUS = re.compile(r"(Black \(X\)|White \(O\)) to move(?:, ([12]) pass(?:es)?)?(, swap open)?")
_COMMENT = re.compile(r"(Groups|Result):.*")


def draw(position: Position | DropPosition) -> str:
    """Return the board with its coordinates, the side to move, the group counts and any result.

    Inside a turn, the board is the one on which it began, and the last line has its drops so far.

    >>> import oddly
    >>> print(oddly.draw(oddly.create_game("xodd", 3).start().play("Bb2")))
     3 . . .
     2 . X .
     1 . . .
       a b c
    White (O) to move
    Groups: 1 black + 0 white = 1
    """
    if isinstance(position, DropPosition):
        begun = " ".join(map(str, position.drops))
        return draw(position.start) + (f"\nThis turn: {begun}" if begun else "")
    black, white = position.group_counts
    lines = [
        *draw_board(position),
        _status_line(position),
        f"Groups: {black} black + {white} white = {black + white}",
    ]
    if position.result is not None:
        lines.append(f"Result: {position.result}")
    return "\n".join(lines)


class Row(NamedTuple):
    """One line of a drawn board: the indices it shows, a space apart, and the text around them."""

    before: str
    indices: tuple[int, ...]
    after: str


def draw_board(position: Position) -> list[str]:
    """Return the lines of the board alone, the highest rank first."""
    return [
        row.before + " ".join(SYMBOLS[position.stones[index]] for index in row.indices) + row.after
        for row in layout(position.game.board)
    ]


def layout(board: Board) -> list[Row]:
    """Return the rows of a drawn board, the highest rank first, the letters last."""
    rows = _rows(board)
    foot = " ".join(board.vertices[index][0] for index in rows[1])
    if board.shape == "square":
        lines = [Row(f"{rank:2} ", tuple(rows[rank]), "") for rank in reversed(rows)]
        return [*lines, Row(f"   {foot}", (), "")]
    lines = [_hexhex_row(board, rank, rows[rank]) for rank in reversed(rows)]
    return [*lines, Row(" " * board.size + foot, (), "")]


def read(game: Game, text: str) -> Position:
    """Return the position that `draw` drew. Black is to move if the text names no side.

    Raises DiagramError with the line that is wrong.
    """
    board = game.board
    stones = [EMPTY] * len(board)
    rows = _rows(board)
    awaited = sorted(rows)
    to_move, status = Colour.BLACK, Status()
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if len(line) > MAX_LINE:
            raise DiagramError(
                f"line {number}: {_quoted(line)} is longer than {MAX_LINE} characters"
            )
        if found := _STATUS.fullmatch(line):
            to_move = Colour[found[1][:5].upper()]
            status = Status(int(found[2] or 0), found[3] is not None)
        elif found := _ROW.fullmatch(line):
            if not awaited:
                raise DiagramError(f"line {number}: {_quoted(line)} is a row too many")
            rank = awaited.pop()
            _read_row(stones, rows[rank], rank, found, number)
        elif not (_LABELS.fullmatch(line) or _COMMENT.fullmatch(line)):
            raise DiagramError(
                f"line {number}: {_quoted(line)} is neither a row of X, O and dots "
                "nor the side to move"
            )
    if awaited:
        raise DiagramError(f"the diagram ends before rank {awaited[-1]} of the {board}")
    try:
        position = game.set_up(stones, to_move, status)
    except GameError as error:
        raise DiagramError(f"not a position of {game.name.capitalize()}: {error}") from None
    if position.status != status:
        raise DiagramError(
            f"passes or an open swap that cannot be in this position of {game.name.capitalize()}"
        )
    return position


def _read_row(
    stones: list[int], row: list[int], rank: int, found: re.Match[str], number: int
) -> None:
    """Put one row's stones on the board. Raises DiagramError."""
    label = found[1] or found[3]
    if label is not None and int(label) != rank:
        raise DiagramError(f"line {number}: rank {label} where rank {rank} was expected")
    symbols = found[2].split()
    if len(symbols) != len(row):
        raise DiagramError(
            f"line {number}: rank {rank} has {len(row)} vertices, not {len(symbols)}"
        )
    for index, symbol in zip(row, symbols, strict=True):
        stones[index] = _STONES[symbol]


def _rows(board: Board) -> dict[int, list[int]]:
    """Return the indices of each rank, lowest rank first, left to right."""
    rows: dict[int, list[int]] = {}
    for index, (_, rank) in enumerate(board.coordinates):
        rows.setdefault(rank, []).append(index)
    return rows


def _hexhex_row(board: Board, rank: int, indices: list[int]) -> Row:
    """Return a row, indented by its distance from the middle, with the letter of a column's end."""
    r = rank - board.size
    letter = " " if r >= 0 else chr(ord("a") - r - 1)
    return Row(f"{' ' * abs(r)}{letter} ", tuple(indices), f"  {rank}")


def _quoted(line: str) -> str:
    return repr(one_line(line, MAX_QUOTED))


def _status_line(position: Position) -> str:
    side = str(position.to_move).capitalize()
    line = f"{side} ({SYMBOLS[position.to_move]}) to move"
    passes, may_swap = position.status
    if passes:
        line += f", {passes} pass" + ("es" if passes > 1 else "")
    return line + (", swap open" if may_swap else "")
