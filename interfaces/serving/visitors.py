"""The address charged for a request, and how many messages a connection may send.

The address is the peer's, or the one that a trusted proxy names.
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import HTTPConnection
    from starlette.types import ASGIApp, Receive, Scope, Send


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
