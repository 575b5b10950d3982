"""Headers of all answers, even those that the framework makes without a handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """Return a `send` that sets these headers on an answer, in place of its own."""

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(headers)
        await send(message)

    return sender


class AnswerHeaders:
    """An application behind which all answers have the same headers."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app, self._headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await self._app(scope, receive, with_headers(send, self._headers))
