"""`oddly bot abstract-play BOT.toml`: engines as a public player on a site for people.

The words `register` and `status`, in place of the site, register the bot and show its games.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.interfaces.command_line.command import PORT, POSITIVE, OneOf, command, file_keys, keys_of
from oddly.interfaces.command_line.declaring import WrittenFile, argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, importing, refusing, say
from oddly.interfaces.command_line.listening import LOOPBACK, http_address, listening

if TYPE_CHECKING:
    from oddly.games import Game
    from oddly.interfaces.bot.bot_file import BotSettings, Credentials

SITES = ("abstract-play",)
REGISTER, STATUS = "register", "status"
WORDS = (*SITES, REGISTER, STATUS)
UNREAD, STALLED = 65_536, 6.0


@options()
class BotOptions:
    """Where the bot listens, or how it is tried out."""

    host: str = option("ADDRESS", "where to listen, behind a proxy with TLS", default=LOOPBACK)
    port: int = option("N", kind=PORT, default=8766)
    dry_run: bool = flag("play one game against itself on this machine, and stop")
    game: str | None = option("NAME", "the game of a dry run (default: the first of the file)")
    size: int | None = option(
        "N", "its size (default: the smallest that the site has)", kind=POSITIVE
    )


@options("With register")
class RegisterOptions:
    """How a bot is registered, or its registration updated."""

    endpoint: str | None = option("URL", "the bot's public address, with https://")
    secrets: Path = option(
        "FILE",
        "a new file for the credentials of a new bot",
        default=Path("bot.env"),
        kind=WrittenFile("credentials go"),
    )
    token_env: str = option(
        "NAME", "the environment variable with the owner's token", default="AP_OWNER_TOKEN"
    )


@options("With status")
class StatusOptions:
    """How the games are shown."""

    json: bool = flag("print JSON")


@command(
    "bot abstract-play bot.toml",
    "'oddly bot abstract-play BOT.toml --dry-run' tries everything without the site.",
    also=file_keys(lambda: keys_of("bot")),
)
def run(
    what: str = argument(
        "SITE",
        f"{SITES[0]} to serve the bot; {REGISTER} to register it there, {STATUS} to see its games",
        kind=OneOf(*WORDS, kind="site"),
    ),
    file: Path = argument("BOT.toml", "who the bot is, and its engines"),
    *,
    options: BotOptions,
    register: RegisterOptions,
    status: StatusOptions,
) -> int:
    """Answer the site until Ctrl-C, register the bot, or show its games."""
    with importing("bot", "a bot", "bot"):
        from oddly.interfaces.bot.bot_file import BotFileError, load_bot
        from oddly.interfaces.bot.dry_run import MAX_SECONDS
    if not options.dry_run and (options.game is not None or options.size is not None):
        raise BadInputError("bot: --game and --size go with --dry-run")
    if register.endpoint is not None and what != REGISTER:
        raise BadInputError("bot: --endpoint goes with register")
    if status.json and what != STATUS:
        raise BadInputError("bot: --json goes with status")
    if options.dry_run and what not in SITES:
        raise BadInputError(f"bot: --dry-run goes with {SITES[0]}")
    with refusing(BotFileError, where="bot"):
        settings = load_bot(file, MAX_SECONDS if options.dry_run else None)
        if what == STATUS:
            return show_status(settings, status)
        if what == REGISTER:
            return register_bot(settings, register)
        if options.dry_run:
            return try_out(settings, _game_to_try(settings, options))
        credentials = settings.credentials()
    return serve(settings, credentials, options, what)


def serve(settings: BotSettings, credentials: Credentials, options: BotOptions, site: str) -> int:
    """Answer the site until Ctrl-C. Raises BadInputError without an outbox."""
    import trio

    from oddly.interfaces.bot.outbox_file import open_outbox
    from oddly.interfaces.bot.service import serve_bot
    from oddly.interfaces.text.line_writer import Journal
    from oddly.safe_files import UnusableFileError

    journal = Journal()
    listener = listening("bot", options.host, options.port, unread=UNREAD, stalled=STALLED)

    def greet() -> None:
        print(http_address(options.host, listener.getsockname()[1]), flush=True)
        games = sorted({name for engine in settings.engines for name, _ in engine.games})
        journal.say(f"{settings.bot.name} plays {', '.join(games)} on {site}; Ctrl-C stops")

    with listener, ExitStack() as stack:
        try:
            outbox = stack.enter_context(open_outbox(settings.outbox))
        except UnusableFileError as error:
            if settings.bot.outbox is not None or settings.outbox.exists():
                raise BadInputError(f"bot: {error}") from None
            # If the folder of the default file cannot be written, the outbox is in memory.
            journal.say(f"no outbox: {error}; turns may be lost when the bot stops; set 'outbox'")
            outbox = stack.enter_context(open_outbox(None))
        trio.run(serve_bot, settings, credentials, listener, journal, outbox, greet)
    journal.say("stopped")
    return ExitCode.DONE


def show_status(settings: BotSettings, options: StatusOptions) -> int:
    """Print the games of a bot. Raises BadInputError if its outbox cannot be read."""
    from oddly.interfaces.bot.outbox_file import bot_status, read_outbox, status_text
    from oddly.safe_files import UnusableFileError

    with refusing(UnusableFileError, where="bot"), read_outbox(settings.outbox) as outbox:
        now = time.time()
        facts = bot_status(outbox, now)
    print(json.dumps(facts, indent=2) if options.json else status_text(facts, now))
    return ExitCode.DONE


def register_bot(settings: BotSettings, options: RegisterOptions) -> int:
    """Register a bot, or update it if the environment has its client id.

    Raises BadInputError if something is missing or the site refuses.
    """
    import trio

    from oddly.interfaces.bot.site_client import RegistrationError, register
    from oddly.interfaces.text.line_writer import Journal

    if options.endpoint is None:
        raise BadInputError("bot: register needs --endpoint, the bot's public address")
    token = os.environ.get(options.token_env, "").strip()
    if not token:
        raise BadInputError(
            f"bot: the environment has no {options.token_env}: the token with which the site's "
            "page signs its requests while you are signed in"
        )
    client_id = os.environ.get(settings.bot.client_id_env, "").strip()
    with (
        refusing(RegistrationError, where="bot"),
        refusing(OSError, where=f"bot: {options.secrets}"),
    ):
        trio.run(register, settings, options.endpoint, token, client_id, options.secrets, Journal())
    return ExitCode.DONE


def try_out(settings: BotSettings, game: Game) -> int:
    """Play one game on this machine and print it; return the exit code."""
    import trio

    from oddly.interfaces.bot.dry_run import DryRunError, dry_run
    from oddly.interfaces.text.line_writer import Journal

    print(f"{settings.bot.name} against itself: {game}", flush=True)
    try:
        said = trio.run(dry_run, settings, game, Journal(), lambda line: print(line, flush=True))
    except BaseExceptionGroup as group:
        wrong, other = group.split(DryRunError)
        if other is not None:
            raise other from None
        for error in _leaves(wrong):
            say(f"bot: the dry run failed: {error}")
        return ExitCode.NO_START
    print(said)
    return ExitCode.DONE


def _leaves(error: BaseException | None) -> list[BaseException]:
    """Return the errors in a group that are not groups themselves."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [] if error is None else [error]


def _game_to_try(settings: BotSettings, options: BotOptions) -> Game:
    """Return the game of a dry run. Raises BadInputError if no engine of the file plays it."""
    from oddly.game_records.abstract_play_turns import GAMES_BY_ID

    played = [
        game
        for engine in settings.engines
        for boards in GAMES_BY_ID.values()
        for game in sorted(boards.values(), key=lambda game: game.size)
        if engine.plays(game)
    ]
    for game in played:
        if options.game in (None, game.name) and options.size in (None, game.size):
            return game
    raise BadInputError(
        "bot: no engine in the file plays that; it has "
        + ", ".join(dict.fromkeys(f"{game.name} {game.size}" for game in played))
    )
