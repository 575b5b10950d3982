"""Access control: which requests are let in, and what browsers may do.

The Host of every request must be one of ours, which stops DNS rebinding. The Origin of every POST
and WebSocket must be this page. A server that others can reach demands its token, or the address of
a game, which makes a browser a guest. Bodies are bounded, in bytes and in time, and so are the
requests of each address.
"""

from __future__ import annotations

import math
from time import monotonic
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qs, quote

import trio
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.websockets import WebSocket

from oddly.interfaces.serving.applications import (
    content_security_policy,
    cookies_named,
    visitor_of,
    with_headers,
)
from oddly.interfaces.web.access_policy import (
    FOREVER,
    FORWARDED,
    AccessPolicy,
    is_guest_path,
    refusal,
)
from oddly.interfaces.web.bounds import Allowances, OneEach

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from oddly.interfaces.web.bounds import Bounds


METHODS = ("GET", "HEAD", "POST")
REFUSED = 4403
"""The code that closes a WebSocket without access."""
NO_TOKEN = (
    "A token is missing: open the address that 'oddly serve' printed, or the address of a game "
    "that you were given."
)
NO_SUCH_GAME = (
    "There is no such game on this server, or no longer. Ask for the address again. The "
    "owner of the server opens the address that 'oddly serve' printed."
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
NOTHING = "default-src 'none'; frame-ancestors 'none'"
"""The content security policy of anything but a page: it needs nothing."""
GAME_PAGES = "/watch/game/"
FILES = "/api/files"
FILE_TOO_LARGE = "A file may have up to 1 MiB: split it, or leave games out."
FILES_WAIT = "The server still reads another file: try again in a moment."


class AccessMiddleware:
    """The application behind an access policy. `opens` says whether an address names a game.

    The application gets the visitor's address in place of the peer's.
    """

    def __init__(
        self,
        app: ASGIApp,
        access: AccessPolicy,
        bounds: Bounds,
        opens: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.app = app
        self.access = access
        self.bounds = bounds
        self.opens = opens
        self._requests = Allowances(bounds.requests, bounds.request_burst)
        self._files = OneEach(bounds.files)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        hosts = Headers(scope=scope).getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        send = _sending(send, self.access.socket_sources(host))
        prefix = self.access.public.path if self.access.public else ""
        if prefix and scope["path"].startswith(f"{prefix}/"):
            # The proxy leaves the path as it was; Starlette strips the root path.
            scope = {**scope, "root_path": prefix}
        visitor = visitor_of(scope, self.access.proxies)
        scope = {**scope, "client": (visitor, 0)}
        is_one_too_many = not self._requests.spend(visitor, monotonic())
        answer = _too_many() if is_one_too_many else self._answer_instead(scope, host)
        if answer is None and self.access.demands_token and not self._has_token(scope, host):
            answer = self._answer_without_token(scope, host)
            scope["is_guest"] = answer is None
        if answer is None and _is_file(scope):
            with self._files.take(visitor) as has_place:
                if has_place:
                    await self._let_in(scope, receive, send)
                else:
                    await refusal(scope, FILES_WAIT, 503)(scope, receive, send)
        elif answer is None:
            await self._let_in(scope, receive, self._with_guest_pass(scope, host, send))
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(REFUSED)
        else:
            await answer(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        seconds = self.bounds.body_seconds if scope.get("method") == "POST" else math.inf
        most = self._most(scope)
        bounded = _Bounded(receive, send, most, seconds)
        try:
            await self.app(scope, bounded.receive, bounded.send)
        except ClientDisconnect:
            # The application sees this too when we cut the body off.
            if not bounded.exceeded and not bounded.late:
                raise
        if bounded.answered:
            return
        if bounded.exceeded:
            await _too_large(scope, most)(scope, receive, send)
        elif bounded.late:
            await _too_late(self.bounds.body_seconds)(scope, receive, send)

    def _most(self, scope: Scope) -> int:
        """Return how many bytes the body of a request may have."""
        return self.bounds.file_body if _is_file(scope) else self.bounds.body

    def _answer_instead(self, scope: Scope, host: str) -> Response | None:
        """Return a refusal or a redirect; None if the token decides, or nothing objects."""
        headers = Headers(scope=scope)
        if not self.access.is_ours(host):
            return PlainTextResponse("This server does not go by that name.\n", 421)
        if not self.access.demands_token and any(name in headers for name in FORWARDED):
            return PlainTextResponse(
                "This server does not expect a proxy: start it with --public-url.\n", 403
            )
        is_socket = scope["type"] == "websocket"
        method = "GET" if is_socket else scope["method"]
        if method not in METHODS:
            return PlainTextResponse(f"Only {', '.join(METHODS)} are known here.\n", 405)
        if (is_socket or method == "POST") and not self.access.is_own_origin(
            headers.getlist("origin"), host
        ):
            return PlainTextResponse("That came from another page than this server's.\n", 403)
        if method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return PlainTextResponse("JSON is expected (application/json).\n", 415)
            length = headers.get("content-length", "")
            most = self._most(scope)
            if length.isdigit() and (len(length) > 9 or int(length) > most):
                return _too_large(scope, most)
        if self.access.public and scope["path"] == self.access.public.path != "":
            return RedirectResponse(f"{self.access.public.path}/", 307)
        return None

    def _has_token(self, scope: Scope, host: str) -> bool:
        """Return whether a request has the token in a cookie."""
        cookies = cookies_named(Headers(scope=scope), self.access.cookie_name(host))
        return any(map(self.access.is_token, cookies))

    def _answer_without_token(self, scope: Scope, host: str) -> Response | None:
        """Return a redirect that moves the token into a cookie, or a refusal; None for a guest."""
        headers = Headers(scope=scope)
        if scope["type"] == "http":
            if self.access.is_token(_asked(scope, "token")):
                return self._with_token(scope, headers, host)
            if (game := _named(scope)) and self.opens(game):
                return None
        passes = cookies_named(headers, f"{self.access.cookie_name(host)}-guest")
        if is_guest_path(_path(scope)) and any(map(self.access.is_guest_pass, passes)):
            return None
        if _named(scope):
            return refusal(scope, NO_SUCH_GAME, 401, heading="No such game")
        return refusal(scope, NO_TOKEN, 401)

    def _with_token(self, scope: Scope, headers: Headers, host: str) -> Response:
        """Return a redirect to the address without the token, which goes into a cookie."""
        path = "/" + _path(scope).lstrip("/")
        if self.access.public and self.access.public.path:
            # Relative, since a proxy may strip the path of the public address.
            path = f"./{path.rpartition('/')[2]}"
        response = RedirectResponse(quote(path), 303)
        name = self.access.cookie_name(host)
        self._set_cookie(response, headers, host, name, self.access.token(), "strict")
        return response

    def _set_cookie(
        self,
        response: Response,
        headers: Headers,
        host: str,
        name: str,
        value: str,
        samesite: Literal["lax", "strict"],
    ) -> None:
        path, secure = self.access.cookie_path(host), self.access.is_by_tls(host, headers)
        response.set_cookie(
            name, value, FOREVER, path=path, secure=secure, httponly=True, samesite=samesite
        )

    def _with_guest_pass(self, scope: Scope, host: str, send: Send) -> Send:
        """Return `send`, which gives the pass of a guest to a browser that opens a game."""
        game = _named(scope) if scope["type"] == "http" else ""
        if not self.access.demands_token or not game or not self.opens(game):
            return send
        headers, name = Headers(scope=scope), f"{self.access.cookie_name(host)}-guest"
        carrier = PlainTextResponse()
        self._set_cookie(carrier, headers, host, name, self.access.guest_pass(), "lax")
        cookie = carrier.headers["set-cookie"]

        async def sender(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        return sender


def _path(scope: Scope) -> str:
    """Return the path below the public address."""
    path = str(scope["path"])
    root = str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def _named(scope: Scope) -> str:
    """Return the game whose page is requested; empty for another page."""
    path = _path(scope)
    if path.startswith(GAME_PAGES):
        return path.removeprefix(GAME_PAGES)
    return _asked(scope, "game") if path == "/" else ""


def _asked(scope: Scope, name: str) -> str:
    """Return a value of the query; empty if it is missing."""
    query = scope["query_string"].decode("latin-1")
    try:
        return str(parse_qs(query, max_num_fields=20).get(name, [""])[0])
    except ValueError:
        return ""


class _Bounded:
    """Channels to an application that cut off a body beyond its bounds."""

    def __init__(self, receive: Receive, send: Send, most: int, seconds: float) -> None:
        self._receive, self._send, self._left = receive, send, most
        self._until = trio.current_time() + seconds
        self.answered = False
        self.exceeded = False
        self.late = False

    async def receive(self) -> Message:
        message: Message = {"type": "http.disconnect"}
        with trio.CancelScope(deadline=self._until) as scope:
            message = await self._receive()
        if scope.cancelled_caught:
            self.late = True
        elif message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                self.exceeded = True
                return {"type": "http.disconnect"}
            if not message.get("more_body", False):
                # Only the end of the connection follows the body, whenever that is.
                self._until = math.inf
        return message

    async def send(self, message: Message) -> None:
        if not self.exceeded and not self.late:
            self.answered = True
            await self._send(message)


def _is_file(scope: Scope) -> bool:
    """Return whether a request sends a file with games."""
    return scope.get("method") == "POST" and _path(scope) == FILES


def _too_large(scope: Scope, most: int) -> Response:
    if _is_file(scope):
        answer = refusal(scope, FILE_TOO_LARGE, 413)
        answer.headers["connection"] = "close"
        return answer
    return PlainTextResponse(f"At most {most} bytes are read.\n", 413, {"connection": "close"})


def _too_many() -> PlainTextResponse:
    return PlainTextResponse(
        "Too many requests come from your address.\n", 429, {"retry-after": "1"}
    )


def _too_late(seconds: float) -> PlainTextResponse:
    return PlainTextResponse(
        f"A request has {seconds:.0f} seconds to arrive.\n", 408, {"connection": "close"}
    )


def _sending(send: Send, sources: str) -> Send:
    """Return a `send` that adds the security headers to every answer."""

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("cache-control", "no-store")
            # An answer without a content type may stand for a page that the browser has.
            is_part = not headers.get("content-type", "text/html").startswith("text/html")
            policy = NOTHING if is_part else content_security_policy(sources)
            headers["content-security-policy"] = policy
        await send(message)

    return with_headers(sender, HEADERS)
