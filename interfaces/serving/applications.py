"""What all applications share: whom a request is charged to, its cookies, and marks of answers.

The address charged is the peer's, or the one that a trusted proxy names. A connection may send a
limited number of messages. All answers get the headers, even those that the framework makes without
a handler. A browser sends a tag to ask whether its copy is still current.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import HTTPConnection, Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
HOME = 64
"""The bits of an IPv6 address that identify one line."""
LOOPBACK: tuple[Network, ...] = (
    ipaddress.ip_network("127.0.0.0/8"),
    ipaddress.ip_network("::1/128"),
)


def seen_through(app: ASGIApp, proxies: Iterable[Network]) -> ASGIApp:
    """Return an application in which `scope["client"]` is the visitor, even behind a proxy.

    This machine is one of the proxies. A visitor of this machine keeps its address.
    """
    trusted = (*LOOPBACK, *proxies)

    async def seeing(scope: Scope, receive: Receive, send: Send) -> None:
        client: Any = scope.get("client")
        if client and (visitor := visitor_of(scope, trusted)) not in HERE:
            scope = {**scope, "client": (visitor, client[1])}
        await app(scope, receive, send)

    return seeing


def address_of(connection: HTTPConnection) -> str:
    """Return the address that pays for a request."""
    return connection.client.host if connection.client else ""


def visitor_of(scope: Scope, proxies: Iterable[Network]) -> str:
    """Return the address of a visitor, an IPv6 one without its last 64 bits.

    Behind one of the proxies, it is the last address in X-Forwarded-For, which the proxy itself
    wrote. Anybody can write the others. It is UNKNOWN if that cannot be read.
    """
    host = scope["client"][0] if scope.get("client") else ""
    peer = _address(host)
    if peer is None:
        return host
    if any(peer in network for network in proxies):
        for forwarded in Headers(scope=scope).getlist("x-forwarded-for")[-1:]:
            peer = _address(_without_port(forwarded.rpartition(",")[2].strip()))
    if peer is None:
        # A stranger all the same: the proxy's own address could be free of limits.
        return UNKNOWN
    if peer.version == 6:
        return str(ipaddress.ip_network((peer, HOME), strict=False))
    return str(peer)


HERE = ("127.0.0.1", "::/64")
"""The addresses that `visitor_of` returns for this machine."""
UNKNOWN = "unknown"
"""What `visitor_of` returns for all visitors whom a proxy names in a way that it cannot read."""
_WITH_PORT = re.compile(r"(\[[^]]*\]|[^:]+):[0-9]{1,5}")


def _without_port(text: str) -> str:
    found = _WITH_PORT.fullmatch(text)
    return text if found is None else found[1]


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if found.version == 6 else None
    return mapped or found


def cookies_named(headers: Headers, name: str) -> list[str]:
    """Return the values of the cookies called `name`; others may be malformed."""
    found = []
    for header in headers.getlist("cookie"):
        for pair in header[:65_536].split(";"):
            key, _, value = pair.partition("=")
            if key.strip() == name:
                found.append(value.strip().strip('"'))
    return found


class RateLimit:
    """A token bucket for messages. The caller gives the time."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst, self._left, self._since = rate, burst, float(burst), now

    def spend(self, now: float, number: int = 1) -> bool:
        """Count messages; return whether they are within the limit."""
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        self._left -= number
        return self._left >= 0


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


class NearRedirects:
    """An application in which `/tv/` leads to `/tv` by a relative address.

    The framework's address has the scheme, host and path of this server. A visitor behind a proxy
    sees others.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""

        async def sender(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 307:
                headers, asked = MutableHeaders(scope=message), str(scope["path"])
                path = asked.rstrip("/")
                if asked != path and "://" in headers["location"]:
                    query = scope["query_string"].decode("latin-1")
                    near = "../" * (len(asked) - len(path)) + quote(path.rpartition("/")[2])
                    headers["location"] = f"{near}?{query}" if query else near
            await send(message)

        await self._app(scope, receive, sender)


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
