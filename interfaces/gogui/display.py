"""Boards, marks and sentences in GoGui's formats and with its vertices.

A board is an empty line and then its rows from the top, with one word for each point. A point that
a hexhex board lacks is `?` in the rules' board and `""` in the others.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oddly.games import (
    EMPTY,
    SYMBOLS,
    Action,
    Board,
    Colour,
    Drop,
    Drops,
    Game,
    Move,
    Parity,
    PartialTurn,
    Pass,
    Turn,
    Vertex,
)
from oddly.games.groups import units
from oddly.games.wording import counted
from oddly.protocol import grid_width
from oddly.protocol.notation import COLUMN_LETTERS, gogui_vertex, vertex_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


NOTHING = '""'
MOVABLE = "#88cc88"
"""The colour of destinations, and of points that leave an odd number of groups."""


def point(board: Board, tap: Vertex | Pass) -> str:
    """Return a tap as GoGui writes it."""
    return "pass" if isinstance(tap, Pass) else gogui_vertex(board, tap)


def points(board: Board, taps: Iterable[Vertex | Pass]) -> str:
    """Return taps as GoGui lists them."""
    return " ".join(point(board, tap) for tap in taps)


def spelt(board: Board, turn: Turn | Action) -> str:
    """Return a turn or an action with GoGui's vertices: `B K5, W E13`."""
    if isinstance(turn, Drops):
        return ", ".join(spelt(board, drop) for drop in turn.drops)
    if isinstance(turn, Drop):
        return f"{turn.colour.letter} {gogui_vertex(board, turn.vertex)}"
    if isinstance(turn, Move):
        return f"{gogui_vertex(board, turn.origin)}-{gogui_vertex(board, turn.destination)}"
    return str(turn)


def board_size(board: Board) -> str:
    """Return the size for GoGui: `12`, or `15 hex` for a hexhex board of base 8."""
    return f"{grid_width(board)}{' hex' if board.shape == 'hexhex' else ''}"


def game_label(game: Game) -> str:
    """Return a game with its settings for a menu: `Yodd 8`, `Ayu 9, with the pie rule`."""
    shape = f" on a {game.board.shape} board" if "board" in game.settings else ""
    return ", ".join(filter(None, [f"{game.title} {game.size}{shape}", game.variant]))


def rules_board(partial: PartialTurn) -> str:
    """Return all stones, tentative ones included, as X, O and dots."""
    return as_board(
        partial.start.game.board,
        [SYMBOLS[stone] for stone in partial.stones],
        "?",
    )


def as_board(board: Board, words: Sequence[str], missing: str = NOTHING) -> str:
    """Return a board with one word for each index."""
    return "".join(
        "\n" + " ".join(missing if index is None else words[index] for index in row)
        for row in _grid(board)
    )


def drawing(partial: PartialTurn) -> str:
    """Return the board with GoGui's coordinates and the state of the turn, for people."""
    board = partial.start.game.board
    width = grid_width(board)
    rows = as_board(board, [SYMBOLS[stone] for stone in partial.stones], " ").splitlines()[1:]
    lines = [f"{width - number:2} {row}".rstrip() for number, row in enumerate(rows)]
    return "\n".join(["", *lines, f"   {' '.join(COLUMN_LETTERS[:width])}", status(partial)])


def status(partial: PartialTurn) -> str:
    """Return one line: what an unfinished turn needs, the groups, and whose turn it is.

    GoGui cuts the line where its window ends.
    """
    if partial.start.is_over:
        return f"Game over: {final_result(partial)}"
    side = str(partial.to_move).capitalize()
    count = f"{len(partial.drops)} of {counted(partial.start.most_drops, 'stone')} placed"
    if partial.drops:
        return f"{side}: {advice(partial)}. {parity(partial)}; {count}"
    if partial.is_begun:
        return f"{side}: tap a green point, or the taken piece to put it back. {parity(partial)}"
    return f"{parity(partial)}. {side} to move{f', {count}' if partial.takes_drops else ''}"


def advice(partial: PartialTurn) -> str:
    """Return what to tap now that some stones of a turn are placed."""
    if partial.can_end:
        older = partial.start.vertices_with(*Colour)
        how = "tap an older stone, or Pass" if older else "Pass"
        return f"{how} to end the turn, a new stone to change its colour"
    if not partial.can_be_mended:
        return "go Backward"
    if not partial.is_full:
        return "place another stone, or tap the new one to change its colour"
    return "all stones are placed: tap one of them to change its colour"


def parity(partial: PartialTurn) -> str:
    """Return the groups and what their number means for the turn or the game."""
    game, (black, white) = partial.start.game, partial.group_counts
    if not partial.takes_drops or game.parity is Parity.NOTHING:
        return f"{black} black + {white} white = {game.counted_words(black + white)}"
    is_odd = (black + white) % 2 == 1
    sum_of_groups = f"{black} black + {white} white = {black + white}"
    if game.parity is Parity.WINS:
        winner = Colour.BLACK if is_odd else Colour.WHITE
        which = game.counting.replace("groups of", " of").replace(" or more", " stones or more")
        return (
            f"{sum_of_groups}{which}, {'odd' if is_odd else 'even'}: "
            f"as it stands {str(winner).capitalize()} wins"
        )
    if partial.is_begun and is_odd:
        return f"{sum_of_groups}, odd: the turn may end"
    if partial.is_begun and not partial.can_be_mended:
        return f"{sum_of_groups}, even in any colours: take a stone back"
    if partial.is_begun:
        return f"{sum_of_groups}, even: the turn cannot end"
    return f"{sum_of_groups}, {'odd: a pass is legal' if is_odd else 'even: no pass'}"


def final_result(partial: PartialTurn) -> str:
    """Return how the game ended, in a sentence. Raises ValueError while it goes on."""
    result = partial.start.result
    if result is None:
        raise ValueError("the game goes on")
    if result.winner is None:
        return f"Draw: {result.ending.value}"
    black, white = partial.group_counts
    return (
        f"{str(result.winner).capitalize()} wins ({result}): "
        f"{black} black + {white} white {partial.start.game.counted}s; {result.ending.value}"
    )


def group_sizes(partial: PartialTurn) -> str:
    """Return the size of the group of every stone."""
    board = partial.start.game.board
    words = [NOTHING] * len(board)
    for colour in Colour:
        for unit in units(board, partial.stones, colour):
            for index in unit:
                words[index] = str(len(unit))
    return as_board(board, words)


def odd_points(partial: PartialTurn, colour: Colour) -> str:
    """Return the empty points where a stone of `colour` leaves an odd number of groups."""
    start = partial.start
    board = start.game.board
    words = [NOTHING] * len(board)
    for index, stone in enumerate(partial.stones):
        if stone == EMPTY:
            drop = Drop(colour, board.vertices[index])
            if partial.drop(drop).group_counts.total % 2 == 1:
                words[index] = MOVABLE
    return as_board(board, words)


@cache
def _grid(board: Board) -> tuple[tuple[int | None, ...], ...]:
    """Return the indices of the board on GoGui's grid, row by row from the top."""
    axis = range(1, grid_width(board) + 1)
    return tuple(
        tuple(
            None if (vertex := vertex_at(board, x, y)) is None else board.index[vertex]
            for x in axis
        )
        for y in reversed(axis)
    )
