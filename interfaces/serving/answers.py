"""Headers of all answers, even those that the framework makes without a handler; and tags.

A browser sends a tag to ask whether its copy is still current.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def content_security_policy(sources: str = "") -> str:
    """Return the content security policy: this server's scripts, styles and data, none inline.

    Scripts may also connect to `sources`.
    """
    sockets = f" {sources}" if sources else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self'{sockets}; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )


def with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """Return a `send` that sets these headers on an answer, in place of its own."""

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(headers)
        await send(message)

    return sender


class AnswerHeaders:
    """An application that gives all answers of another one the same headers."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app, self._headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await self._app(scope, receive, with_headers(send, self._headers))


FOR_GOOD = "public, max-age=31536000, immutable"
IF_UNCHANGED = "private, no-cache"
"""A browser asks each time whether its copy is still current."""


def name_with_digest(name: str, data: bytes) -> str:
    """Return `page.0123456789abcdef.js` for `page.js`: a name that changes with the data."""
    stem, _, kind = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(data).hexdigest()[:16]}.{kind}"


def tagged(request: Request, body: bytes, kind: str, kept: str = IF_UNCHANGED) -> Response:
    """Return an answer with a tag, or without its body if the browser names that tag.

    The tag is weak, because the body may be compressed on its way.
    """
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": kept}
    named = request.headers.get("if-none-match", "").split(",")
    if tag in [each.strip() for each in named]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers={"content-type": kind, **headers})
