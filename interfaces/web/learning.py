"""The addresses of what can be learnt: courses, practice boards and puzzles."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import trio
from pydantic import ValidationError
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from oddly.interfaces.web.practice import (
    PracticeError,
    PracticeRequest,
    all_puzzles,
    courses,
    practise,
)

if TYPE_CHECKING:
    from starlette.requests import Request

MAX_THREADS = 2
"""Practice boards at work at once, so that the clocks of games keep running."""
UNPROCESSABLE = 422


def learning_routes() -> list[Route]:
    """Return the routes to what can be learnt."""
    return [
        Route("/api/courses", send_courses),
        Route("/api/puzzles", send_puzzles),
        Route("/api/practice", send_practice, methods=["POST"]),
    ]


async def send_courses(request: Request) -> Response:
    """Send the rules, pictures and lessons of all games."""
    return JSONResponse({"courses": courses()})


async def send_puzzles(request: Request) -> Response:
    """Send the list of puzzles."""
    return JSONResponse({"puzzles": all_puzzles()})


async def send_practice(request: Request) -> Response:
    """Send a practice board after an action."""
    try:
        asked = PracticeRequest.model_validate_json(await request.body())
        found = await trio.to_thread.run_sync(practise, asked, limiter=practice_threads())
    except (ValidationError, PracticeError) as error:
        return refusal(error)
    return JSONResponse(found)


def refusal(error: ValidationError | PracticeError) -> Response:
    """Return the answer to a request that makes no sense."""
    if isinstance(error, PracticeError):
        return JSONResponse({"sentence": str(error)}, UNPROCESSABLE)
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, problem["loc"])) or "the request"
    return JSONResponse({"sentence": f"{place}: {problem['msg']}."}, UNPROCESSABLE)


@cache
def practice_threads() -> trio.CapacityLimiter:
    """Return the limit of threads for practice boards and positions of games."""
    return trio.CapacityLimiter(MAX_THREADS)
