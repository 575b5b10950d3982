"""`oddly serve [LEDGER]`: a web page to watch a tournament and to play on."""

from __future__ import annotations

import argparse
import errno
import ipaddress
import secrets
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from games.errors import did_you_mean
from games.untrusted_text import one_line
from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.parser import BadInputError, positive
from interfaces.command_line.standings_command import ledgers_beside
from tournaments.ledger.schema import LedgerError
from tournaments.ledger.store import Ledger

if TYPE_CHECKING:
    from interfaces.web.bounds import Bounds
    from interfaces.web.security import Door

DEFAULT_PORT = 8765
LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 24


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "ledger",
        type=Path,
        nargs="?",
        metavar="LEDGER",
        help="the .sqlite file of a tournament to watch, running or finished; it is not changed",
    )
    parser.add_argument(
        "--port", type=port, default=DEFAULT_PORT, metavar="N", help="(default: %(default)s)"
    )
    parser.add_argument(
        "--host",
        default=LOOPBACK,
        metavar="ADDRESS",
        help="where to listen; beyond this machine a token is asked for (default: %(default)s)",
    )
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="NAME",
        help="another name under which browsers may reach the page; may be repeated",
    )
    parser.add_argument(
        "--engine",
        action="append",
        default=[],
        metavar="NAME=COMMAND",
        help="another engine to play against, besides those of oddly; may be repeated",
    )
    parser.add_argument(
        "--hints",
        default="rave",
        metavar="NAME",
        help="the engine that is asked for hints (default: %(default)s)",
    )
    parser.add_argument(
        "--games",
        type=Path,
        default=Path("played.sqlite"),
        metavar="FILE",
        help="the ledger in which games on the page are kept (default: %(default)s)",
    )
    parser.add_argument(
        "--tables", type=positive, metavar="N", help="games on the page at once (default: 8)"
    )
    parser.add_argument(
        "--memory",
        type=positive,
        metavar="MIB",
        help="address space of an engine's process (default: 4096)",
    )
    parser.set_defaults(run=run, parser=parser)


def port(text: str) -> int:
    """A number of a port; 0 is any that is free."""
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65_536):
        raise argparse.ArgumentTypeError(f"a port from 0 to 65535 is expected, not {text!r}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    try:
        from interfaces.web import server
    except ImportError as error:
        raise BadInputError(
            f"serve: the web page needs packages that are not installed ({error.name}): "
            "pip install 'oddly[serve]'"
        ) from None
    from interfaces.web.bounds import Bounds
    from interfaces.web.games_file import GamesFile
    from interfaces.web.installed_engines import EngineListError, installed_engines

    usual = Bounds()
    bounds = Bounds(games=arguments.tables or usual.games, memory=arguments.memory or usual.memory)
    try:
        opponents = installed_engines(arguments.engine)
    except EngineListError as error:
        raise BadInputError(f"serve: --engine {error}") from None
    if arguments.hints not in opponents:
        raise BadInputError(
            f"serve: --hints {arguments.hints!r}: there are the engines {', '.join(opponents)}"
            + did_you_mean(arguments.hints, opponents)
        )
    check_ledger(arguments.ledger, arguments.games)
    listener = listening(arguments, bounds)
    try:
        with listener, GamesFile(arguments.games) as file:
            door = door_of(arguments, listener)
            trio.run(
                server.serve,
                listener,
                door,
                arguments.ledger,
                opponents,
                opponents[arguments.hints],
                file,
                bounds,
                lambda: greet(arguments, door),
            )
    except LedgerError as error:
        raise BadInputError(f"serve: {error}") from None
    print(f"oddly: stopped; finished games are in {arguments.games}", file=sys.stderr)
    return DONE


def check_ledger(ledger: Path | None, games: Path) -> None:
    """Raise BadInputError unless the ledger can be watched and is not the page's own."""
    if ledger is None:
        return
    if ledger.absolute().resolve() == games.absolute().resolve():
        raise BadInputError(
            f"serve: {ledger} is watched, so games on the page go elsewhere: say --games FILE"
        )
    try:
        with Ledger(ledger, read_only=True):
            return
    except LedgerError as error:
        near = "" if ledger.exists() else did_you_mean(ledger.name, ledgers_beside(ledger))
        raise BadInputError(f"serve: {error}{near}") from None


def listening(arguments: argparse.Namespace, bounds: Bounds) -> socket.socket:
    """The socket that the page is served on. Raises BadInputError."""
    from interfaces.web.server import listen

    host, number = arguments.host, arguments.port
    try:
        return listen(host, number, bounds)
    except socket.gaierror as error:
        raise BadInputError(f"serve: --host {host!r} is no address: {error.strerror}") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise BadInputError(
                f"serve: port {number} is taken; another --port, or 0 for any that is free"
            ) from None
        raise BadInputError(f"serve: cannot listen on {host}:{number}: {error.strerror}") from None


def door_of(arguments: argparse.Namespace, listener: socket.socket) -> Door:
    """Under which names the page is reached, and whether a token is asked for."""
    from interfaces.web.security import LOOPBACK_NAMES, Door

    address, number = listener.getsockname()[:2]
    names = {name.lower() for name in arguments.name}
    if ipaddress.ip_address(address).is_loopback:
        return Door(number, frozenset(names | {*LOOPBACK_NAMES}))
    names |= {*LOOPBACK_NAMES, socket.gethostname().lower(), arguments.host.lower()}
    return Door(
        number, frozenset(names), any_address=True, token=secrets.token_urlsafe(TOKEN_BYTES)
    )


def greet(arguments: argparse.Namespace, door: Door) -> None:
    """Say where the page is."""
    host = arguments.host
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - that is what it is compared with
        host = socket.gethostname()
    address = f"[{host}]" if ":" in host else host
    secret = f"?token={door.token}" if door.token else ""
    print(f"http://{address}:{door.port}/{secret}", flush=True)
    watched = f"watching {one_line(str(arguments.ledger))}; " if arguments.ledger else ""
    print(
        f"oddly: {watched}games played here are kept in {one_line(str(arguments.games))}; "
        "Ctrl-C stops",
        file=sys.stderr,
    )
