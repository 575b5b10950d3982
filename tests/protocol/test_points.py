"""Our vertices on the grids of GoGui and SGF, there and back, on every board there is."""

import pytest

from oddly.games.board import hexhex_board, square_board
from oddly.protocol.messages import NotationError
from oddly.protocol.notation import (
    gogui_vertex,
    grid_point,
    grid_width,
    read_gogui_vertex,
    read_sgf_point,
    sgf_point,
    vertex_at,
)

BOARDS = [*map(square_board, range(2, 20)), *map(hexhex_board, range(2, 14))]
each_board = pytest.mark.parametrize("board", BOARDS, ids=str)

HEXHEX_STEPS = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)]
SQUARE_STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1)]


@each_board
def test_every_vertex_comes_back(board):
    for vertex in board.vertices:
        assert vertex_at(board, *grid_point(board, vertex)) == vertex
        assert read_gogui_vertex(board, gogui_vertex(board, vertex)) == vertex
        assert read_gogui_vertex(board, gogui_vertex(board, vertex).lower()) == vertex
        assert read_sgf_point(board, sgf_point(board, vertex)) == vertex


@each_board
def test_the_board_is_the_one_that_gogui_draws(board):
    axis = range(-1, grid_width(board) + 3)
    inside = range(1, grid_width(board) + 1)
    drawn = {
        (x, y) for x in inside for y in inside if board.shape == "square" or abs(x - y) < board.size
    }
    assert {(x, y) for x in axis for y in axis if vertex_at(board, x, y)} == drawn
    steps = HEXHEX_STEPS if board.shape == "hexhex" else SQUARE_STEPS
    for index, vertex in enumerate(board.vertices):
        x, y = grid_point(board, vertex)
        neighbours = {grid_point(board, board.vertices[n]) for n in board.neighbours[index]}
        assert neighbours == {(x + dx, y + dy) for dx, dy in steps} & drawn


@pytest.mark.parametrize(
    ("board", "vertex", "gogui", "sgf"),
    [
        (hexhex_board(8), "h8", "H8", "hh"),
        (hexhex_board(8), "a8", "A8", "ah"),
        (hexhex_board(8), "a15", "A1", "ao"),
        (hexhex_board(8), "o1", "P15", "oa"),
        (hexhex_board(8), "i3", "J13", "ic"),
        (square_board(19), "a1", "A1", "as"),
        (square_board(19), "i19", "J19", "ia"),
    ],
)
def test_what_vertices_are_called(board, vertex, gogui, sgf):
    assert gogui_vertex(board, vertex) == gogui
    assert sgf_point(board, vertex) == sgf


@pytest.mark.parametrize(
    "text", ["", "K", "I5", "A16", "A0", "P1", "5K", "K\u0665", "K5 ", "K" * 99]
)
def test_what_is_no_vertex_of_gogui(text):
    with pytest.raises(NotationError, match=r"as GoGui names it"):
        read_gogui_vertex(hexhex_board(8), text)


@pytest.mark.parametrize("text", ["", "h", "hhh", "HH", "h8", "aa", "tt", "\u00e9a", "zz"])
def test_what_is_no_point_of_sgf(text):
    with pytest.raises(NotationError, match="two letters"):
        read_sgf_point(hexhex_board(8), text)
