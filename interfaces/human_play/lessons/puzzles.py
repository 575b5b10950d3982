"""Puzzles: positions with exactly one winning turn, as study/puzzles.py finds them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from oddly.games.catalogue import create_game
from oddly.games.colour import Colour
from oddly.games.game import Status
from oddly.interfaces.human_play.lessons.lesson import Goal, Lesson, Task
from oddly.protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping


SYMBOLS = ".XO"
"""An empty vertex, a black stone, and a white one, as the file has them for every vertex."""


class Puzzle(NamedTuple):
    """A puzzle as a lesson of one step, and how hard it is: 1 (easy) to 5."""

    lesson: Lesson
    grade: int


@cache
def puzzles() -> Mapping[str, Puzzle]:
    """Return all puzzles by id, the easy ones of each game first."""
    text = files(__package__).joinpath("puzzles.jsonl").read_text(encoding="utf-8")
    found = map(_puzzle, text.splitlines())
    return {puzzle.lesson.id: puzzle for puzzle in sorted(found, key=lambda puzzle: puzzle.grade)}


def _puzzle(line: str) -> Puzzle:
    found = json.loads(line)
    game = create_game(found["game"], found["size"], found["settings"])
    stones = [SYMBOLS.index(symbol) for symbol in found["stones"]]
    start = game.set_up(stones, Colour[found["to_move"].upper()], Status(found["passes"]))
    solutions = tuple(str(parse_turn(turn)) for turn in found["solutions"])
    mover, other = (str(side).capitalize() for side in (start.to_move, start.to_move.other))
    step = Task(
        ask=f"{mover} to move: find the only turn that wins.",
        goal=Goal(turns=solutions),
        solution=parse_turn(solutions[0]),
        right=f"Yes. This is proven: after any other turn {mover} does not win.",
        wrong=f"After that, {other} can hold. Another turn wins by force.",
    )
    return Puzzle(
        Lesson(found["id"], f"{game.title} {found['size']}", "", start, (step,)), found["grade"]
    )
