"""`oddly bot abstract-play BOT.toml`: engines as a public player on a site for people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import install_command
from oddly.interfaces.command_line.command import (
    PORT,
    POSITIVE,
    OneOf,
    bot_keys,
    command,
    file_keys,
)
from oddly.interfaces.command_line.declaring import argument, flag, option, options
from oddly.interfaces.command_line.errors import DONE, NO_START, BadInputError
from oddly.interfaces.command_line.listening import LOOPBACK, listening

if TYPE_CHECKING:
    from oddly.games import Game
    from oddly.interfaces.bot.bot_file import BotSettings

SITES = ("abstract-play",)
UNREAD, STALLED = 65_536, 6.0


@options()
class BotOptions:
    """Where the bot listens, or how it is tried."""

    host: str = option("ADDRESS", "where to listen, behind a proxy with TLS", default=LOOPBACK)
    port: int = option("N", kind=PORT, default=8766)
    dry_run: bool = flag("play one game against itself on this machine, and stop")
    game: str | None = option("NAME", "the game of a dry run (default: the first of the file)")
    size: int | None = option(
        "N", "its size (default: the smallest that the site has)", kind=POSITIVE
    )


@command(
    "'oddly bot abstract-play BOT.toml --dry-run' tries everything without the site.",
    also=file_keys(bot_keys),
)
def run(
    site: str = argument("SITE", ", ".join(SITES), kind=OneOf(*SITES, kind="site")),
    file: Path = argument("BOT.toml", "who the bot is, and its engines"),
    *,
    options: BotOptions,
) -> int:
    """Answer the site until Ctrl-C."""
    try:
        import trio

        from oddly.interfaces.bot.bot_file import BotFileError, load_bot
        from oddly.interfaces.bot.dry_run import MAX_SECONDS
        from oddly.interfaces.bot.journal import Journal
        from oddly.interfaces.bot.service import serve_bot
    except ImportError as error:
        raise BadInputError(
            f"bot: a bot needs packages that are not installed ({error.name}); to install them: "
            f"{install_command('bot')}"
        ) from None
    if not options.dry_run and (options.game is not None or options.size is not None):
        raise BadInputError("bot: --game and --size go with --dry-run")
    try:
        if options.dry_run:
            settings = load_bot(file, MAX_SECONDS)
            return try_out(settings, _game_to_try(settings, options))
        settings = load_bot(file)
        credentials = settings.credentials()
    except BotFileError as error:
        raise BadInputError(f"bot: {error}") from None
    journal = Journal()
    listener = listening("bot", options.host, options.port, unread=UNREAD, stalled=STALLED)

    def greet() -> None:
        host = f"[{options.host}]" if ":" in options.host else options.host
        print(f"http://{host}:{listener.getsockname()[1]}/", flush=True)
        games = sorted({name for engine in settings.engines for name, _ in engine.games})
        journal.say(f"{settings.bot.name} plays {', '.join(games)} on {site}; Ctrl-C stops")

    with listener:
        trio.run(serve_bot, settings, credentials, listener, journal, greet)
    journal.say("stopped")
    return DONE


def try_out(settings: BotSettings, game: Game) -> int:
    """Play one game on this machine and print it; return the exit code."""
    import trio

    from oddly.interfaces.bot.dry_run import DryRunError, dry_run
    from oddly.interfaces.bot.journal import Journal

    print(f"{settings.bot.name} against itself: {game}", flush=True)
    try:
        said = trio.run(dry_run, settings, game, Journal(), lambda line: print(line, flush=True))
    except BaseExceptionGroup as group:
        wrong, other = group.split(DryRunError)
        if other is not None:
            raise other from None
        for error in _leaves(wrong):
            print(f"oddly: bot: the dry run went wrong: {error}", file=sys.stderr)
        return NO_START
    print(said)
    return DONE


def _leaves(error: BaseException | None) -> list[BaseException]:
    """The errors of a group that are no groups."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [] if error is None else [error]


def _game_to_try(settings: BotSettings, options: BotOptions) -> Game:
    """The game of a dry run. Raises BadInputError if no engine of the file plays it."""
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
