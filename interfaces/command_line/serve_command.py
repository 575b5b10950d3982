"""`oddly serve [LEDGER]`: a web page to watch a tournament and to play on."""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import trio

from oddly.games import GAMES, did_you_mean, one_line
from oddly.interfaces.command_line.command import PORT, POSITIVE, command
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import (
    BadInputError,
    importing,
    nearest_ledger,
    refusing,
    say,
)
from oddly.interfaces.command_line.listening import LOOPBACK, http_address, listening
from oddly.interfaces.human_play.recording import NoHomeError, state_folder
from oddly.tournaments import Ledger, LedgerError

if TYPE_CHECKING:
    from oddly.interfaces.serving.applications import Network
    from oddly.interfaces.web.access_policy import AccessPolicy


@options()
class ServeOptions:
    """Where the page is served, and with which engines and limits."""

    port: int = option("N", kind=PORT, default=8765)
    host: str = option(
        "ADDRESS",
        "where to listen; beyond this machine, or behind a proxy, a token is asked for",
        default=LOOPBACK,
    )
    name: tuple[str, ...] = option(
        "NAME", "another name under which browsers may reach the page; may be repeated"
    )
    public_url: str | None = option(
        "URL", "the address under which a proxy serves the page, such as https://games.example.org"
    )
    proxy: tuple[str, ...] = option(
        "ADDRESS",
        "the address or network of a proxy on another machine, whose X-Forwarded-For is trusted; "
        "may be repeated",
    )
    token_file: Path | None = option(
        "FILE", "the file of the token (default: oddly/serve-token in the user's state folder)"
    )
    new_token: bool = flag("make a new token first; addresses with the old one stop working")
    guests_open: bool = flag("guests, who have the address of a game, may open games too")
    engine: tuple[str, ...] = option(
        "NAME=COMMAND", "another engine to play against, besides those of oddly; may be repeated"
    )
    hints: str = option("NAME", "the engine that gives hints", default="rave")
    games: Path = option(
        "FILE",
        "the ledger in which games on the page are kept",
        default=Path("played.sqlite"),
    )
    tables: int | None = option("N", "games on the page at once (default: 8)", kind=POSITIVE)
    memory: int | None = option(
        "MIB", "address space of an engine's process (default: 4096)", kind=POSITIVE
    )
    no_warm: bool = flag(
        "do not compile our engines ahead: they play by the plain rules until they have compiled"
    )


@command("serve club.sqlite")
def run(
    ledger: Path | None = argument(
        "[LEDGER]",
        "the .sqlite file of a tournament to watch, running or finished; it is not changed",
    ),
    *,
    options: ServeOptions,
) -> None:
    """Serve the page until Ctrl-C."""
    with importing("serve", "the web page", "serve"):
        from oddly.interfaces.web import server
    from oddly.interfaces.web.bounds import Bounds
    from oddly.interfaces.web.game_request import EngineListError, WarmingUp, installed_engines
    from oddly.interfaces.web.game_store import GameStore
    from oddly.interfaces.web.stored_games import GamesFile

    usual = Bounds()
    bounds = Bounds(games=options.tables or usual.games, memory=options.memory or usual.memory)
    try:
        opponents = installed_engines(options.engine)
    except EngineListError as error:
        raise BadInputError(f"serve: --engine {error}") from None
    if options.hints not in opponents:
        raise BadInputError(
            f"serve: --hints: no engine {options.hints!r}: expected one of {', '.join(opponents)}"
            + did_you_mean(options.hints, opponents)
        )
    check_ledger(ledger, options.games)
    listener = listening(
        "serve", options.host, options.port, unread=bounds.unread, stalled=bounds.stalled
    )
    with (
        refusing(LedgerError, where="serve"),
        listener,
        GamesFile(options.games) as file,
        GameStore(options.games.with_name(f"{options.games.name}-games"), bounds.kept) as store,
    ):
        access = access_policy(options, listener)
        trio.run(
            server.serve,
            listener,
            access,
            ledger,
            opponents,
            opponents[options.hints],
            file,
            store,
            bounds,
            WarmingUp(() if options.no_warm else tuple(GAMES)),
            lambda: greet(ledger, options, access),
        )
    say(f"stopped; finished games are in {options.games}")


