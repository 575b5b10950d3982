"""Boards that the server does not store: to practise on, and to look at games.

People practise on lessons, puzzles, and positions on which any turn may be tried. A request has the
turns so far, the turn in progress, and one action; the answer has the turns after the action, and
what the page shows. Other requests have the turns of a game, or a file with games; the answers have
their positions. The addresses of all of these are here as well.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import trio
from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from oddly.game_records import FORMATS
from oddly.game_records.formats import format_of_text
from oddly.games import Game, GameError, IllegalTurn, Turn, read_game
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
from oddly.interfaces.human_play.sentences import result_sentence
from oddly.interfaces.serving.applications import address_of, tagged
from oddly.interfaces.viewer.viewer import recorded_game
from oddly.interfaces.web.bounds import file_threads, practice_threads, threads_of
from oddly.interfaces.web.game_request import what_is_wrong
from oddly.interfaces.web.views import (
    as_sentence,
    colour_named,
    counted_frame,
    frames,
    game_view,
    progress_view,
)
from oddly.protocol import NotationError, parse_turn
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request

    Handler = Callable[[Request], Awaitable[Response]]


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
    view = progress_view(after)
    if _is_closed(board):
        view |= {"clicks": {"black": "", "white": ""}, "can": dict.fromkeys(view["can"], False)}
    return {
        "game": game_view(after.game),
        "state": {
            "turns": [str(turn) for turn in board.turns],
            "drops": [str(drop) for drop in after.partial.drops],
            "origin": after.partial.origin,
        },
        "view": view,
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


def _lesson_view(lesson: Lesson | None, progress: LessonProgress | None) -> dict[str, Any] | None:
    if lesson is None or progress is None:
        return None
    return {"title": lesson.title, "text": lesson.text, **progress.as_json()}


Asked = TypeVar("Asked", bound=BaseModel)
MAX_GAMES = 50
"""Games in one file."""
MAX_FILE = 1 << 20
"""Bytes of a file."""
MAX_VERTICES = 50_000
"""Words like c3 in a file: each takes time under the plain rules, 1.5 ms for a move of Ayu 19."""
SECONDS_OF_A_FILE = 20.0
"""The time to read the games of a file, checked before each game."""


class FileRequest(BaseModel):
    """A text or a file with games; `board` has the game of a list of turns."""

    model_config = ConfigDict(strict=True, extra="forbid")

    text: str = ""
    file: Base64Bytes | None = None
    """The file's bytes, in Base64; they count in place of the text."""
    board: BoardRequest | None = None

    @property
    def data(self) -> bytes:
        """What a reader of files gets. A text is UTF-8, whatever encoding it names."""
        if self.file is not None:
            return self.file
        data = self.text.encode(errors="replace")
        return _ENCODING.sub(_blank, data) if format_of_text(data) == "sgf" else data


_ENCODING = re.compile(rb"\[[^\\\]]*+(?:\\.[^\\\]]*+)*+\]?|(?<![A-Z])CA\s*+\[[^\]]*+\]?", re.DOTALL)
"""The value of an SGF property, which may say anything, or the property with the encoding.

One that does not end is found too, or the rest of the text would be searched again and again.
"""


def _blank(found: re.Match[bytes]) -> bytes:
    """Return spaces for the property: whatever is wrong with the text keeps its place."""
    is_encoding = found[0].startswith(b"CA") and found[0].endswith(b"]")
    return b" " * len(found[0]) if is_encoding else found[0]


def line_view(asked: BoardRequest) -> dict[str, Any]:
    """Return the positions of a game and how it ended. Raises PracticeError if there is none."""
    try:
        start = asked.start()
    except GameError as error:
        raise PracticeError(as_sentence(error)) from None
    shown = [counted_frame(start.position, None, 0)]
    current, problem = start, ""
    for number, text in enumerate(asked.turns, start=1):
        try:
            turn = parse_turn(text)
            current = current.play(turn)
        except (IllegalTurn, NotationError) as error:
            problem = f"Turn {number}, {text}: {error}."
            break
        shown.append(counted_frame(current.position, turn, number % 2))
    return {
        "game": game_view(start.game),
        "frames": shown,
        "over": result_sentence(current),
        "problem": problem,
    }


