"""The topology of the boards: which vertices there are and which are neighbours."""

import pytest

from oddly.games.board import Board, hexhex_board, make_board, square_board
from tests.games import brute_force

BOARDS = [*map(hexhex_board, range(2, 14)), *map(square_board, range(2, 20))]


def neighbours(board: Board) -> dict[str, set[str]]:
    """The neighbours of every vertex, by name."""
    return {
        vertex: {board.vertices[n] for n in board.neighbours[i]}
        for i, vertex in enumerate(board.vertices)
    }


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_a_board_has_the_neighbours_of_the_brute_force_and_an_order_of_its_own(board):
    shape = brute_force.hexhex if board.shape == "hexhex" else brute_force.square
    expected = {vertex: set(near) for vertex, near in shape(board.size).items()}
    assert neighbours(board) == expected
    assert make_board(board.shape, board.size) is board
    assert sorted(board.coordinates, key=lambda c: (c[1], c[0])) == list(board.coordinates)
    assert [board.index[vertex] for vertex in board.vertices] == list(range(len(board)))
    assert list(board.vertices) == brute_force.canonical(list(board.vertices))


@pytest.mark.parametrize("base", range(2, 14))
def test_a_hexhex_cell_has_three_neighbours_in_a_corner_four_on_an_edge_and_six_inside(base):
    counts = [len(near) for near in hexhex_board(base).neighbours]
    assert counts.count(3) == 6
    assert counts.count(4) == 6 * (base - 2)
    assert counts.count(6) == 3 * (base - 1) * (base - 2) + 1
    assert len(counts) == 3 * base * (base - 1) + 1


def test_base_8_has_its_corners_and_its_centre_where_the_notation_puts_them():
    board = hexhex_board(8)
    near = neighbours(board)
    assert {v for v in near if len(near[v]) == 3} == {"a8", "a15", "h15", "o8", "o1", "h1"}
    assert near["h8"] == {"i8", "g8", "h9", "h7", "i7", "g9"}
    assert "a7" not in board
    assert "o9" not in board


def test_no_letter_is_skipped():
    letters = {vertex[0] for vertex in square_board(19).vertices}
    assert letters == set("abcdefghijklmnopqrs")
    assert {vertex[0] for vertex in hexhex_board(13).vertices} == set("abcdefghijklmnopqrstuvwxy")


def test_a1_is_the_lower_left_corner_of_a_square_board():
    board = square_board(5)
    assert board.coordinates[board.index["a1"]] == (1, 1)
    assert board.coordinates[board.index["e1"]] == (5, 1)
    assert neighbours(board)["a1"] == {"a2", "b1"}
