"""`oddly bridge`: engines on other machines, in GoGui, and of single drops."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from interfaces.command_line.exit_codes import DONE
from interfaces.command_line.parser import (
    BadInputError,
    add_game_arguments,
    game_from,
    positive,
)
from interfaces.gogui.conversation import play_in_gogui
from protocol.codec import encode_command
from protocol.errors import LocalProtocolError
from protocol.messages import Command
from protocol.time_control import NO_CLOCK
from referee.bridge import handshake
from referee.bridge.adapter import adapt
from referee.bridge.address import BridgeError, parse_address
from referee.bridge.connector import connect
from referee.bridge.limits import BridgeLimits
from referee.bridge.listener import Listener, open_listeners
from referee.clock import HARD_CAP
from referee.player import EngineConfiguration
from referee.program import ProgramError, find_program

if TYPE_CHECKING:
    import argparse

    from referee.bridge.address import Address


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "command", metavar="CMD", nargs="?", help="the engine's command line, in quotes"
    )
    ways = parser.add_mutually_exclusive_group(required=True)
    ways.add_argument(
        "--listen",
        metavar="ADDRESS",
        help="run CMD for each connection to HOST:PORT; a PORT alone is one of this machine",
    )
    ways.add_argument(
        "--connect",
        metavar="ADDRESS",
        help="be the engine that a bridge at HOST:PORT runs, on stdin and stdout",
    )
    ways.add_argument(
        "--drop-level",
        action="store_true",
        help="make a native engine of CMD, which plays single drops and 'end'",
    )
    ways.add_argument(
        "--profile",
        choices=["gogui"],
        help="make a program for GoGui of CMD, which is a native engine",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="a secret that both ends know; required to listen where other machines can connect",
    )
    parser.add_argument(
        "--sessions",
        type=positive,
        default=BridgeLimits.sessions,
        metavar="N",
        help="engines that may run at once (default: %(default)s)",
    )
    parser.add_argument(
        "--idle",
        type=positive,
        default=int(BridgeLimits.idle),
        metavar="SECONDS",
        help="silence after which a connection is closed (default: %(default)s)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an engine option to be set (--profile)",
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=int(HARD_CAP),
        metavar="SECONDS",
        help="the longest wait for a turn (--profile; default: %(default)s)",
    )
    add_game_arguments(parser, required=False)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Bridge until either side has enough. Raises BadInputError."""
    try:
        if arguments.connect is not None:
            return join(arguments)
        return host(arguments)
    except BridgeError as error:
        raise BadInputError(f"bridge: {error}") from None


def join(arguments: argparse.Namespace) -> int:
    """Be the engine at the other end."""
    if arguments.command is not None:
        raise BadInputError(
            "bridge: --connect takes no CMD: which engine runs is said where the bridge listens"
        )
    address = parse_address(arguments.connect)
    if address.port == 0:
        raise BridgeError("--connect needs a port from 1")
    trio.run(connect, address, token_from(arguments))
    return DONE


def host(arguments: argparse.Namespace) -> int:
    """Run the engine here."""
    if arguments.command is None:
        raise BadInputError("bridge: an engine's command line is missing: oddly bridge CMD ...")
    try:
        command = find_program(shlex.split(arguments.command))
    except (ValueError, ProgramError) as error:
        raise BadInputError(f"bridge: engine {arguments.command!r}: {error}") from None
    if arguments.option and arguments.profile is None:
        raise BadInputError("bridge: --option goes with --profile; others hand set_option on")
    if arguments.drop_level:
        arguments.game = arguments.game or "yodd"
        trio.run(adapt, command, game_from(arguments))
        return DONE
    if arguments.profile is not None:
        arguments.game = arguments.game or "yodd"
        name = shlex.split(arguments.command)[0]
        configuration = EngineConfiguration(name, command, NO_CLOCK, options_from(arguments))
        trio.run(play_in_gogui, configuration, game_from(arguments), float(arguments.timeout))
        return DONE
    token = token_from(arguments)
    limits = BridgeLimits(sessions=arguments.sessions, idle=float(arguments.idle))
    listener = Listener(command, token, limits, tell)
    return trio.run(listen, listener, parse_address(arguments.listen), bool(token))


async def listen(listener: Listener, address: Address, has_token: bool) -> int:
    """Serve until SIGINT or SIGTERM; the engines are gone then."""
    listeners = await open_listeners(address, has_token=has_token)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listener.serve, listeners)
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                nursery.cancel_scope.cancel()
    tell("stopped")
    return DONE


def token_from(arguments: argparse.Namespace) -> bytes:
    """The token, empty if there is none."""
    return handshake.read_token(arguments.token_file) if arguments.token_file else b""


def options_from(arguments: argparse.Namespace) -> dict[str, str]:
    """The engine's options by name. Raises BadInputError."""
    options: dict[str, str] = {}
    for text in arguments.option:
        name, _, value = text.partition("=")
        words = (name, *value.split())
        try:
            encode_command(Command("set_option", words))
        except LocalProtocolError as error:
            raise BadInputError(f"bridge: --option {text!r}: {error}") from None
        if len(words) < 2:
            raise BadInputError(f"bridge: --option {text!r}: expected NAME=VALUE")
        options[name] = value
    return options


def tell(line: str) -> None:
    """Print a line about a connection."""
    print(f"oddly bridge: {line}", file=sys.stderr, flush=True)
