"""Small pictures have the same shapes in the same places as the large ones."""

import re
from itertools import accumulate
from xml.etree import ElementTree as ET

import pytest

from oddly.games import create_game
from oddly.games.drawing.moving import share_shapes
from oddly.games.drawing.picture import Picture
from oddly.games.drawing.svg import element

BOARDS = [("yodd", 4), ("xodd", 5), ("odd", 3), ("ayu", 7)]
SUBPATH = re.compile(r"m(\S+) ([-.\d]+)(?:l([^z]*)|a(\S+) [^z]*)z")
PLACE = ("cx", "cy", "r", "points", "d")


def pairs(text):
    numbers = [float(each) for each in re.split("[ ,]", text)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def plus(one, other):
    return one[0] + other[0], one[1] + other[1]


def drawn(root):
    """For each look its corners, or its centre and radius, of all shapes of that look."""
    found = {}
    for each in root.iter():
        look = tuple(item for item in each.items() if item[0] not in PLACE)
        if each.tag == "circle":
            circle = [(float(each.get("cx")), float(each.get("cy"))), (float(each.get("r")), 0)]
            found.setdefault(look, []).append(circle)
        elif each.tag == "polygon":
            found.setdefault(look, []).append(pairs(each.get("points")))
        elif each.tag == "path":
            shapes, at = found.setdefault(look, []), (0, 0)
            for x, y, steps, radius in SUBPATH.findall(each.get("d")):
                at = plus(at, (float(x), float(y)))
                if radius:
                    shapes.append([plus(at, (float(radius), 0)), (float(radius), 0)])
                else:
                    shapes.append([*accumulate(pairs(steps), plus, initial=at)])
    return found


def picture_of(game, size):
    position = create_game(game, size).start()
    stones = bytearray(position.stones)
    stones[1], stones[2] = 1, 2
    board = position.game.board
    marked, left = frozenset(board.vertices[1:3]), frozenset(board.vertices[4:5])
    return Picture(board, tuple(stones), marked, left)


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_every_shape_is_where_it_was(game, size):
    picture = picture_of(game, size)
    before, root = drawn(element(picture)), element(picture)
    share_shapes(root)
    after = drawn(root)
    assert {look: len(shapes) for look, shapes in after.items()} == {
        look: len(shapes) for look, shapes in before.items()
    }
    for look, shapes in before.items():
        for one, other in zip(shapes, after[look], strict=True):
            assert other == [pytest.approx(point, abs=0.035) for point in one]


def test_what_lies_above_is_drawn_later():
    root = element(picture_of("yodd", 4))
    share_shapes(root)
    assert root[0].tag == "title"
    classes = [each.get("class") for each in root.iter("path")]
    assert classes[0] == "cell"
    assert {*classes[1:3]} == {"black", "white"}
    assert {"mark", "left"} >= {*classes[3:]} != set()


def test_it_is_a_small_part_of_the_other_file():
    picture = picture_of("yodd", 8)
    root = element(picture)
    share_shapes(root)
    assert len(ET.tostring(root)) < len(ET.tostring(element(picture))) / 2
