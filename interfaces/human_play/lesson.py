"""Lessons and puzzles: a position, and tasks with their goals.

This module reads their files, and says whether a turn reaches a goal. The lessons are `yodd.toml`
and its siblings, the puzzles `puzzles.jsonl`.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games import (
    Colour,
    Drops,
    Game,
    Move,
    PartialTurn,
    Pass,
    Position,
    Status,
    Swap,
    Turn,
    create_game,
    read,
)
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


KINDS: Mapping[str, type[Turn]] = {"pass": Pass, "drops": Drops, "move": Move, "swap": Swap}
STONES = ("empty", "black", "white")


@dataclass(frozen=True, slots=True)
class Goal:
    """What must be true after a turn. A field left out permits anything."""

    kind: str = ""
    """`pass`, `drops`, `move` or `swap`."""
    drops: int | None = None
    """How many stones the turn drops."""
    turns: tuple[str, ...] = ()
    """The turns that reach the goal, as they are written."""
    black: int | None = None
    white: int | None = None
    """The groups that count, after the turn."""
    lead: int | None = None
    """The mover must have at least this many groups fewer than the opponent."""
    stones: Mapping[str, str] = field(default_factory=dict)
    """What lies on a vertex: `black`, `white` or `empty`."""
    winner: str = ""
    """The side that has won when the turn has been played."""

    def is_reached(self, mover: Colour, turn: Turn, after: Position) -> bool:
        """Return whether the mover's `turn`, which led to `after`, reaches the goal."""
        counts = after.group_counts
        return (
            (not self.kind or isinstance(turn, KINDS[self.kind]))
            and (self.drops is None or (isinstance(turn, Drops) and len(turn.drops) == self.drops))
            and (not self.turns or str(turn) in self.turns)
            and self.black in (None, counts.black)
            and self.white in (None, counts.white)
            and (self.lead is None or counts.lead(mover) >= self.lead)
            and all(_stone(after, vertex) == stone for vertex, stone in self.stones.items())
            and (not self.winner or _winner(after) == self.winner)
        )


@dataclass(frozen=True, slots=True)
class Task:
    """One turn of the learner: what is asked, what reaches it, and the reply."""

    ask: str
    goal: Goal
    solution: Turn
    right: str
    wrong: str
    reply: Turn | None = None
    """The opponent's turn after the goal is reached."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position with its steps."""

    id: str
    title: str
    text: str
    start: Position
    steps: tuple[Task, ...]

    def follow(self, turns: Iterable[Turn]) -> LessonProgress:
        """Return where the learner's `turns` lead. Raises IllegalTurn for one that is not legal.

        Turns after a failed one, or after the last step, do not count.
        """
        current = GameInProgress(PartialTurn(self.start))
        done = 0
        for step, turn in zip(self.steps, turns, strict=False):
            mover, current = current.to_move, current.play(turn)
            if not step.goal.is_reached(mover, turn, current.position):
                return LessonProgress(self, current, done, missed=True)
            done += 1
            if step.reply is not None:
                current = current.play(step.reply)
        return LessonProgress(self, current, done)


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """A learner's progress in a lesson: `done` steps, and perhaps a turn that fails the next."""

    lesson: Lesson
    current: GameInProgress
    done: int
    missed: bool = False

    @property
    def is_solved(self) -> bool:
        """Whether all steps are done."""
        return self.done == len(self.lesson.steps)

    @property
    def may_play(self) -> bool:
        """Whether the next turn is the learner's."""
        return not self.missed and not self.is_solved

    @property
    def said(self) -> str:
        """The reply to the last turn; empty before the first."""
        if self.missed:
            return self.lesson.steps[self.done].wrong
        return self.lesson.steps[self.done - 1].right if self.done else ""

    @property
    def ask(self) -> str:
        """What the learner is asked to do next; empty after the last step."""
        return "" if self.is_solved else self.lesson.steps[self.done].ask

    def as_json(self) -> dict[str, Any]:
        """Return what is said and asked, as plain values."""
        return {
            "done": self.done,
            "steps": len(self.lesson.steps),
            "missed": self.missed,
            "solved": self.is_solved,
            "said": self.said,
            "ask": self.ask,
        }


def _stone(position: Position, vertex: str) -> str:
    return STONES[position.stones[position.game.board.index[vertex]]]


def _winner(position: Position) -> str:
    result = position.result
    return "" if result is None else str(result.winner or "draw")


TAUGHT = ("yodd", "xodd", "odd", "ayu")
"""The games with lessons."""


@dataclass(frozen=True, slots=True)
class Course:
    """A game in a sentence, its rules in brief, a game for a picture, and its lessons."""

    summary: str
    rules: tuple[str, ...]
    pictured: Game
    turns: tuple[Turn, ...]
    lessons: tuple[Lesson, ...]


@cache
def course(name: str) -> Course | None:
    """Return the course of a game; None for a game that is not taught."""
    if name not in TAUGHT:
        return None
    text = files(__package__).joinpath("lessons", f"{name}.toml").read_text(encoding="utf-8")
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


SYMBOLS = ".XO"
"""An empty vertex, a black stone and a white one, as the file writes them."""


class Puzzle(NamedTuple):
    """A puzzle as a lesson of one step, and how hard it is: 1 (easy) to 5."""

    lesson: Lesson
    grade: int


@cache
def puzzles() -> Mapping[str, Puzzle]:
    """Return all puzzles by id, the easy ones of each game first."""
    text = files(__package__).joinpath("lessons", "puzzles.jsonl").read_text(encoding="utf-8")
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
