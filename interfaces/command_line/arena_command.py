"""`oddly arena ARENA.toml`: hosts an arena, into which engines dial from anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddly.games import install_command
from oddly.interfaces.command_line.command import command, file_keys
from oddly.interfaces.command_line.declaring import argument
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.listening import listening

if TYPE_CHECKING:
    from oddly.interfaces.arena.service import ArenaService
    from oddly.interfaces.arena.settings_file import ArenaConfiguration

UNREAD, STALLED = 65_536, 20.0


def arena_keys() -> dict[str, Any]:
    """Return the schema of ARENA.toml. It needs none of the packages that an arena needs."""
    from importlib.resources import files

    text = files("oddly.interfaces.arena").joinpath("arena.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@command(
    "Ctrl-C or SIGTERM stops it; the games that run go on when it is started again.",
    also=file_keys(arena_keys),
)
def run(file: Path = argument("ARENA.toml", "what the arena is called, and what it plays")) -> int:
    """Serve until Ctrl-C; all games are on the disk at any moment."""
    try:
        import cryptography  # noqa: F401
        import scipy  # noqa: F401

        from oddly.interfaces.arena.settings_file import ArenaFileError, load_arena
    except ImportError as error:
        raise BadInputError(
            f"arena: an arena needs packages that are not installed ({error.name}); to install "
            f"them: {install_command('arena')}"
        ) from None
    try:
        configuration = load_arena(file)
    except ArenaFileError as error:
        raise BadInputError(f"arena: {error}") from None
    return serve(configuration)


def serve(configuration: ArenaConfiguration) -> int:
    """Serve until Ctrl-C. Raises BadInputError if the files cannot be used or written."""
    import trio

    from oddly.interfaces.arena.service import ArenaFailure, serve_arena
    from oddly.safe_files import UnusableFileError

    table = configuration.table
    listener = listening("arena", table.host, table.port, unread=UNREAD, stalled=STALLED)

    def greet(service: ArenaService) -> None:
        games = len(service.arena.play.games)
        again = f"; {games} games go on" if games else ""
        print(f"{service.arena.settings.address}/ {table.name}{again}; Ctrl-C stops", flush=True)

    with listener:
        try:
            trio.run(serve_arena, configuration, listener, greet)
        except (ArenaFailure, UnusableFileError) as error:
            raise BadInputError(f"arena: {error}") from None
    return DONE
