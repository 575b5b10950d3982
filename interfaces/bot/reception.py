"""The address that the site calls: what is answered to a webhook, and how its body is read."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import trio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.interfaces.bot.signatures import SignatureError
from oddly.interfaces.bot.site_view import Challenge, TurnRequest, WebhookError, read_webhook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.bot.journal import Journal
    from oddly.interfaces.bot.signatures import SignatureCheck

    Receive = Callable[[list[tuple[str, str]], bytes, float], "Answer"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP status, a sentence for the log, and the turn to think about, if any."""

    status: HTTPStatus
    sentence: str
    request: TurnRequest | None = None
    challenge: Challenge | None = None
    """The challenge that was accepted."""


class Reception:
    """Answers webhooks.

    `objection` returns why a challenge is declined or a turn cannot be thought about, or None;
    `take` notes a turn at a Unix second and returns whether it is news.
    """

    def __init__(
        self,
        check: SignatureCheck,
        objection: Callable[[Challenge | TurnRequest, float], str | None],
        take: Callable[[TurnRequest, float], bool],
    ) -> None:
        self._check = check
        self._objection = objection
        self._take = take

    def answer(
        self, headers: Sequence[tuple[str, str]], body: bytes, now: float, *, is_full: bool = False
    ) -> Answer:
        """Return the answer to a POST with these headers, names in lower case, and raw body.

        `now` is in Unix seconds; `is_full` says that no more turns can wait.
        """
        try:
            self._check.check(headers, body, now)
        except SignatureError as error:
            return Answer(HTTPStatus.UNAUTHORIZED, f"refused: {error}")
        try:
            asked = read_webhook(body)
        except WebhookError as error:
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {error}")
        if objection := self._objection(asked, now):
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {objection}")
        if isinstance(asked, Challenge):
            said = f"a challenge to {asked.game}: accepted"
            return Answer(HTTPStatus.OK, said, challenge=asked)
        where = asked.where
        if is_full:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{where}: too many turns wait")
        if not self._take(asked, now):
            return Answer(HTTPStatus.ACCEPTED, f"{where}: answered before")
        return Answer(HTTPStatus.ACCEPTED, f"{where}: our turn at {asked.game}", asked)


LARGEST_BODY = 131_072
"""Bytes of a webhook: many times the longest game."""
BODY_PATIENCE = 3.0
"""Seconds in which a body must arrive; the site is answered within five."""
CLOSE = {"connection": "close"}


class _BodyError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(
    receive: Receive, journal: Journal, name: str, health: Callable[[], dict[str, Any]]
) -> Starlette:
    """Return the application. `receive` answers headers, body and the time in Unix seconds.

    Its sentence is written to the log; the site gets it only with a refusal. `/healthz` answers
    what `health` returns, with 503 unless `ok` is true.
    """

    async def healthz(_: Request) -> Response:
        facts = health()
        return JSONResponse(facts, HTTPStatus.OK if facts["ok"] else HTTPStatus.SERVICE_UNAVAILABLE)

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
        is_accepted = answer.status < HTTPStatus.BAD_REQUEST
        facts = {"accepted": True} if is_accepted else {"message": answer.sentence}
        return JSONResponse(facts, answer.status)

    return Starlette(
        routes=[
            Route("/", ping, methods=["GET"]),
            Route("/", webhook, methods=["POST"]),
            Route("/healthz", healthz, methods=["GET"]),
        ]
    )


async def _body(request: Request) -> bytes:
    """Return the raw body. Raises _BodyError if it is too large or too slow."""
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
