"""The address to which a request is counted: the peer's, or the one that a trusted proxy names."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, TypeAlias

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import Scope

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
HOME = 64
"""The bits of an IPv6 address that belong to one line; its owner has all addresses below them."""
LOOPBACK: tuple[Network, ...] = (
    ipaddress.ip_network("127.0.0.0/8"),
    ipaddress.ip_network("::1/128"),
)


def visitor_of(scope: Scope, proxies: Iterable[Network]) -> str:
    """Return the address of a visitor, an IPv6 one without its last 64 bits.

    From one of the proxies, it is the last that X-Forwarded-For names, which the proxy itself
    wrote. Anybody can write the others.
    """
    host = scope["client"][0] if scope.get("client") else ""
    peer = _address(host)
    if peer is None:
        return host
    if any(peer in network for network in proxies):
        *_, last = ["", *Headers(scope=scope).getlist("x-forwarded-for")]
        peer = _address(last.rpartition(",")[2].strip()) or peer
    if peer.version == 6:
        return str(ipaddress.ip_network((peer, HOME), strict=False))
    return str(peer)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if found.version == 6 else None
    return mapped or found
