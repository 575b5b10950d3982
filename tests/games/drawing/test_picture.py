"""The geometry says of every board what its topology says."""

import json
import math
from itertools import pairwise

import pytest

from oddly.games.board import make_board
from oddly.games.drawing.picture import geometry_of
from oddly.games.settings import LARGEST_BASE, LARGEST_SQUARE

BOARDS = [
    *(("hexhex", base) for base in range(2, LARGEST_BASE + 1)),
    *(("square", size) for size in range(2, LARGEST_SQUARE + 1)),
]


@pytest.mark.parametrize(("shape", "size"), BOARDS)
def test_two_vertices_are_neighbours_iff_their_centres_are_one_apart(shape, size):
    board, cells = make_board(shape, size), geometry_of(shape, size).cells
    assert tuple(cell.vertex for cell in cells) == board.vertices
    for index, cell in enumerate(cells):
        distances = [math.dist(cell.centre, other.centre) for other in cells]
        near = {
            i for i, distance in enumerate(distances) if math.isclose(distance, 1, abs_tol=1e-3)
        }
        assert near == set(board.neighbours[index])
        assert all(d > 1.2 for i, d in enumerate(distances) if i not in near and i != index)


@pytest.mark.parametrize(("shape", "size"), [("hexhex", 4), ("square", 5)])
def test_neighbours_share_an_edge_and_cells_do_not_overlap(shape, size):
    board, cells = make_board(shape, size), geometry_of(shape, size).cells
    for index, cell in enumerate(cells):
        for other in board.neighbours[index]:
            shared = [
                corner
                for corner in cell.polygon
                if any(math.dist(corner, its) < 1e-3 for its in cells[other].polygon)
            ]
            assert len(shared) == 2
    area = math.sqrt(3) / 2 if shape == "hexhex" else 1.0
    for cell in cells:
        corners = pairwise([*cell.polygon, cell.polygon[0]])
        assert abs(sum(a.x * b.y - b.x * a.y for a, b in corners)) / 2 == pytest.approx(area, 1e-3)


@pytest.mark.parametrize(("shape", "size"), BOARDS)
def test_labels_stand_outside_of_the_board_in_line_with_what_they_name(shape, size):
    geometry = geometry_of(shape, size)
    width = size if shape == "square" else 2 * size - 1
    assert [label.text for label in geometry.columns] == [chr(97 + i) for i in range(width)]
    assert [label.text for label in geometry.ranks] == [str(1 + i) for i in range(width)]
    for label in (*geometry.columns, *geometry.ranks):
        assert min(math.dist(label.at, cell.centre) for cell in geometry.cells) > 0.8
    for label in geometry.ranks:
        of_rank = [cell for cell in geometry.cells if cell.vertex[1:] == label.text]
        assert {cell.centre.y for cell in of_rank} == {label.at.y}
    for label in geometry.columns:
        first, *others = [cell for cell in geometry.cells if cell.vertex[0] == label.text]
        for other in others:
            across = (other.centre.x - first.centre.x) * (label.at.y - first.centre.y)
            along = (other.centre.y - first.centre.y) * (label.at.x - first.centre.x)
            assert across == pytest.approx(along, abs=1e-2)


def test_the_first_rank_is_below_and_the_first_column_on_the_left():
    for shape, vertices in (("square", ("a1", "e1", "a5")), ("hexhex", ("e1", "i1", "a9"))):
        centre = {cell.vertex: cell.centre for cell in geometry_of(shape, 5).cells}
        lower_left, lower_right, upper_left = (centre[vertex] for vertex in vertices)
        assert lower_left.x < lower_right.x
        assert upper_left.y < lower_left.y


@pytest.mark.parametrize(("shape", "size"), [("hexhex", 3), ("square", 4)])
def test_everything_lies_in_its_bounds_and_survives_json(shape, size):
    geometry = geometry_of(shape, size)
    facts = json.loads(json.dumps(geometry.as_json()))
    x, y, width, height = facts["bounds"]
    for cell, told in zip(geometry.cells, facts["cells"], strict=True):
        assert told["vertex"] == cell.vertex
        assert told["centre"] == list(cell.centre)
        for px, py in told["polygon"]:
            assert x - 1e-3 <= px <= x + width + 1e-3
            assert y - 1e-3 <= py <= y + height + 1e-3
    x, y, width, height = facts["labelled_bounds"]
    for label in facts["columns"] + facts["ranks"]:
        assert x < label["at"][0] < x + width
        assert y < label["at"][1] < y + height
