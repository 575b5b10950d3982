"""Listening sockets, for as many connections as the system permits, and the certificate for TLS.

The certificate is read again when its files change.
"""

from __future__ import annotations

import resource
import signal
import socket
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import trio

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


BACKLOG = 256
MAX_FILES = 65_536


def listen(host: str, port: int, *, unread: int, stalled: float) -> socket.socket:
    """Return a listening socket; port 0 means any free port. Raises OSError.

    `unread` bounds the data sent to a connection and not yet received, in bytes. The system drops a
    connection that receives nothing for `stalled` seconds, so that a client that does not read
    blocks nobody.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, unread)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            milliseconds = round(1000 * stalled)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def allow_many_connections() -> None:
    """Raise the limit of open files as far as the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


LOOK_EVERY = 60.0
"""Seconds between two checks of the files."""


class CertificateFiles(NamedTuple):
    """A certificate with its chain, and its key, both as PEM."""

    certificate: Path
    key: Path


class CertificateError(Exception):
    """Files have no certificate with its key. The message is one sentence."""


class Certificate:
    """A certificate in use. Open connections keep the one they began with."""

    def __init__(self, files: CertificateFiles) -> None:
        """Read the files. Raises CertificateError."""
        self.files = files
        # A renewal during reading is noticed at the next check.
        self._seen = self._state()
        self._newest = self.context = _context(files)
        self.context.sni_callback = self._choose

    def read_again(self) -> None:
        """Use the files' current content. Raises CertificateError, and then changes nothing."""
        self._seen = self._state()
        self._newest = _context(self.files)

    def _choose(self, connection: ssl.SSLObject, name: str | None, asked: ssl.SSLContext) -> None:
        """Make a new connection use the newest files, whatever host it names."""
        connection.context = self._newest

    async def keep_reading(self, told: Callable[[str], None]) -> None:
        """Read the files again when they change, for ever; `told` hears what came of it."""
        while True:
            await trio.sleep(LOOK_EVERY)
            if self._state() != self._seen:
                self._try(told)

    async def obey_hangups(
        self,
        told: Callable[[str], None],
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Read the files again at each SIGHUP, for ever."""
        with trio.open_signal_receiver(signal.SIGHUP) as signals:
            task_status.started()
            async for _ in signals:
                self._try(told)

    def _try(self, told: Callable[[str], None]) -> None:
        try:
            self.read_again()
        except CertificateError as error:
            told(f"{error}; the certificate before it stays in use")
        else:
            told(f"the certificate {self.files.certificate} is read again")

    def _state(self) -> list[tuple[int, int] | None]:
        found: list[tuple[int, int] | None] = []
        for path in self.files:
            try:
                status = path.stat()
            except OSError:
                found.append(None)
            else:
                found.append((status.st_mtime_ns, status.st_ino))
        return found


def _context(files: CertificateFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols(["http/1.1"])
    path, key = files.certificate, b""
    try:
        # OpenSSL's message about a missing file does not name it.
        for path in files:
            key = path.read_bytes()
        # Never asks a terminal for the password of a key.
        context.load_cert_chain(*files, password="")
    except (ssl.SSLError, ValueError) as error:
        # OpenSSL gives no reason for a key with a password, nor for a file that is not PEM.
        why = "the key has a password" if b"ENCRYPTED" in key else getattr(error, "reason", None)
        said = f": {why.replace('_', ' ').lower()}" if why else ""
        raise CertificateError(
            f"{files.certificate} is no certificate with the key {files.key}, both as PEM{said}"
        ) from None
    except OSError as error:
        raise CertificateError(f"cannot read {path}: {error.strerror}") from None
    return context