def games_view(asked: FileRequest) -> list[dict[str, Any]]:
    """Return the games of a file. Raises RecordError, or PracticeError for one without games."""
    data = asked.data
    if len(data) > MAX_FILE:
        raise PracticeError(f"A file may have up to 1 MiB: this one has {len(data):,} bytes.")
    if len(_VERTEX.findall(data)) > MAX_VERTICES:
        raise PracticeError("The games of the file are too long to be read here: split it.")
    game: Game | None = None
    if asked.board is not None:
        try:
            game = asked.board.start().game
        except GameError as error:
            raise PracticeError(as_sentence(error)) from None
    found: list[dict[str, Any]] = []
    until = monotonic() + SECONDS_OF_A_FILE
    for kept in FORMATS[format_of_text(data)].read(BytesIO(data), game):
        if len(found) == MAX_GAMES:
            raise PracticeError(f"A file may have up to {MAX_GAMES} games, and this one has more.")
        if monotonic() > until:
            raise PracticeError("The games of the file take too long to read: split it.")
        found.append({"game": game_view(kept.record.game), **recorded_game(kept.record)})
    if not found:
        raise PracticeError("There is no game in it.")
    return found


_VERTEX = re.compile(rb"[a-z][0-9]{1,2}")
UNPROCESSABLE = 422


def learning_routes() -> list[Route]:
    """Return the routes to what can be learnt."""
    return [
        Route("/api/line", send_line, methods=["POST"]),
        Route("/api/files", send_games, methods=["POST"]),
        Route("/api/courses", _unchanging("courses", courses)),
        Route("/api/puzzles", _unchanging("puzzles", all_puzzles)),
        Route("/api/practice", send_practice, methods=["POST"]),
    ]


def _unchanging(name: str, made: Callable[[], list[dict[str, Any]]]) -> Handler:
    """Return a handler that sends a list, which is made when somebody asks for it first."""

    @cache
    def body() -> bytes:
        return json.dumps({name: made()}).encode()

    async def send(request: Request) -> Response:
        return tagged(request, body(), "application/json")

    return send


async def send_line(request: Request) -> Response:
    """Send the positions of a game, up to the first turn that is not legal."""
    return await _answer(request, BoardRequest, line_view)


async def send_games(request: Request) -> Response:
    """Send the games of a file. Files wait for each other; nothing else waits for them."""
    return await _answer(
        request, FileRequest, lambda asked: {"games": games_view(asked)}, file_threads()
    )


async def send_practice(request: Request) -> Response:
    """Send a practice board after an action."""
    return await _answer(request, PracticeRequest, practise)


async def _answer(
    request: Request,
    model: type[Asked],
    view: Callable[[Asked], dict[str, Any]],
    threads: trio.CapacityLimiter | None = None,
) -> Response:
    """Return what a view makes of a request, in a thread that lets the clocks of games run."""
    try:
        asked = model.model_validate_json(await request.body())
        async with threads_of(address_of(request)):
            limiter = threads or practice_threads()
            found = await trio.to_thread.run_sync(view, asked, limiter=limiter)
    except (ValidationError, PracticeError) as error:
        return refusal(error)
    except RecordError as error:
        return JSONResponse({"sentence": as_sentence(error)}, UNPROCESSABLE)
    return JSONResponse(found)


def refusal(error: ValidationError | PracticeError) -> Response:
    """Return the answer to a request that makes no sense."""
    sentence = what_is_wrong(error) if isinstance(error, ValidationError) else str(error)
    return JSONResponse({"sentence": sentence}, UNPROCESSABLE)
