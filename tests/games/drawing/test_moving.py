"""A moving picture shows at each moment what a picture of that position shows."""

import re
from bisect import bisect_right
from random import Random
from xml.etree import ElementTree as ET

import pytest

from oddly.games import IllegalTurn, create_game, picture_of
from oddly.games.catalogue import GAMES
from oddly.games.drawing.moving import REST, moving_svg
from oddly.games.drawing.picture import trace_of
from oddly.games.drawing.svg import svg
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
