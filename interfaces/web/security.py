"""Access control: which requests reach the application, and what a browser may do with answers.

The Host of every request must be one of ours, which stops DNS rebinding. The Origin of every POST
and WebSocket must be this page. A server that other machines can reach demands its token. Bodies
are bounded.
"""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.websockets import WebSocket

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD", "POST")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
REFUSED = 4403
"""The code that closes a WebSocket without access."""


@dataclass(frozen=True)
class AccessPolicy:
    """The names and the port of the server, and the token that it demands."""

    port: int
    names: frozenset[str]
    any_address: bool = False
    """Whether any numeric Host is ours. DNS rebinding needs a name."""
    token: str = ""

    @property
    def cookie(self) -> str:
        """The name of the cookie, with the port, since all ports of a host share cookies."""
        return f"oddly-{self.port}"

    def is_ours(self, host: str) -> bool:
        """Whether a Host header names this server."""
        name, port = host, 80
        if not host.endswith("]") and ":" in host:
            name, _, number = host.rpartition(":")
            port = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else -1
        if port != self.port:
            return False
        return name.lower() in self.names or (self.any_address and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class AccessMiddleware:
    """The application behind an access policy."""

    def __init__(self, app: ASGIApp, access: AccessPolicy, most_body: int) -> None:
        self.app = app
        self.access = access
        self.most_body = most_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        hosts = Headers(scope=scope).getlist("host")
        host = hosts[0] if len(hosts) == 1 else ""
        guarded = _with_headers(send, host if self.access.is_ours(host) else "")
        refusal = self._refusal(scope, host)
        if refusal is None:
            await self._let_in(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, guarded).close(REFUSED)
        else:
            await refusal(scope, receive, guarded)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        bounded = _Bounded(receive, send, self.most_body)
        try:
            await self.app(scope, bounded.receive, bounded.send)
        except ClientDisconnect:
            # The application sees this too when we cut the body off.
            if not bounded.exceeded:
                raise
        if bounded.exceeded and not bounded.answered:
            await _too_large(self.most_body)(scope, receive, send)

    def _refusal(self, scope: Scope, host: str) -> PlainTextResponse | RedirectResponse | None:
        """Return the refusal of a request; None if it is admitted."""
        headers = Headers(scope=scope)
        if not self.access.is_ours(host):
            return PlainTextResponse("This server does not go by that name.\n", 421)
        is_socket = scope["type"] == "websocket"
        method = "GET" if is_socket else scope["method"]
        if method not in METHODS:
            return PlainTextResponse(f"Only {', '.join(METHODS)} are known here.\n", 405)
        if is_socket or method == "POST":
            origins = headers.getlist("origin")
            if origins not in ([f"http://{host}"], [f"https://{host}"]):
                return PlainTextResponse("That came from another page than this server's.\n", 403)
        if method == "POST":
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                return PlainTextResponse("JSON is expected (application/json).\n", 415)
            length = headers.get("content-length", "")
            if length.isdigit() and (len(length) > 9 or int(length) > self.most_body):
                return _too_large(self.most_body)
        return self._token_refusal(scope, headers) if self.access.token else None

    def _token_refusal(
        self, scope: Scope, headers: Headers
    ) -> PlainTextResponse | RedirectResponse | None:
        """Return the refusal without the token; move the token from the address into a cookie."""
        if self._is_token(_cookie(headers, self.access.cookie)):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["type"] == "http" and self._is_token(query.get("token", [""])[0]):
            response = RedirectResponse(quote(scope["path"]), 303)
            response.set_cookie(
                self.access.cookie, self.access.token, httponly=True, samesite="strict", path="/"
            )
            return response
        return PlainTextResponse(
            "A token is missing: open the address that 'oddly serve' printed.\n", 401
        )

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self.access.token.encode())


class _Bounded:
    """Channels to an application that cut off a body beyond its bound."""

    def __init__(self, receive: Receive, send: Send, most: int) -> None:
        self._receive, self._send, self._left = receive, send, most
        self.answered = False
        self.exceeded = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                self.exceeded = True
                return {"type": "http.disconnect"}
        return message

    async def send(self, message: Message) -> None:
        if not self.exceeded:
            self.answered = True
            await self._send(message)


def _too_large(most: int) -> PlainTextResponse:
    return PlainTextResponse(f"At most {most} bytes are read.\n", 413, {"connection": "close"})


def _cookie(headers: Headers, name: str) -> str:
    try:
        jar = SimpleCookie(headers.get("cookie", "")[:8192])
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


def content_security_policy(host: str) -> str:
    """Return the content security policy: scripts, styles and data of this server, none inline."""
    sockets = f" ws://{host} wss://{host}" if host else ""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self'{sockets}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


def _with_headers(send: Send, host: str) -> Send:
    """Return `send` with the security headers of every answer."""

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = content_security_policy(host)
            headers["x-content-type-options"] = "nosniff"
            headers["x-frame-options"] = "DENY"
            headers["referrer-policy"] = "no-referrer"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sender
