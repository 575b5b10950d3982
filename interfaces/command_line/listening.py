"""Opens the port that the command line names, or says why it cannot; and writes its address."""

from __future__ import annotations

import errno
import socket

from oddly.interfaces.command_line.errors import BadInputError
from oddly.interfaces.serving.listening import listen

LOOPBACK = "127.0.0.1"


def http_address(host: str, port: int) -> str:
    """Return the address of a page here: `http://127.0.0.1:8765/`, or `http://[::1]:8765/`."""
    return f"http://{host_and_port(host, port)}/"


def host_and_port(host: str, port: int) -> str:
    """Return `127.0.0.1:8765`, or `[::1]:8765`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


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
    no_address = f"{called}: {by}host {host!r} is not an address"
    if "\0" in host:
        # The system would listen on what precedes it.
        raise BadInputError(no_address)
    advice = f"give another {by}port{place}, or 0 for any that is free"
    try:
        return listen(host, port, unread=unread, stalled=stalled)
    except socket.gaierror as error:
        raise BadInputError(f"{no_address}: {error.strerror}") from None
    except UnicodeError:
        # A part of it is empty or too long.
        raise BadInputError(no_address) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadInputError(
                f"{called}: port {port} is taken: another program listens there; {advice}"
            ) from None
        address = host_and_port(host, port)
        raise BadInputError(f"{called}: cannot listen on {address}: {error.strerror}") from None
