"""The address that the site calls, as an ASGI application."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import TYPE_CHECKING

import trio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.bot.journal import Journal
    from oddly.interfaces.bot.reception import Answer

    Receive = Callable[[list[tuple[str, str]], bytes, float], Answer]

LARGEST_BODY = 131_072
"""Bytes of a webhook: many times the longest game."""
BODY_PATIENCE = 3.0
"""Seconds in which a body must have come; the site is answered within five."""
CLOSE = {"connection": "close"}


class _BodyError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(receive: Receive, journal: Journal, name: str) -> Starlette:
    """Return the application. `receive` answers headers, body and the time in Unix seconds.

    What it says is written to the log; the site is sent no more than the status.
    """

    async def ping(_: Request) -> Response:
        return JSONResponse({"operational": True, "name": name})

    async def webhook(request: Request) -> Response:
        try:
            body = await _body(request)
        except _BodyError as error:
            journal.say(f"refused: {error}")
            return JSONResponse({"message": str(error)}, error.status, CLOSE)
        headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers.raw]
        answer = receive(headers, body, time.time())
        journal.say(answer.sentence)
        facts = {"accepted": True} if answer.status < HTTPStatus.BAD_REQUEST else {
            "message": answer.sentence
        }  # fmt: skip
        return JSONResponse(facts, answer.status)

    return Starlette(
        routes=[Route("/", ping, methods=["GET"]), Route("/", webhook, methods=["POST"])]
    )


async def _body(request: Request) -> bytes:
    """The raw body. Raises _BodyError if it is too large or too slow."""
    too_large = _BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST_BODY} bytes are read"
    )
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and (len(announced) > 9 or int(announced) > LARGEST_BODY):
        raise too_large
    body = bytearray()
    with trio.move_on_after(BODY_PATIENCE) as scope:
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large
        except ClientDisconnect:
            raise _BodyError(HTTPStatus.BAD_REQUEST, "the body broke off") from None
    if scope.cancelled_caught:
        raise _BodyError(
            HTTPStatus.REQUEST_TIMEOUT, f"the body did not come within {BODY_PATIENCE:g} s"
        )
    return bytes(body)
