"""Sockets that listen, for as many connections as the system permits."""

from __future__ import annotations

import resource
import socket
from contextlib import suppress

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
