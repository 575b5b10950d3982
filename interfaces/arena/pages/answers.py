"""Answers that all visitors share, and the queries that they may ask.

An answer is made at most once a second for all visitors, with a tag. All answers of an arena have
the same security headers, even those without a handler. The query of an address has limits; a
sentence says what is wrong with it. Each address that asks has an allowance of requests.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import trio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.websockets import WebSocketClose

from oddly.arena.sessions import Budgets, is_here
from oddly.games import did_you_mean, one_line
from oddly.interfaces.serving.applications import (
    IF_UNCHANGED,
    AnswerHeaders,
    NearRedirects,
    content_security_policy,
    tagged,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

    Handler = Callable[[Request], Awaitable[Response]]
    Missing = Callable[[Request, Exception], Awaitable[Response]]


MAX_QUERY = 1000
"""The maximum length of a query, in characters."""
MAX_DIGITS = 7


class AskedError(Exception):
    """The query of an address is not allowed. The message is one sentence."""


def asked_of(request: Request, names: Sequence[str], *, only: bool = False) -> dict[str, str]:
    """Return the parameters with these names from an address, without empty ones.

    With `only`, no other names are allowed. Raises AskedError.
    """
    query = request.scope["query_string"]
    if len(query) > MAX_QUERY:
        raise AskedError(
            f"The address has {len(query):,} characters after '?': at most {MAX_QUERY:,} are "
            "expected."
        )
    given = request.query_params
    if only:
        for name in given:
            if name not in names:
                expected = ", ".join(names) or "none"
                near = did_you_mean(name, names) or "."
                raise AskedError(
                    f"There is no parameter {one_line(name, 40)!r}: expected {expected}{near}"
                )
    for name in names:
        if len(given.getlist(name)) > 1:
            raise AskedError(f"The parameter {name} is given more than once.")
    return {name: given[name] for name in names if given.get(name)}


def whole_number(asked: dict[str, str], name: str, least: int, most: int) -> int | None:
    """Return the whole number of a parameter; None if it is missing. Raises AskedError."""
    text = asked.get(name)
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS:
        found = int(text)
        if least <= found <= most:
            return found
    raise AskedError(
        f"The parameter {name} is {one_line(text, 40)!r}: a whole number from {least} to {most:,} "
        "is expected."
    )


def page_number(asked: dict[str, str], found: int, on_a_page: int) -> tuple[int, int]:
    """Return the number of the requested page, and of the last one. Raises AskedError."""
    last = max(1, -(-found // on_a_page))
    return whole_number(asked, "page", 1, last) or 1, last


FRESH = 1.0
"""Seconds for which an answer is reused."""
MAX_KEPT = 8 << 20
"""The maximum number of bytes of answers that are kept."""
FOR_PROGRAMS = ("application/json", "application/atom+xml")
"""What pages of other sites may read."""
OF_ALL = {"access-control-allow-origin": "*"}
"""The header that lets them read it."""
HEADERS = {
    "content-security-policy": content_security_policy(),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer: visitors' forms would arrive without their origin.
    "referrer-policy": "same-origin",
}


class _MadeAnswer(NamedTuple):
    """An answer that can be reused."""

    made: float
    body: bytes
    kind: str
    headers: Mapping[str, str]


class _Asked(NamedTuple):
    """What the answer to an address depends on."""

    path: str
    given: tuple[tuple[str, str], ...]
    has_others: bool

    @classmethod
    def of(cls, request: Request, names: Sequence[str]) -> _Asked:
        """Return what a request asks for. Raises AskedError."""
        given = asked_of(request, names)
        has_others = any(name not in names for name in request.query_params)
        return cls(request.scope["path"], tuple(sorted(given.items())), has_others)


class Answers:
    """The most recent answers."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Asked, _MadeAnswer] = OrderedDict()
        self._size = 0

    def to(
        self,
        handler: Handler,
        refuse: Callable[[Request, str], Response],
        names: Sequence[str] = (),
    ) -> Handler:
        """Return a handler that asks another one at most once a second for each address.

        The answer depends on the parameters with these names, and on whether there are others.
        `refuse` makes the answer to an address with a wrong query.
        """

        async def answer(request: Request) -> Response:
            try:
                asked = _Asked.of(request, names)
            except AskedError as error:
                return refuse(request, str(error))
            kept = self._kept.get(asked)
            if kept is None or trio.current_time() - kept.made > FRESH:
                try:
                    response = await handler(request)
                except AskedError as error:
                    response = refuse(request, str(error))
                if response.status_code != 200:
                    return response
                kind = response.headers["content-type"]
                more = dict(OF_ALL) if kind in FOR_PROGRAMS else {}
                if "cache-control" in response.headers:
                    more["cache-control"] = response.headers["cache-control"]
                kept = _MadeAnswer(trio.current_time(), bytes(response.body), kind, more)
                self._keep(asked, kept)
            found = tagged(request, kept.body, kept.kind, IF_UNCHANGED)
            found.headers.update(kept.headers)
            return found

        return answer

    def _keep(self, asked: _Asked, kept: _MadeAnswer) -> None:
        self._forget(asked)
        self._kept[asked] = kept
        self._size += len(kept.body)
        while self._size > MAX_KEPT:
            self._forget(next(iter(self._kept)))

    def _forget(self, asked: _Asked) -> None:
        old = self._kept.pop(asked, None)
        if old is not None:
            self._size -= len(old.body)


class SitePages(NamedTuple):
    """The pages of a site."""

    routes: Sequence[BaseRoute]
    missing: Missing | None = None
    """Answers where there is no page, or none for the method; None for Starlette's own answer."""


REQUESTS, REQUEST_BURST = 50.0, 400
"""Requests a second from one address, except this machine, and those that may come at once."""


TOO_MANY = "Too many requests come from your address."


class RequestLimit:
    """An application that refuses an address with too many requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._allowances = Budgets(REQUESTS, REQUEST_BURST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it."""
        address = scope["client"][0] if scope.get("client") else ""
        is_free = not address or is_here(address)
        if is_free or self._allowances.spend(address, 1, trio.current_time()):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            is_api = scope["path"].startswith("/api/")
            answer: Response = (
                JSONResponse({"error": TOO_MANY}) if is_api else PlainTextResponse(f"{TOO_MANY}\n")
            )
            answer.status_code = 429
            answer.headers["retry-after"] = "1"
            if is_api:
                answer.headers.update(OF_ALL)
            await answer(scope, receive, send)


def arena_application(pages: SitePages) -> Starlette:
    """Return the application of an arena, whose answers all have the security headers."""
    missing = pages.missing
    return Starlette(
        routes=pages.routes,
        middleware=[
            Middleware(AnswerHeaders, HEADERS),
            Middleware(RequestLimit),
            Middleware(NearRedirects),
        ],
        exception_handlers={} if missing is None else {404: missing, 405: missing},
    )
