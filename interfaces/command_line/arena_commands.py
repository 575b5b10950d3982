"""`oddly arena` hosts an arena that engines dial into from anywhere; `oddly join` dials into one.

The engine that joins runs on this machine. It plays for ever, or some games.
"""

from __future__ import annotations

import math
import re
import shlex
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oddly.games import install_command
from oddly.games.wording import counted
from oddly.interfaces.command_line.command import (
    POSITIVE,
    OneOf,
    Subcommand,
    Value,
    command,
    file_keys,
    keys_of,
    only_one,
)
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import (
    BadInputError,
    importing,
    nearest_engine,
    refusing,
    say,
)
from oddly.interfaces.command_line.listening import listening
from oddly.referee import ProgramError, find_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.arena.pages.answers import SitePages
    from oddly.interfaces.arena.service import ArenaService
    from oddly.interfaces.arena.settings_file import ArenaConfiguration
    from oddly.interfaces.terminal.joining import Visit


ORDERS = {
    "annul": "GAME", "restore": "GAME|ENGINE", "retire": "ENGINE", "pardon": "ENGINE",
    "ban": "OWNER", "unban": "OWNER", "rename": "ENGINE NAME", "hand-over": "OWNER KEY",
    "rulings": "", "invite": "N", "backup": "FOLDER",
}  # fmt: skip
"""What may be done to an arena, and the words each order takes."""
WITHOUT_REASON = ("rulings", "invite", "backup")
FORMATS = ("text", "json")
HYPHENATED_KEY = re.compile(r"-[A-Za-z0-9_-]{42}=?")
"""A public key that looks like an option: one in 64 does."""


@options()
class ArenaOptions:
    """The reason for an order, and what is printed."""

    log_format: str | None = option(
        "FORMAT",
        "print what happens, as 'text' or as lines of 'json' (default: only what is wrong)",
        kind=OneOf(*FORMATS),
    )
    reason: str | None = option("TEXT", "the reason for a ruling, which everybody may read")


class ArenaCommand(Subcommand):
    """`oddly arena`, whose `hand-over` takes a key that begins with a hyphen."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, of which such a key is the last after `--`."""
        options = (each for each in self.params if isinstance(each, click.Option))
        valued = {name for each in options if not each.is_flag for name in each.opts}
        keys = [
            place
            for place, (before, word) in enumerate(pairwise(("", *args)))
            if HYPHENATED_KEY.fullmatch(word) and before not in valued
        ]
        if keys and "hand-over" in args and "--" not in args:
            words = [word for place, word in enumerate(args) if place not in keys]
            # An option without its value would take `--` for it.
            is_short = words[-1] in valued
            args = words if is_short else [*words, "--", *(args[place] for place in keys)]
        return super().parse_args(ctx, args)


@command(
    "arena arena.toml",
    "Ctrl-C or SIGTERM stops it; the games that run go on when it is started again. Orders to an "
    "arena, whether it runs or not: annul GAME and restore GAME; retire, restore or pardon ENGINE; "
    "rename ENGINE NAME; ban or unban OWNER; hand-over OWNER KEY, a new public key; all these with "
    "--reason, which everybody may read. rulings: list them. invite N: a word that registers N "
    "engines. backup FOLDER: a copy of everything.",
    cls=ArenaCommand,
    also=file_keys(lambda: keys_of("arena")),
)
def arena_command(
    file: Path = argument("ARENA.toml", "what the arena is called, and what it plays"),
    order: str | None = argument(
        "[ORDER", "what to do; without one, serve", kind=OneOf(*ORDERS, kind="order")
    ),
    words: tuple[str, ...] = argument("WORD...]", "whom or what it is about"),
    *,
    options: ArenaOptions,
) -> None:
    """Serve until Ctrl-C, or give an order; all games are on the disk at all times."""
    with importing("arena", "an arena", "arena"):
        import cryptography  # noqa: F401
        import prometheus_client  # noqa: F401
        import scipy  # noqa: F401

        from oddly.interfaces.arena.settings_file import ArenaFileError, load_arena
    with refusing(ArenaFileError, where="arena"):
        configuration = load_arena(file)
    if order is None and options.reason is not None:
        raise BadInputError("arena: --reason goes with an order")
    if order is not None and options.log_format is not None:
        raise BadInputError("arena: --log-format does not go with an order")
    if order is None:
        serve(configuration, file, options.log_format)
    else:
        give(configuration, order, words, options.reason)