def check_ledger(ledger: Path | None, games: Path) -> None:
    """Raise BadInputError if the ledger cannot be read or is the page's own."""
    if ledger is None:
        return
    if ledger.absolute().resolve() == games.absolute().resolve():
        raise BadInputError(
            f"serve: {ledger} is watched, so it cannot keep the games played on the page: "
            "give --games FILE"
        )
    with (
        refusing(LedgerError, where="serve", hint=nearest_ledger(ledger)),
        Ledger(ledger, read_only=True),
    ):
        return


def access_policy(options: ServeOptions, listener: socket.socket) -> AccessPolicy:
    """Return the names under which the page is reached, and its token if one is required.

    Raises BadInputError for a public address or a token file that is wrong.
    """
    from oddly.interfaces.web.access_policy import (
        LOOPBACK_NAMES,
        AccessPolicy,
        PublicUrlError,
        TokenError,
        TokenFile,
        parse_public_url,
    )

    address, number = listener.getsockname()[:2]
    is_loopback = ipaddress.ip_address(address).is_loopback
    names = {*LOOPBACK_NAMES, *(name.lower() for name in options.name)}
    if not is_loopback:
        names |= {socket.gethostname().lower(), options.host.lower()}
    proxies = trusted_proxies(options)
    try:
        public = None if options.public_url is None else parse_public_url(options.public_url)
        is_private = is_loopback and public is None and not options.name
        if is_private and not options.new_token:
            return AccessPolicy(number, frozenset(names))
        tokens = TokenFile(options.token_file or state_folder() / "serve-token")
        if options.new_token:
            tokens.renew()
        if is_private:
            return AccessPolicy(number, frozenset(names))
        tokens.current()
    except PublicUrlError as error:
        raise BadInputError(f"serve: --public-url {error}") from None
    except TokenError as error:
        raise BadInputError(f"serve: {error}") from None
    except NoHomeError as error:
        raise BadInputError(f"serve: {error}: name a file by --token-file") from None
    return AccessPolicy(
        number,
        frozenset(names),
        not is_loopback,
        tokens.token,
        public,
        options.guests_open,
        proxies,
    )


def trusted_proxies(options: ServeOptions) -> tuple[Network, ...]:
    """Return the proxies that may name a visitor's address. Raises BadInputError for others."""
    from oddly.interfaces.serving.applications import LOOPBACK

    if options.public_url is None:
        if options.proxy:
            raise BadInputError("serve: --proxy goes with --public-url, the address that it serves")
        return ()
    found: list[Network] = [*LOOPBACK]
    for text in options.proxy:
        try:
            found.append(ipaddress.ip_network(text))
        except ValueError:
            raise BadInputError(
                f"serve: --proxy {text!r} is not an address: expected one such as 10.0.0.2 or "
                "10.0.0.0/24"
            ) from None
    return tuple(found)


def greet(ledger: Path | None, options: ServeOptions, access: AccessPolicy) -> None:
    """Print the address of the page."""
    if access.public is not None:
        say(f"listening on port {access.port} of {options.host}")
    print(address_of(options, access), flush=True)
    watched = f"watching {one_line(str(ledger))}; " if ledger else ""
    say(f"{watched}games played here are kept in {one_line(str(options.games))}; Ctrl-C stops")


def address_of(options: ServeOptions, access: AccessPolicy) -> str:
    """Return the address to open in a browser, with the token if one is required."""
    secret = f"?token={access.token()}" if access.demands_token else ""
    if access.public is not None:
        return f"{access.public}{secret}"
    host = options.host
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - that is what it is compared with
        host = socket.gethostname()
    return f"{http_address(host, access.port)}{secret}"
