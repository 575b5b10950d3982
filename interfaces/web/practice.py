"""Boards to practise on: lessons, puzzles, and positions on which any turn may be tried.

The server stores none of them. A request has the turns so far, the turn in progress, and one
action; the answer has the turns after the action, and what the page shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from oddly.games import GameError, IllegalTurn, Turn, read_game
from oddly.interfaces.human_play.game_in_progress import ACTIONS, GameInProgress
from oddly.interfaces.human_play.lesson import (
    TAUGHT,
    Course,
    Lesson,
    LessonProgress,
    course,
    find_lesson,
    puzzles,
)
from oddly.interfaces.web.views import as_sentence, colour_named, frames, game_view, progress_view
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Sequence


Word = Annotated[str, Field(max_length=40)]
TurnText = Annotated[str, Field(max_length=16)]
MAX_TURNS = 2_000


class PracticeError(ValueError):
    """A request that makes no sense. The message is one sentence."""


class BoardRequest(BaseModel):
    """A game with its settings, and the turns so far."""

    model_config = ConfigDict(strict=True, extra="forbid")

    game: Word = ""
    size: int = 0
    settings: Annotated[dict[Word, Word], Field(max_length=8)] = {}
    turns: Annotated[list[TurnText], Field(max_length=MAX_TURNS)] = []

    def start(self) -> GameInProgress:
        """Return the start of the game. Raises GameError for one that does not exist."""
        return GameInProgress.of(read_game(self.game, self.size, self.settings))

    def line(self) -> GameInProgress:
        """Return the game after all of its turns. Raises PracticeError."""
        try:
            current = self.start()
            for text in self.turns:
                current = current.play(parse_turn(text))
        except (GameError, IllegalTurn, NotationError) as error:
            raise PracticeError(as_sentence(error)) from None
        return current


class PracticeRequest(BoardRequest):
    """A board and an action: `lesson` or `puzzle` names one, or `game` with its settings.

    In a lesson or a puzzle, `turns` has only the learner's.
    """

    lesson: Word = ""
    puzzle: Word = ""
    drops: Annotated[list[TurnText], Field(max_length=2)] = []
    origin: Annotated[str, Field(max_length=4)] | None = None
    do: Word = ""
    colour: Literal["", "black", "white"] = ""
    """The chosen colour of stones; without one, a click on a stone changes its colour."""
    vertex: Annotated[str, Field(max_length=4)] = ""


@dataclass(frozen=True, slots=True)
class _Board:
    """The turns that count, where they lead, and a lesson's progress."""

    turns: tuple[Turn, ...]
    current: GameInProgress
    progress: LessonProgress | None = None


def practise(request: PracticeRequest) -> dict[str, Any]:
    """Return the board after the action. Raises PracticeError."""
    lesson = _lesson(request)
    try:
        board = _follow(lesson, request, tuple(map(parse_turn, request.turns)))
        before = board.current.with_turn_begun(request.drops, request.origin)
    except (GameError, IllegalTurn, NotationError) as error:
        raise PracticeError(as_sentence(error)) from None
    refused = ""
    try:
        after = before if _is_closed(board) else _act(before, request)
    except IllegalTurn as error:
        after, refused = before, as_sentence(error)
    if len(after.turns) > len(before.turns):
        board = _follow(lesson, request, (*board.turns, after.turns[-1]))
        after = board.current
    return {
        "game": game_view(after.game),
        "state": {
            "turns": [str(turn) for turn in board.turns],
            "drops": [str(drop) for drop in after.partial.drops],
            "origin": after.partial.origin,
        },
        "view": _closed(progress_view(after)) if _is_closed(board) else progress_view(after),
        "refused": refused,
        "lesson": _lesson_view(lesson, board.progress),
    }


def courses() -> list[dict[str, Any]]:
    """Return what can be learnt: for each game its rules, a picture and its lessons' titles."""
    return [_course_view(name, taught) for name in TAUGHT if (taught := course(name))]


def _course_view(name: str, taught: Course) -> dict[str, Any]:
    return {
        "game": name,
        "title": taught.pictured.title,
        "summary": taught.summary,
        "rules": list(taught.rules),
        "picture": {
            "game": game_view(taught.pictured),
            "frames": list(frames(taught.pictured.start(), taught.turns)),
        },
        "lessons": [
            {"name": f"{name}/{lesson.id}", "title": lesson.title} for lesson in taught.lessons
        ],
    }


def all_puzzles() -> list[dict[str, Any]]:
    """Return the ids, boards and grades of all puzzles."""
    return [
        {
            "id": name,
            "game": puzzle.lesson.start.game.name,
            "size": puzzle.lesson.start.game.size,
            "grade": puzzle.grade,
        }
        for name, puzzle in puzzles().items()
    ]


def _lesson(request: PracticeRequest) -> Lesson | None:
    """Return the lesson or puzzle that a request names. Raises PracticeError if there is none."""
    if request.puzzle:
        puzzle = puzzles().get(request.puzzle)
        if puzzle is None:
            raise PracticeError("There is no such puzzle.")
        return puzzle.lesson
    if request.lesson:
        lesson = find_lesson(request.lesson)
        if lesson is None:
            raise PracticeError("There is no such lesson.")
        return lesson
    return None


def _follow(lesson: Lesson | None, request: PracticeRequest, turns: Sequence[Turn]) -> _Board:
    """Play the turns. Raises GameError for bad settings, IllegalTurn for a bad turn."""
    if lesson is not None:
        progress = lesson.follow(turns)
        return _Board(tuple(turns[: len(lesson.steps)]), progress.current, progress)
    current = request.start()
    for turn in turns:
        current = current.play(turn)
    return _Board(tuple(turns), current)


def _act(current: GameInProgress, request: PracticeRequest) -> GameInProgress:
    """Return the game after the action. Raises IllegalTurn, or PracticeError if it is unknown."""
    if not request.do:
        return current
    if request.do == "undo" and current.partial.is_begun:
        return current.undo()
    if request.do in ACTIONS:
        return ACTIONS[request.do](current, request.vertex, colour_named(request.colour))
    raise PracticeError("The page asked for something that this server does not know.")


def _is_closed(board: _Board) -> bool:
    """Return whether a lesson accepts no turn."""
    return board.progress is not None and not board.progress.may_play


def _closed(view: dict[str, Any]) -> dict[str, Any]:
    """Return the view with every action disabled."""
    can = dict.fromkeys(view["can"], False)
    return {**view, "clicks": {"black": "", "white": ""}, "can": can}


def _lesson_view(lesson: Lesson | None, progress: LessonProgress | None) -> dict[str, Any] | None:
    if lesson is None or progress is None:
        return None
    return {"title": lesson.title, "text": lesson.text, **progress.as_json()}