def serve(configuration: ArenaConfiguration, file: Path, log_format: str | None) -> None:
    """Serve until Ctrl-C. Raises BadInputError if the files cannot be used or written."""
    import trio

    from oddly.interfaces.arena.event_log import logged
    from oddly.interfaces.arena.hosting import STALLED, UNREAD, metrics_route, serve_arena
    from oddly.interfaces.arena.routes import site_pages
    from oddly.interfaces.arena.service import ArenaFailure
    from oddly.safe_files import UnusableFileError

    table = configuration.table
    listener = listening(
        "arena", table.host, table.port, unread=UNREAD, stalled=STALLED, by="", place=f" in {file}"
    )

    def greet(service: ArenaService) -> None:
        games = len(service.arena.play.games)
        go = "goes" if games == 1 else "go"
        again = f"; {counted(games, 'game')} {go} on" if games else ""
        print(f"{service.arena.settings.address}/ {table.name}{again}; Ctrl-C stops", flush=True)

    def pages(service: ArenaService) -> SitePages:
        found = site_pages(service)
        metrics = metrics_route(service, configuration.metrics)
        return found._replace(routes=[metrics, *found.routes])

    refused = refusing(ArenaFailure, UnusableFileError, where="arena")
    with listener, logged(log_format), refused:
        trio.run(serve_arena, configuration, listener, greet, pages)


def give(
    configuration: ArenaConfiguration, kind: str, words: Sequence[str], reason: str | None
) -> None:
    """Give an order, and print its result. Raises BadInputError."""
    from oddly.arena.rulings import NotNowError, OrderError
    from oddly.safe_files import UnusableFileError

    wanted = ORDERS[kind]
    if len(words) != len(wanted.split()):
        raise BadInputError(
            f"arena: {kind} takes {wanted or 'no word'}, not {len(words)} words: oddly arena "
            f"ARENA.toml {kind} {wanted}".rstrip()
        )
    if (reason is None) != (kind in WITHOUT_REASON):
        what = "needs a --reason, which everybody may read" if reason is None else "has no reason"
        raise BadInputError(f"arena: {kind} {what}")
    if kind != "backup":
        _check_order(kind, words, reason or "")
    with refusing(OrderError, NotNowError, UnusableFileError, where="arena"):
        print(_done(configuration, kind, words, reason or ""))


def _check_order(kind: str, words: Sequence[str], reason: str) -> None:
    """Raise BadInputError for an order that is not text, as a file's name may be."""
    for what, text in (*zip(ORDERS[kind].split(), words, strict=True), ("--reason", reason)):
        try:
            text.encode()
        except UnicodeEncodeError:
            raise BadInputError(
                f"arena: {kind}: {what} is {text[:60]!r}, expected text in UTF-8"
            ) from None


def _done(configuration: ArenaConfiguration, kind: str, words: Sequence[str], reason: str) -> str:
    """Return a sentence on what was done. Raises OrderError, NotNowError and UnusableFileError."""
    from oddly.arena.rulings import WITH_VALUE, KeeperOrder
    from oddly.arena.store.files import back_up
    from oddly.interfaces.arena.keeper import all_rulings, carry_out
    from oddly.interfaces.arena.making import SECRET_FILE

    if kind == "rulings":
        found = all_rulings(configuration)
        return "\n".join(each.sentence() for each in found) or "there are no rulings"
    if kind == "backup":
        copies = back_up(configuration.folder, Path(words[0]), (SECRET_FILE,))
        return f"{words[0]} has {len(copies)} files: the arena and its ledgers"
    value = words[1] if kind in WITH_VALUE else ""
    return carry_out(configuration, KeeperOrder(kind, words[0], value, reason))


def _moment(text: str) -> datetime:
    """Read a time today or tomorrow, or a date and a time. Raises ValueError."""
    # Local time without an offset from UTC, because the offset may change until then.
    now = datetime.now()
    try:
        if len(text) <= len("18:30:00"):
            at = datetime.strptime(text, "%H:%M" if text.count(":") < 2 else "%H:%M:%S")
            found = now.replace(hour=at.hour, minute=at.minute, second=at.second, microsecond=0)
            found = found if found > now else found + timedelta(days=1)
        else:
            found = datetime.fromisoformat(text)
        found = found if found.tzinfo else found.astimezone()
    except (ValueError, OverflowError):
        raise ValueError(
            f"a time is expected, as in 18:30 or 2031-02-28T18:30, not {text!r}"
        ) from None
    if found <= now.astimezone():
        raise ValueError(f"a time in the future is expected, not {text!r}")
    return found


@options("Who joins")
class WhoOptions:
    """What the arena learns about the engine."""

    name: str = option("NAME", "the engine's name with its version; a new version takes a new name")
    family: str | None = option(
        "NAME", "what its versions share (default: the first word of the name)"
    )
    owner: str | None = option(
        "NAME",
        "who answers for it (default: whom the arena knows by the key; for a new key, the family)",
    )
    about: str = option("TEXT", "what its page says of it", default="")
    invitation: str | None = option("WORD", "the keeper's invitation, if the arena asks for one")
    key: Path | None = option(
        "FILE", "the owner's key, made if it is missing (default: ~/.config/oddly/arena.key)"
    )


