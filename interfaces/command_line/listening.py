"""Listening on a port that the command line names, with a sentence if that fails; its address."""

from __future__ import annotations

import errno
import socket

from oddly.interfaces.command_line.errors import BadInputError
from oddly.interfaces.serving.listening import listen

LOOPBACK = "127.0.0.1"


def http_address(host: str, port: int) -> str:
    """Return the address of a page here: `http://127.0.0.1:8765/`, or `http://[::1]:8765/`."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def listening(
    called: str,
    host: str,
    port: int,
    *,
    unread: int,
    stalled: float,
    by: str = "--",
    place: str = "",
) -> socket.socket:
    """Return a listening socket for the subcommand `called`; port 0 stands for any free port.

    `unread` and `stalled` are as in `listen`. In errors, `by` precedes the name of a setting, and
    `place` says where it is set. Raises BadInputError if the port cannot be used.
    """
    advice = f"give another {by}port{place}, or 0 for any that is free"
    try:
        return listen(host, port, unread=unread, stalled=stalled)
    except socket.gaierror as error:
        raise BadInputError(
            f"{called}: {by}host {host!r} is not an address: {error.strerror}"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadInputError(
                f"{called}: port {port} is taken: another program listens there; {advice}"
            ) from None
        raise BadInputError(f"{called}: cannot listen on {host}:{port}: {error.strerror}") from None
