"""A moving picture shows at each moment what a picture of the position does; a small one, too."""

import re
from bisect import bisect_right
from itertools import accumulate
from random import Random
from xml.etree import ElementTree as ET

import pytest

from oddly.games import IllegalTurn, create_game, picture_of
from oddly.games.catalogue import GAMES
from oddly.games.drawing.moving import REST, moving_svg, share_shapes
from oddly.games.drawing.picture import Picture, trace_of
from oddly.games.drawing.svg import element, svg
from oddly.games.legal_turns import random_turn
from tests.games.lockstep import turn_from_text

SVG = "{http://www.w3.org/2000/svg}"


def some_turns(game, number, seed):
    random, position, turns = Random(seed), game.start(), []
    while len(turns) < number and not position.is_over:
        turns.append(random_turn(position, random))
        position = position.play(turns[-1])
    return turns


def rules_of(sheet):
    """Each rule of a style sheet that moves: parts of the time, and what is seen from each on."""
    return {
        name: [(float(at) / 100, shown == "1") for at, shown in re.findall(STEP, steps)]
        for name, steps in re.findall(r"@keyframes (\w+)\{((?:[^{}]+\{[^}]*\})*)\}", sheet)
    }


STEP = r"([\d.]+)%\{opacity:(\d)\}"


def seen(root, rules, time):
    """The circles that are seen at a part of the time, each with its vertex and its kind."""
    found = set()
    for group in root.iter(f"{SVG}g"):
        for circle in group.iter(f"{SVG}circle"):
            kind, *names = circle.get("class").split()
            steps = rules.get(names[0]) if names else None
            if steps is None or steps[bisect_right(steps, (time, True)) - 1][1]:
                found.add((group.get("data-vertex"), kind))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_at_each_moment_it_shows_what_a_picture_of_the_position_shows(name):
    game = create_game(name, 4 if name != "ayu" else 5)
    turns = some_turns(game, 9, seed=3)
    root = ET.fromstring(moving_svg(game.start(), turns))  # noqa: S314 - our own
    rules = rules_of(root.find(f"{SVG}style").text)
    count, position = len(turns) + 1 + REST - 1, game.start()
    for number in range(len(turns) + 1):
        still = ET.fromstring(svg(picture_of(position, trace_of(turns[:number]))))  # noqa: S314
        assert seen(root, rules, (number + 0.5) / count) == seen(still, {}, 0), number
        if number < len(turns):
            position = position.play(turns[number])
    assert seen(root, rules, 1 - 0.5 / count) == seen(root, rules, (len(turns) + 0.5) / count)


def test_without_motion_it_shows_the_end_and_nothing_else():
    game = create_game("ayu", 5)
    turns = some_turns(game, 6, seed=1)
    root = ET.fromstring(moving_svg(game.start(), turns))  # noqa: S314 - our own
    for hidden in [each for each in root.iter() if each.get("opacity") == "0"]:
        hidden.set("class", "hidden hidden")
    end = game.start()
    for turn in turns:
        end = end.play(turn)
    still = ET.fromstring(svg(picture_of(end, trace_of(turns))))  # noqa: S314 - our own
    assert {each for each in seen(root, {}, 0) if each[1] != "hidden"} == seen(still, {}, 0)
    assert "prefers-reduced-motion" in root.find(f"{SVG}style").text


def test_an_illegal_turn_is_refused():
    with pytest.raises(IllegalTurn):
        moving_svg(create_game("odd", 2).start(), [turn_from_text("Ba1")] * 2)


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


def marked_picture(game, size):
    position = create_game(game, size).start()
    stones = bytearray(position.stones)
    stones[1], stones[2] = 1, 2
    board = position.game.board
    marked, left = frozenset(board.vertices[1:3]), frozenset(board.vertices[4:5])
    return Picture(board, tuple(stones), marked, left)


@pytest.mark.parametrize(("game", "size"), BOARDS)
def test_every_shared_shape_is_where_it_was(game, size):
    picture = marked_picture(game, size)
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
    root = element(marked_picture("yodd", 4))
    share_shapes(root)
    assert root[0].tag == "title"
    classes = [each.get("class") for each in root.iter("path")]
    assert classes[0] == "cell"
    assert {*classes[1:3]} == {"black", "white"}
    assert {"mark", "left"} >= {*classes[3:]} != set()


def test_with_shared_shapes_a_file_is_a_small_part_of_the_other():
    picture = marked_picture("yodd", 8)
    root = element(picture)
    share_shapes(root)
    assert len(ET.tostring(root)) < len(ET.tostring(element(picture))) / 2
