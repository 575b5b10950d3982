"""`oddly bridge`: engines on other machines, in GoGui, or with single drops."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click
import trio
from click.core import ParameterSource

from oddly.interfaces.command_line.command import POSITIVE, OneOf, command, only_one
from oddly.interfaces.command_line.common_options import GameOptions, turns_before
from oddly.interfaces.command_line.declaring import argument, flag, option, options, word_of
from oddly.interfaces.command_line.errors import BadInputError, refusing
from oddly.interfaces.gogui.native_engine import play_in_gogui
from oddly.interfaces.serving.listening import Certificate, CertificateError, CertificateFiles
from oddly.interfaces.text.line_writer import LineWriter
from oddly.protocol import NO_CLOCK, Command, LocalProtocolError, encode_command
from oddly.referee import EngineConfiguration, ProgramError, find_program
from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeError, parse_address, parse_target
from oddly.referee.bridge.connector import connect
from oddly.referee.bridge.drop_level import adapt
from oddly.referee.bridge.listener import Listener, open_listeners
from oddly.referee.bridge.relay import BridgeLimits
from oddly.referee.justice.clock import HARD_CAP
from oddly.referee.program.configuration import split_words

if TYPE_CHECKING:
    from collections.abc import Sequence


WAYS = "Ways, one of which is required"


@options()
class BridgeOptions:
    """The kind of bridge, and its settings."""

    listen: str | None = option(
        "ADDRESS",
        "run CMD for each connection to HOST:PORT; a PORT alone is one of this machine",
        group=WAYS,
    )
    connect: str | None = option(
        "ADDRESS",
        "be the engine that a bridge at HOST:PORT runs, or at wss://HOST/PATH, on stdin and stdout",
        group=WAYS,
    )
    drop_level: bool = flag(
        "make a native engine of CMD, which plays single drops and 'end'", group=WAYS
    )
    profile: str | None = option(
        "PROFILE",
        "gogui: make a program for GoGui of CMD, which is a native engine",
        kind=OneOf("gogui"),
        group=WAYS,
    )
    token_file: Path | None = option(
        "FILE",
        "a secret that both ends know; required to listen where other machines can connect",
    )
    tls_certificate: Path | None = option(
        "FILE", "listen with TLS: the certificates in PEM, with --tls-key"
    )
    tls_key: Path | None = option("FILE", "the private key of the certificate")
    tls_ca: Path | None = option(
        "FILE", "the certificate that --connect wss://... trusts (default: the system's)"
    )
    sessions: int = option(
        "N", "engines that may run at once", kind=POSITIVE, default=BridgeLimits.sessions
    )
    idle: int = option(
        "SECONDS",
        "silence after which a connection is closed",
        kind=POSITIVE,
        default=int(BridgeLimits.idle),
    )
    settings: tuple[str, ...] = option(
        "NAME=VALUE", "an engine option to set (--profile)", names="--option"
    )
    after: Path | None = option("FILE", "go on with the game saved in FILE (--profile)")
    timeout: int = option(
        "SECONDS",
        "the longest wait for a turn, with --profile",
        kind=POSITIVE,
        default=int(HARD_CAP),
    )

    @property
    def token(self) -> bytes:
        """The shared secret of both ends; empty if there is none. Raises BridgeError."""
        return handshake.read_token(self.token_file) if self.token_file else b""


WAYS_OF_OPTIONS = {
    "token_file": ("listen", "connect"),
    "tls_certificate": ("listen",),
    "tls_key": ("listen",),
    "tls_ca": ("connect",),
    "sessions": ("listen",),
    "idle": ("listen",),
    "after": ("profile",),
    "timeout": ("profile",),
}
"""The ways that each of these options goes with."""
WAYS_OF_A_GAME = "drop_level", "profile"


@command('bridge "python3 examples/python/drops.py" --drop-level')
def run(
    command_line: str | None = argument("[CMD]", "the engine's command line, in quotes"),
    *,
    options: BridgeOptions,
    game: GameOptions,
) -> None:
    """Bridge until either side closes the connection. Raises BadInputError."""
    ways = {name: getattr(options, name) for name in ("listen", "connect", "drop_level", "profile")}
    only_one(**ways)
    chosen = [name for name, way in ways.items() if way is not None and way is not False]
    if not chosen:
        raise BadInputError(
            "bridge: one of the arguments --listen --connect --drop-level --profile is required"
        )
    refuse_options_of_other_ways(chosen[0], options, game)
    with refusing(BridgeError, where="bridge"):
        if options.connect is not None:
            join(command_line, options.connect, options)
        elif command_line is None:
            raise BadInputError("bridge: an engine's command line is missing: oddly bridge CMD ...")
        else:
            host(command_line, options, game)


def refuse_options_of_other_ways(chosen: str, options: BridgeOptions, game: GameOptions) -> None:
    """Raise BadInputError for an option that does not go with the chosen way."""
    if options.settings and chosen != "profile":
        raise BadInputError(
            "bridge: --option goes with --profile; without it the bridge passes set_option on"
        )
    context = click.get_current_context()
    given = {
        name: ways
        for name, ways in WAYS_OF_OPTIONS.items()
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    given |= dict.fromkeys(game.given, WAYS_OF_A_GAME)
    for name, ways in given.items():
        if chosen not in ways:
            needed = " or ".join(map(word_of, ways))
            raise BadInputError(f"bridge: {word_of(name)} goes with {needed}")


def join(command_line: str | None, where: str, options: BridgeOptions) -> None:
    """Run as the engine at the other end.

    Raises BadInputError with a command line, and BridgeError without a port.
    """
    if command_line is not None:
        raise BadInputError(
            "bridge: --connect takes no CMD: the listening bridge chooses the engine"
        )
    target = parse_target(where, options.tls_ca)
    if target.address.port == 0:
        raise BridgeError("--connect needs a port from 1")
    trio.run(connect, target, options.token)


def host(command_line: str, options: BridgeOptions, game: GameOptions) -> None:
    """Run the engine on this machine. Raises BadInputError if the arguments do not fit."""
    with refusing(ProgramError, where=f"bridge: engine {command_line!r}"):
        words = split_words(command_line)
        engine = find_program(words)
    if options.drop_level:
        trio.run(adapt, engine, game.create())
    elif options.profile is not None:
        configuration = EngineConfiguration(
            words[0], engine, NO_CLOCK, engine_options(options.settings)
        )
        played = game.create()
        opening = turns_before("bridge", options.after, played)
        trio.run(play_in_gogui, configuration, played, float(options.timeout), opening)
    else:
        trio.run(listen, engine, options)


def certificate_from(options: BridgeOptions) -> Certificate | None:
    """Return the certificate of a listener, None for no TLS. Raises BridgeError."""
    if options.tls_certificate is None and options.tls_key is None:
        return None
    if options.tls_certificate is None or options.tls_key is None:
        raise BridgeError("--tls-certificate and --tls-key go together")
    try:
        return Certificate(CertificateFiles(options.tls_certificate, options.tls_key))
    except CertificateError as error:
        raise BridgeError(str(error)) from None


async def listen(engine: Sequence[str], options: BridgeOptions) -> None:
    """Serve until SIGINT or SIGTERM, then stop all engines. Raises BridgeError."""
    token, certificate = options.token, certificate_from(options)
    limits = BridgeLimits(sessions=options.sessions, idle=float(options.idle))
    tls = None if certificate is None else certificate.context
    listener = Listener(engine, token, limits, tell, tls=tls)
    listeners = await open_listeners(parse_address(options.listen or ""), has_token=bool(token))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listener.serve, listeners)
        if certificate is not None:
            nursery.start_soon(certificate.keep_reading, tell)
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                nursery.cancel_scope.cancel()
    tell("stopped")
    LINES.flush()


def engine_options(settings: Sequence[str]) -> dict[str, str]:
    """Return the engine's options by name. Raises BadInputError if one cannot be sent."""
    options: dict[str, str] = {}
    for text in settings:
        name, _, value = text.partition("=")
        words = (name, *value.split())
        with refusing(LocalProtocolError, where=f"bridge: --option {text!r}"):
            encode_command(Command("set_option", words))
        if len(words) < 2:
            raise BadInputError(f"bridge: --option {text!r}: expected NAME=VALUE")
        options[name] = value
    return options


LINES = LineWriter("stderr")


def tell(line: str) -> None:
    """Print a line about a connection."""
    LINES.write(f"oddly bridge: {line}")
