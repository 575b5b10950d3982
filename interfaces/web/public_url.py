"""The address under which browsers reach the page through a proxy."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]")
_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")


class PublicUrlError(ValueError):
    """A text that is not an address of a page. The message is one sentence."""


class PublicUrl(NamedTuple):
    """A scheme, a host with its port if that is unusual, and a path without its last slash."""

    scheme: str
    host: str
    path: str

    @property
    def origin(self) -> str:
        """The origin that browsers send: `https://games.example.org`."""
        return f"{self.scheme}://{self.host}"

    @property
    def is_secure(self) -> bool:
        """Whether browsers come by TLS."""
        return self.scheme == "https"

    def names(self, host: str) -> bool:
        """Whether a Host header is the one of this address."""
        usual = f":{DEFAULT_PORTS[self.scheme]}"
        return host.lower().removesuffix(usual) == self.host

    def __str__(self) -> str:
        return f"{self.origin}{self.path}/"


def parse_public_url(text: str) -> PublicUrl:
    """Return the address in a text. Raises PublicUrlError."""
    wrong = PublicUrlError(
        f"{text!r} is not the address of a page: expected one such as https://games.example.org or "
        "https://example.org/games"
    )
    try:
        parts = urlsplit(text)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode()
    except (ValueError, UnicodeError):
        raise wrong from None
    host = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/")
    rest = parts.query or parts.fragment or "@" in parts.netloc or "?" in text or "#" in text
    if (
        parts.scheme not in DEFAULT_PORTS
        or rest
        or not _HOST.fullmatch(host)
        or not _PATH.fullmatch(path)
    ):
        raise wrong
    if port not in (None, DEFAULT_PORTS[parts.scheme]):
        host = f"{host}:{port}"
    return PublicUrl(parts.scheme, host, path)
