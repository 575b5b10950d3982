"""The addresses of analysis: what an engine thinks, the positions of a game, games from files."""

from __future__ import annotations

import json
import re
from contextlib import aclosing
from functools import cache
from io import BytesIO
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import trio
from pydantic import Base64Bytes, BaseModel, ConfigDict, ValidationError
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from oddly.game_records import FORMATS
from oddly.game_records.formats import format_of_text
from oddly.games import Game, GameError, IllegalTurn
from oddly.interfaces.human_play.sentences import result_sentence
from oddly.interfaces.serving.applications import address_of, tagged
from oddly.interfaces.viewer.viewer import recorded_game
from oddly.interfaces.web.analysis import AnalysisRequest, Analyst, Thinking
from oddly.interfaces.web.bounds import file_threads, practice_threads, threads_of
from oddly.interfaces.web.game_request import what_is_wrong
from oddly.interfaces.web.practice import (
    BoardRequest,
    PracticeError,
    PracticeRequest,
    all_puzzles,
    courses,
    practise,
)
from oddly.interfaces.web.views import as_sentence, counted_frame, game_view
from oddly.protocol import NotationError, parse_turn
from oddly.referee import RecordError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from starlette.requests import Request

    from oddly.game_records import KeptGame

    Handler = Callable[[Request], Awaitable[Response]]


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


def analysis_route(analyst: Analyst) -> Route:
    """Return the route whose answers are sent line by line, and so never compressed."""

    async def analyse(request: Request) -> Response:
        """Send what the engine finds, a line of JSON at a time, until it is done."""
        try:
            asked = AnalysisRequest.model_validate_json(await request.body())
            thinking = analyst.begin(asked, address_of(request))
        except (ValidationError, PracticeError) as error:
            return refusal(error)
        # A proxy that collects the lines would show nothing until the end.
        headers = {"x-accel-buffering": "no", "cache-control": "no-store"}
        return StreamingResponse(_lines(thinking), media_type="application/jsonl", headers=headers)

    return Route("/api/analysis", analyse, methods=["POST"])


async def _lines(thinking: Thinking) -> AsyncIterator[str]:
    async with aclosing(thinking.lines()) as lines:
        async for line in lines:
            yield line


async def send_line(request: Request) -> Response:
    """Send the positions of a game, up to the first turn that is not legal."""
    return await _answer(request, BoardRequest, line_view)


async def send_games(request: Request) -> Response:
    """Send the games of a file. Files wait for each other; nothing else waits for them."""
    return await _answer(
        request, FileRequest, lambda asked: {"games": games_view(asked)}, file_threads()
    )


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
        found.append(_game_view(kept))
    if not found:
        raise PracticeError("There is no game in it.")
    return found


_VERTEX = re.compile(rb"[a-z][0-9]{1,2}")


def _game_view(kept: KeptGame) -> dict[str, Any]:
    return {"game": game_view(kept.record.game), **recorded_game(kept.record)}


JSON = "application/json"
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
        return tagged(request, body(), JSON)

    return send


async def send_practice(request: Request) -> Response:
    """Send a practice board after an action."""
    return await _answer(request, PracticeRequest, practise)


def refusal(error: ValidationError | PracticeError) -> Response:
    """Return the answer to a request that makes no sense."""
    sentence = what_is_wrong(error) if isinstance(error, ValidationError) else str(error)
    return JSONResponse({"sentence": sentence}, UNPROCESSABLE)
