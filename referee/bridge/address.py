"""Addresses of bridges: `7777`, `localhost:7777`, `[::1]:7777`, `wss://example.org/engine`."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


_ADDRESS = re.compile(r"(?:(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:\[\]]+)):)?(?P<port>[0-9]{1,5})")
LARGEST_PORT = 65_535
HERE = "127.0.0.1"
DEFAULT_PORTS = {"ws": 80, "wss": 443}


class BridgeError(Exception):
    """A bridge cannot open, or ended. The message is one sentence."""


class BridgeRefusal(BridgeError):
    """A failure that a retry would not mend: no token, no session, a forged message."""


class BridgeAddress(NamedTuple):
    """A host, by name or number, and a TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> BridgeAddress:
    """Return the address that a text names; a bare port is on this machine. Raises BridgeError."""
    found = _ADDRESS.fullmatch(text)
    if found is not None and int(found["port"]) <= LARGEST_PORT:
        host = found["six"] or found["host"] or HERE
        if is_host(host):
            return BridgeAddress(host, int(found["port"]))
    raise BridgeError(
        f"{text!r} is not an address: expected HOST:PORT or PORT, as in localhost:7777, "
        f"with a port from 0 to {LARGEST_PORT}"
    )


def is_host(name: str) -> bool:
    """Return whether a name can be asked for: each of its parts has 1 to 63 characters."""
    try:
        return bool(name.encode("idna"))
    except UnicodeError:
        return False


class BridgeTarget(NamedTuple):
    """Where to connect: an address, with or without TLS, and the path behind a proxy."""

    address: BridgeAddress
    is_secure: bool = False
    path: str = "/"
    authority: Path | None = None
    """The certificate that TLS trusts; None for the system's."""

    def __str__(self) -> str:
        return str(self.address)


def parse_target(text: str, authority: Path | None = None) -> BridgeTarget:
    """Return the target that a text names: an address, or a `ws://` or `wss://` URL.

    Raises BridgeError, also for a certificate without TLS.
    """
    target = _target(text)
    if authority is not None and not target.is_secure:
        place = text.partition("://")[2] or target.address
        raise BridgeError(f"{text!r} is not encrypted: --tls-ca goes with wss://{place}")
    return target._replace(authority=authority)


def _target(text: str) -> BridgeTarget:
    scheme, is_url, rest = text.partition("://")
    if not is_url:
        return BridgeTarget(parse_address(text))
    place, _, path = rest.partition("/")
    if scheme in DEFAULT_PORTS and re.fullmatch(r"[!-~]*", path):
        has_port = re.search(r":[0-9]+$", place)
        with suppress(BridgeError):
            address = parse_address(place if has_port else f"{place}:{DEFAULT_PORTS[scheme]}")
            return BridgeTarget(address, scheme == "wss", f"/{path}")
    raise BridgeError(
        f"{text!r} is not an address: expected HOST:PORT, wss://HOST/PATH or wss://HOST:PORT/PATH, "
        f"with a port from 0 to {LARGEST_PORT}"
    )


def resolve(address: BridgeAddress) -> list[str]:
    """Return the IP addresses of the host. Raises BridgeError if there are none."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BridgeError(f"cannot find the host {address.host!r}: {error.strerror}") from None
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


def is_loopback(number: str) -> bool:
    """Return whether only programs on this machine can connect to an IP address."""
    return ip_address(number.partition("%")[0]).is_loopback
