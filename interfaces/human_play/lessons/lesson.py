"""A lesson: a position, what to do there, and whether a turn does it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oddly.games.turns import Drops, Move, Pass, Swap
from oddly.interfaces.human_play.game_in_progress import GameInProgress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.games.colour import Colour
    from oddly.games.game import Position
    from oddly.games.turns import Turn

KINDS: Mapping[str, type[Turn]] = {"pass": Pass, "drops": Drops, "move": Move, "swap": Swap}
STONES = ("empty", "black", "white")


@dataclass(frozen=True, slots=True)
class Goal:
    """What must be true after a turn. What is left out may be anything."""

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
    """How many groups fewer than the opponent the mover has at least."""
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
    """One turn of the learner: what is asked, what reaches it, and what is said then."""

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

        Turns after a miss, or after the last step, count for nothing.
        """
        current = GameInProgress((self.start,))
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
    """How far a learner is in a lesson: `done` steps, and perhaps a turn that misses the next."""

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
        """What the last turn is answered with; empty before the first."""
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
