"""Answers that all visitors share, and the queries that they may ask.

An answer is made at most once a second for all visitors, with a tag. All answers of an arena have
the same security headers, even those without a handler. The query of an address has limits; a
sentence says what is wrong with it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import trio
from starlette.applications import Starlette
from starlette.middleware import Middleware

from oddly.games import did_you_mean, one_line
from oddly.interfaces.serving.answers import IF_UNCHANGED, AnswerHeaders, tagged

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

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
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
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


class Answers:
    """The most recent answers."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _MadeAnswer] = OrderedDict()
        self._size = 0

    def to(self, handler: Handler, refuse: Callable[[Request, str], Response]) -> Handler:
        """Return a handler that asks another one at most once a second for each address.

        `refuse` makes the answer to an address with a wrong query.
        """

        async def answer(request: Request) -> Response:
            address = f"{request.scope['path']}?{request.scope['query_string'].decode('latin-1')}"
            kept = self._kept.get(address)
            if kept is None or trio.current_time() - kept.made > FRESH:
                try:
                    response = await handler(request)
                except AskedError as error:
                    response = refuse(request, str(error))
                if response.status_code != 200:
                    return response
                kind = response.headers["content-type"]
                more = {"access-control-allow-origin": "*"} if kind in FOR_PROGRAMS else {}
                if "cache-control" in response.headers:
                    more["cache-control"] = response.headers["cache-control"]
                kept = _MadeAnswer(trio.current_time(), bytes(response.body), kind, more)
                self._keep(address, kept)
            found = tagged(request, kept.body, kept.kind, IF_UNCHANGED)
            found.headers.update(kept.headers)
            return found

        return answer

    def _keep(self, address: str, kept: _MadeAnswer) -> None:
        self._forget(address)
        self._kept[address] = kept
        self._size += len(kept.body)
        while self._size > MAX_KEPT:
            self._forget(next(iter(self._kept)))

    def _forget(self, address: str) -> None:
        old = self._kept.pop(address, None)
        if old is not None:
            self._size -= len(old.body)


class SitePages(NamedTuple):
    """The pages of a site."""

    routes: Sequence[BaseRoute]
    missing: Missing | None = None
    """Answers where there is no page, or none for the method; None for Starlette's own answer."""


def arena_application(pages: SitePages) -> Starlette:
    """Return the application of an arena, whose answers all have the security headers."""
    missing = pages.missing
    return Starlette(
        routes=pages.routes,
        middleware=[Middleware(AnswerHeaders, HEADERS)],
        exception_handlers={} if missing is None else {404: missing, 405: missing},
    )
