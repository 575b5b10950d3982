"""Who may reach the page, by its names, public address and token; and how others are refused.

A refusal is a sentence: as JSON for a script, as a page for a person.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import HTTPConnection
    from starlette.types import Scope

    from oddly.interfaces.serving.applications import Network


FOREVER = 400 * 24 * 3600
"""Seconds for which a browser keeps a cookie; browsers allow no more."""
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
             "x-real-ip")  # fmt: skip
"""Headers by which a proxy shows itself."""
GUEST_PATHS = ("/", "/api/facts", "/api/games/list", "/api/courses", "/api/puzzles", "/api/line",
               "/api/practice", "/api/analysis", "/api/files", "/watch/exhibition",
               "/api/exhibitions")  # fmt: skip
GUEST_FOLDERS = ("/static/", "/api/boards/", "/api/games/", "/api/seats/", "/ws/play/",
                 "/watch/game/", "/watch/board/", "/api/watch/games/", "/ws/watch/")  # fmt: skip


def _no_token() -> str:
    return ""


@dataclass(frozen=True)
class AccessPolicy:
    """The names of the server, and the token that it demands."""

    port: int
    names: frozenset[str]
    any_address: bool = False
    """Whether any numeric Host is ours: DNS rebinding needs a name."""
    token: Callable[[], str] = field(default=_no_token)
    public: PublicUrl | None = None
    guests_open: bool = False
    """Whether guests may open games of their own."""
    proxies: tuple[Network, ...] = ()
    """The proxies that may name a visitor's address."""

    def lets_open(self, *, is_guest: bool) -> bool:
        """Return whether a browser may open games."""
        return self.guests_open or not is_guest

    @property
    def demands_token(self) -> bool:
        """Whether every request needs the token, or the pass of a guest."""
        return self.token is not _no_token

    def is_ours(self, host: str) -> bool:
        """Return whether a Host header names this server; ssh and containers change the port."""
        if self.public is not None and self.public.names(host):
            return True
        name, port = _split(host)
        return port >= 0 and (
            name.lower() in self.names or (self.any_address and _is_address(name))
        )

    def is_own_origin(self, origins: Sequence[str], host: str) -> bool:
        """Return whether the Origin headers of a request to `host` name this page."""
        if self.public is not None and list(origins) == [self.public.origin]:
            return True
        if self.public is not None and self.public.names(host):
            return False
        return list(origins) in ([f"http://{host}"], [f"https://{host}"])

    def is_token(self, text: str) -> bool:
        """Return whether a text is the token."""
        return _equal(text, self.token())

    def guest_pass(self) -> str:
        """Return the pass of a browser that has opened the address of a game."""
        return hmac.new(self.token().encode(), b"guest", hashlib.sha256).hexdigest()

    def is_guest_pass(self, text: str) -> bool:
        """Return whether a text is the pass of guests."""
        return _equal(text, self.guest_pass())

    def cookie_name(self, host: str) -> str:
        """Return the name of the cookie, with the port, since all ports of a host share cookies."""
        return f"oddly-{_split(host)[1] or self.port}"

    def cookie_path(self, host: str) -> str:
        """Return the path of the cookie."""
        is_public = self.public is not None and self.public.names(host)
        return f"{self.public.path}/" if self.public is not None and is_public else "/"

    def path_seen(self, origin: str, host: str) -> str:
        """Return the path of the cookie, by the Origin that a browser sends."""
        if self.public is not None and origin == self.public.origin:
            return f"{self.public.path}/"
        return self.cookie_path(host)

    def is_by_tls(self, host: str, headers: Headers) -> bool:
        """Return whether the browser came by TLS, as far as a request behind a proxy shows."""
        if self.public is None or not self.public.is_secure:
            return False
        return self.public.names(host) or any(name in headers for name in FORWARDED)

    def socket_sources(self, host: str) -> str:
        """Return where the page may open WebSockets: at the Host of a request, if it is ours."""
        hosts = [host] if self.is_ours(host) else []
        if self.public is not None:
            hosts.append(self.public.host)
        return " ".join(f"ws://{name} wss://{name}" for name in dict.fromkeys(hosts))


