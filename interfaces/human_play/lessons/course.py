"""What a game's file teaches: its rules in short, a picture, and lessons."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from oddly.games.catalogue import create_game
from oddly.games.diagram import read
from oddly.interfaces.human_play.lessons.lesson import Goal, Lesson, Task
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.games.game import Game
    from oddly.games.turns import Turn

TAUGHT = ("yodd", "xodd", "odd", "ayu")
"""The games with lessons."""


@dataclass(frozen=True, slots=True)
class Course:
    """A game in a sentence, its rules in short, a game for a picture, and its lessons."""

    summary: str
    rules: tuple[str, ...]
    pictured: Game
    turns: tuple[Turn, ...]
    lessons: tuple[Lesson, ...]


@cache
def course(name: str) -> Course | None:
    """Return what there is to learn of a game; None for a game that is not taught."""
    if name not in TAUGHT:
        return None
    text = files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    picture = found["picture"]
    return Course(
        found["summary"],
        tuple(found["rules"]),
        create_game(name, picture["size"], picture.get("settings", {})),
        tuple(map(parse_turn, picture["turns"].split())),
        tuple(_lesson(name, lesson) for lesson in found["lesson"]),
    )


def find_lesson(name: str) -> Lesson | None:
    """Return the lesson of that name, such as `yodd/one-is-not-enough`; None if there is none."""
    game, _, wanted = name.partition("/")
    taught = course(game)
    if taught is None:
        return None
    return next((lesson for lesson in taught.lessons if lesson.id == wanted), None)


def _lesson(name: str, found: Mapping[str, Any]) -> Lesson:
    game = create_game(name, found["size"], found.get("settings", {}))
    start = read(game, found["position"]) if "position" in found else game.start()
    steps = tuple(map(_step, found["step"]))
    return Lesson(found["id"], found["title"], found["text"].strip(), start, steps)


def _step(found: Mapping[str, Any]) -> Task:
    goal = dict(found["goal"])
    goal["turns"] = tuple(str(parse_turn(turn)) for turn in goal.get("turns", ()))
    return Task(
        ask=found["ask"],
        goal=Goal(**goal),
        solution=parse_turn(found["solution"]),
        right=found["right"],
        wrong=found["wrong"],
        reply=parse_turn(found["reply"]) if "reply" in found else None,
    )
