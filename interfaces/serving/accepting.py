"""Connections are accepted while the system has files for them, and each address has a share.

Some files stay free, so that a server full of strangers can still write its games and start its
engines. A server that has no file for a new connection keeps the others.
"""

from __future__ import annotations

import errno
import resource
from collections import Counter
from typing import TYPE_CHECKING

import anyio
import trio
from anyio._backends._trio import SocketStream, TCPSocketListener

from oddly.interfaces.serving.listening import MAX_FILES
from oddly.interfaces.serving.visitors import HERE, visitor_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Accept = Callable[[TCPSocketListener], Awaitable[anyio.abc.SocketStream]]


RESERVE = 64
"""Files that are not for connections, or a quarter of all where there are few."""
SHARE = 0.5
"""The share of one address, except this machine, which may be a proxy."""
PAUSE = 0.1
"""Seconds before another try where there is no file for a connection."""
NO_FILE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


def files_for_connections() -> int:
    """Return the least number of a file that no connection gets."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = MAX_FILES if soft == resource.RLIM_INFINITY else soft
    return files - min(RESERVE, files // 4)


class OpenConnections:
    """Counts the connections of each address."""

    def __init__(self) -> None:
        self._of: Counter[str] = Counter()

    def admit(self, file: int, address: str) -> bool:
        """Count a connection with a file's number, and return True; False if it is one too many."""
        files = files_for_connections()
        # The system gives the least number that is free.
        if file >= files or (self._of[address] >= SHARE * files and address not in HERE):
            return False
        self._of[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Forget a connection that was admitted."""
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]


class _CountedStream(SocketStream):
    """A connection that is counted until it is closed."""

    address: str | None = None

    async def aclose(self) -> None:
        if self.address is not None:
            _connections.leave(self.address)
            self.address = None
        await super().aclose()


_connections = OpenConnections()
"""Those of this process, like its limit of files."""


def accept_within_bounds() -> None:
    """Have all listeners accept connections so, for which anycorn has no setting."""
    TCPSocketListener.accept = _accept  # type: ignore[method-assign]


async def _accept(
    self: TCPSocketListener, *, accept: Accept = TCPSocketListener.accept
) -> SocketStream:
    """Accept the next connection that is admitted; the others are closed."""
    while True:
        try:
            found = await accept(self)
        except anyio.BrokenResourceError as error:
            if not isinstance(error.__cause__, OSError) or error.__cause__.errno not in NO_FILE:
                raise
            await trio.sleep(PAUSE)
            continue
        stream = _CountedStream(found._trio_socket)  # type: ignore[attr-defined]
        address = _address(stream)
        if _connections.admit(stream._raw_socket.fileno(), address):
            stream.address = address
            return stream
        await anyio.aclose_forcefully(stream)


def _address(stream: SocketStream) -> str:
    """Return the address of a connection; empty if it is gone already."""
    peer = stream.extra_attributes.get(anyio.abc.SocketAttribute.remote_address, lambda: ("",))
    return visitor_of({"client": (peer()[0], 0), "headers": []}, ())
