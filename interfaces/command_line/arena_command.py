"""`oddly arena ARENA.toml`: hosts an arena that engines dial into from anywhere."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from oddly.games.wording import counted
from oddly.interfaces.command_line.command import OneOf, Subcommand, command
from oddly.interfaces.command_line.declaring import argument, option, options
from oddly.interfaces.command_line.errors import BadInputError, importing, refusing
from oddly.interfaces.command_line.file_keys import file_keys, keys_of
from oddly.interfaces.command_line.listening import listening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.interfaces.arena.pages.answers import SitePages
    from oddly.interfaces.arena.service import ArenaService
    from oddly.interfaces.arena.settings_file import ArenaConfiguration

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
def run(
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
    from oddly.interfaces.arena.hosting import STALLED, UNREAD, serve_arena
    from oddly.interfaces.arena.metrics import metrics_route
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
        _check(kind, words, reason or "")
    with refusing(OrderError, NotNowError, UnusableFileError, where="arena"):
        print(_done(configuration, kind, words, reason or ""))


def _check(kind: str, words: Sequence[str], reason: str) -> None:
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
    from oddly.interfaces.arena.house_engines import SECRET_FILE
    from oddly.interfaces.arena.keeper import all_rulings, carry_out

    if kind == "rulings":
        found = all_rulings(configuration)
        return "\n".join(each.sentence() for each in found) or "there are no rulings"
    if kind == "backup":
        copies = back_up(configuration.folder, Path(words[0]), (SECRET_FILE,))
        return f"{words[0]} has {len(copies)} files: the arena and its ledgers"
    value = words[1] if kind in WITH_VALUE else ""
    return carry_out(configuration, KeeperOrder(kind, words[0], value, reason))