def is_guest(connection: HTTPConnection) -> bool:
    """Return whether a browser came in by the address of a game, without the server's token."""
    return bool(connection.scope.get("is_guest"))


def is_guest_path(path: str) -> bool:
    """Return whether a path is open to guests: games that they know of, and analysis."""
    return path in GUEST_PATHS or path.startswith(GUEST_FOLDERS)


def _equal(one: str, other: str) -> bool:
    return bool(other) and hmac.compare_digest(one.encode(), other.encode())


def _split(host: str) -> tuple[str, int]:
    """Return the name and the port of a Host header; a missing port is 0, a wrong one -1."""
    if host.endswith("]") or ":" not in host:
        return host, 0
    name, _, number = host.rpartition(":")
    is_port = number.isascii() and number.isdigit() and len(number) < 6
    return name, int(number) if is_port else -1


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


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
        """Return whether a Host header names this address."""
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


TOKEN_BYTES = 24
SHORTEST = 16


class TokenError(Exception):
    """A token that cannot be read or written. The message is one sentence."""


class TokenFile:
    """A token in a file, which is made if it is missing. A renewed token counts at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: object = None
        self._token = ""

    def current(self) -> str:
        """Return the token. Raises TokenError if there is none that is safe."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self.renew(replacing=False)
            status = self.path.stat()
        except OSError as error:
            raise self._error("read", error) from None
        seen = (status.st_mtime_ns, status.st_ino, status.st_size, status.st_mode)
        if seen != self._seen:
            self._token = self._read(status)
            self._seen = seen
        return self._token

    def token(self) -> str:
        """Return the token; if it cannot be read, the last one that could."""
        with suppress(TokenError, OSError):
            return self.current()
        return self._token

    def renew(self, *, replacing: bool = True) -> None:
        """Write a new token; without `replacing`, only if there is none. Raises TokenError."""
        new = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            if replacing:
                new.replace(self.path)
            else:
                # Another server may have made a token meanwhile.
                with suppress(FileExistsError):
                    os.link(new, self.path)
                new.unlink()
        except OSError as error:
            raise self._error("write", error) from None

    def _read(self, status: os.stat_result) -> str:
        if not stat.S_ISREG(status.st_mode):
            raise TokenError(f"{self.path} is not a file: expected a token in it")
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise TokenError(
                f"others can read the token in {self.path}: 'chmod 600' it, or renew it with "
                "--new-token"
            )
        try:
            token = self.path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise self._error("read", error) from None
        if len(token) < SHORTEST or not set(token) <= _SAFE:
            raise TokenError(
                f"the token in {self.path} is not one: expected {SHORTEST} letters, digits, - or _ "
                "or more; --new-token renews it"
            )
        return token

    def _error(self, what: str, error: Exception) -> TokenError:
        said = error.strerror if isinstance(error, OSError) else str(error)
        return TokenError(f"cannot {what} the token file {self.path}: {said}")


_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


HEADINGS = {
    401: "This page is not open to you",
    403: "This page is not open to you",
    404: "No such page",
}
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>oddly</title>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{sentence}</p>
</main>
</body>
</html>
"""


def refusal(
    scope: Scope,
    sentence: str,
    status: int,
    more: Mapping[str, str] | None = None,
    heading: str = "",
) -> Response:
    """Return a refusal: a page where a browser shows the answer, JSON for scripts, else text.

    `more` goes into the JSON, `heading` above the sentence on the page.
    """
    headers = Headers(scope=scope)
    if scope.get("method") in ("GET", "HEAD") and "text/html" in headers.get("accept", ""):
        title = heading or HEADINGS.get(status, "This cannot be done")
        return HTMLResponse(PAGE.format(title=title, sentence=escape(sentence)), status)
    if "/api/" in str(scope["path"]):
        return JSONResponse({"sentence": sentence, **(more or {})}, status)
    return PlainTextResponse(f"{sentence}\n", status)
