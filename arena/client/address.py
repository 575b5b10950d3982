"""The address of an arena: `wss://arena.example.org`, or `ws://localhost:8800/arena` for a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from oddly.arena.wire.proof import host_of
from oddly.games import one_line
from oddly.referee.bridge.address import DEFAULT_PORTS, BridgeAddress, BridgeTarget

if TYPE_CHECKING:
    from pathlib import Path
    from urllib.parse import SplitResult

PATH = "/arena"
"""The default path at which an arena waits for engines."""
SCHEMES = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}
"""The scheme of the WebSocket for each accepted scheme: the address in a browser works too."""


class ArenaURLError(ValueError):
    """A text that is no address of an arena. The message is one sentence."""


class ArenaAddress(NamedTuple):
    """Where to connect, and what to call it."""

    target: BridgeTarget
    host: str
    """The header `Host`, which is signed."""

    def __str__(self) -> str:
        scheme = "wss" if self.target.is_secure else "ws"
        return f"{scheme}://{self.host}{self.target.path}"


def parse_arena_url(url: str, authority: Path | None = None) -> ArenaAddress:
    """Return the address in a URL; TLS trusts the certificate `authority`, if given.

    Raises ArenaURLError.
    """
    parts, port = _parts(url)
    scheme = SCHEMES.get(parts.scheme.lower())
    if scheme is None or not parts.hostname:
        hint = "" if "://" in url or not url else f"; did you mean 'wss://{one_line(url)}'?"
        raise _wrong(url, f"expected wss://HOST, as in wss://arena.example.org{hint}")
    if parts.username is not None or parts.query or parts.fragment:
        raise _wrong(url, "expected no user, no '?' and no '#'")
    if not (url.isascii() and url.isprintable() and " " not in url):
        raise _wrong(url, "expected ASCII without spaces; write the host's name in punycode")
    address = BridgeAddress(parts.hostname, port or DEFAULT_PORTS[scheme])
    path = PATH if parts.path in ("", "/") else parts.path
    target = BridgeTarget(address, scheme == "wss", path, authority)
    return ArenaAddress(target, host_of(f"{scheme}://{parts.netloc}"))


def _parts(url: str) -> tuple[SplitResult, int | None]:
    """Return the parts of a URL, and its port. Raises ArenaURLError."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _wrong(url, str(error)) from None
    if port == 0:
        raise _wrong(url, "expected a port from 1 to 65535")
    return parts, port


def _wrong(url: str, why: str) -> ArenaURLError:
    return ArenaURLError(f"{one_line(url)!r} is not the address of an arena: {why}")