@options("What it plays, and how long")
class HowOptions:
    """Which games are played."""

    pool: tuple[str, ...] = option(
        "ID", "a pool to play in; may be repeated (default: all that the engine plays)"
    )
    games: int | None = option("N", "leave after N games", kind=POSITIVE)
    once: bool = flag("leave after one game")
    until: datetime | None = option(
        "TIME", "begin no game from then on, as in 18:30 or 2031-02-28T18:30", kind=Value(_moment)
    )
    challenges: bool = flag("let visitors of its page play unrated games against it")
    check: bool = flag("check first that the engine follows the protocol")
    wait: bool = flag("wait for an arena that does not answer, also with a key that is new")


@options()
class JoinOptions:
    """The connection, and what is printed."""

    ca: Path | None = option("FILE", "the certificate that wss:// trusts (default: the system's)")
    json: bool = flag("print each event as a line of JSON")


@command(
    "join ws://127.0.0.1:8770 --name mine -- oddly engine greedy",
    "For example: oddly join wss://arena.example.org --name 'mine 1.5' -- ./my-engine --fast. "
    "Ctrl-C leaves after the game that goes on; a second Ctrl-C resigns it.",
)
def join_command(
    url: str = argument("URL", "the arena's address, as in wss://arena.example.org"),
    engine: tuple[str, ...] = argument("[--] ENGINE...", "the engine's command line"),
    *,
    who: WhoOptions,
    how: HowOptions,
    options: JoinOptions,
) -> None:
    """Play until it is time to leave. Raises BadInputError."""
    try:
        from oddly.interfaces.terminal.joining import CannotJoinError, play
    except ImportError as error:
        if error.name != "cryptography":
            raise
        raise BadInputError(
            f"join: the key of an arena needs the package cryptography; to install it: "
            f"{install_command('join')}"
        ) from None
    only_one(games=how.games, once=how.once)
    program = _program(engine)
    with refusing(CannotJoinError, where="join"):
        play(_visit(url, program, who, how, options))


def _program(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the engine's command line. Raises BadInputError if there is no such program."""
    if not words:
        raise BadInputError(
            "join: the engine's command line is missing: oddly join URL --name NAME -- ENGINE ..."
        )
    engine = f"join: engine {shlex.join(words)!r}"
    with refusing(ProgramError, where=engine, hint=nearest_engine(words[0])):
        return find_program(words)


def _check_texts(who: WhoOptions, family: str) -> None:
    """Raise BadInputError for a text that no arena reads."""
    from oddly.arena.names import UnfitNameError, plain_name
    from oddly.arena.wire import members
    from oddly.arena.wire.members import WireError

    names = {"name": who.name, "family": family, "owner": who.owner}
    for option_name, value in names.items():
        if value is not None:
            with refusing(UnfitNameError, where=f"join: argument --{option_name}"):
                plain_name(value, option_name)
    invitation = members.optional(members.line(members.MAX_NAME))
    texts = ("about", members.sentence, who.about), ("invitation", invitation, who.invitation)
    for option_name, read, value in texts:
        with refusing(WireError, where=f"join: argument --{option_name}"):
            read(value)


def _visit(
    url: str, program: tuple[str, ...], who: WhoOptions, how: HowOptions, options: JoinOptions
) -> Visit:
    """Return the visit that the options describe. Raises CannotJoinError and BadInputError."""
    from oddly.arena.client.connection import ArenaURLError, parse_arena_url
    from oddly.arena.client.identity import Identity, KeyFileError, default_key_file, own_key
    from oddly.interfaces.terminal.joining import CannotJoinError, Visit
    from oddly.referee.bridge.address import BridgeError
    from oddly.referee.bridge.connector import trust

    family = who.family if who.family is not None else (who.name.split() or [""])[0]
    _check_texts(who, family)
    try:
        address = parse_arena_url(url, options.ca)
        # Once it runs, an arena that cannot be reached is called again and again.
        trust(options.ca)
        key_file = who.key or default_key_file()
        secret, is_new = own_key(key_file)
    except (ArenaURLError, BridgeError, KeyFileError) as error:
        raise CannotJoinError(str(error)) from None
    if is_new:
        say(f"{key_file} is your key; keep a copy of it")
    identity = Identity(
        who.name,
        family,
        who.owner or "",
        secret,
        address.host,
        who.about,
        who.invitation,
        how.pool,
        how.challenges,
    )
    games = 1 if how.once else how.games
    until = math.inf if how.until is None else how.until.timestamp()
    # An owner with a key has joined before, so the arena is probably away, not misspelt.
    waits = how.wait or not is_new
    return Visit(identity, address, program, games, until, how.check, waits, options.json)
