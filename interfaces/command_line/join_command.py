"""`oddly join`: an engine on this machine at an arena, for ever or for some games."""

from __future__ import annotations

import math
import shlex
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import install_command
from oddly.interfaces.command_line.command import POSITIVE, Value, command, only_one
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, nearest_engine, refusing, say
from oddly.referee import ProgramError, find_program

if TYPE_CHECKING:
    from oddly.interfaces.terminal.joining import Visit


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
def run(
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


def _check(who: WhoOptions, family: str) -> None:
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

    family = who.family if who.family is not None else (who.name.split() or [""])[0]
    _check(who, family)
    try:
        address = parse_arena_url(url, options.ca)
        key_file = who.key or default_key_file()
        secret, is_new = own_key(key_file)
    except (ArenaURLError, KeyFileError) as error:
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
