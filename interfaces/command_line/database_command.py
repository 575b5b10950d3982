"""`oddly database`: the values of all positions of a small board, in a folder."""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.games import Odd
from oddly.interfaces.command_line.command import POSITIVE, command
from oddly.interfaces.command_line.command_progress import progress_bar
from oddly.interfaces.command_line.common_options import NamedGame
from oddly.interfaces.command_line.declaring import flag, option
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, say

if TYPE_CHECKING:
    from oddly.engines.solver.solution import AnyDatabase


PASSING = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""Errors of a disk that end a computation in the middle; what it has written is kept."""


@command("database --game odd --size 2")
def run(
    *,
    game: NamedGame,
    output: Path | None = option(
        "DIR",
        "the folder of the database (default: one named after the game)",
        names="--output -o",
    ),
    every_threshold: bool = flag("find the values for every --min-group at once (Odd)"),
    threads: int | None = option("N", "threads (default: one for each core)", kind=POSITIVE),
    check: int = option(
        "N", "check N random values against the rules", kind=POSITIVE, default=1000
    ),
    as_json: bool = flag("print the facts as one JSON object", names="--json"),
) -> int:
    """Make the database or continue it, check samples of it, and print who wins."""
    from oddly.engines.database.files import DatabaseError
    from oddly.engines.solver.solution import folder_name, new_database

    kind = game.create()
    thresholds = None
    if every_threshold:
        if "min_group" not in kind.settings:
            raise BadInputError(f"database: --every-threshold is for Odd, not for {kind.title}")
        thresholds = tuple(range(1, len(kind.board) + 1))
    folder = output or Path(folder_name(kind, every=every_threshold))
    try:
        _check_place(folder)
        database = new_database(kind, folder, thresholds)
        try:
            _make(database, threads or os.cpu_count() or 1)
        except KeyboardInterrupt:
            say(f"interrupted; the same command goes on with {folder}")
            return ExitCode.INTERRUPTED
        database.folder.verify()
        checked = database.check(check)
        facts = _facts(database, checked)
    except DatabaseError as error:
        raise BadInputError(f"database: {error}") from None
    except MemoryError:
        raise BadInputError(f"database: there is no room for {kind} in memory") from None
    except OSError as error:
        goes_on = "; the same command goes on" if error.errno in PASSING else ""
        raise BadInputError(
            f"database: {folder} cannot be written: {error.strerror}{goes_on}"
        ) from None
    print(json.dumps(facts, indent=2) if as_json else _table(facts))
    return ExitCode.DONE


def _check_place(folder: Path) -> None:
    """Raise BadInputError if what the folder is named after, or lies in, is no folder."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if there.exists() and not there.is_dir():
        raise BadInputError(f"database: {there} is not a folder")


def _make(database: AnyDatabase, threads: int) -> None:
    """Make the database with a bar on a terminal. Raises what `Database.make` does."""
    if not sys.stderr.isatty():
        database.make(threads)
        return
    from rich.progress import TaskProgressColumn

    with progress_bar("solving", TaskProgressColumn()) as bar:
        task = bar.add_task(str(database.game), total=None)
        database.make(threads, lambda done, total: bar.update(task, completed=done, total=total))


def _facts(database: AnyDatabase, checked: int) -> dict[str, object]:
    """Return all results at the end, for programs."""
    game = database.game
    layers = database.folder.facts["layers"].values()
    facts: dict[str, object] = {
        "game": game.name,
        "size": game.size,
        **game.settings,
        "positions": sum(layer["positions"] for layer in layers),
        "seconds": round(sum(layer["seconds"] for layer in layers), 3),
        "checked": checked,
    }
    with suppress(KeyError):
        del facts["min_group"]
    if isinstance(game, Odd):
        facts["winners"] = {
            str(threshold): str(database.winner(replace(game, min_group=threshold).start()))
            for threshold in database.thresholds
        }
    else:
        start = game.start()
        winner = database.winner(start)
        turns = [
            str(turn)
            for turn in start.legal_turns()
            if database.winner(start.play(turn)) is start.to_move
        ]
        facts |= {"winner": "draw" if winner is None else str(winner), "winning_turns": turns}
    return facts


def _table(facts: dict[str, object]) -> str:
    """Return all results at the end, for people."""
    from tabulate import tabulate

    rows = [
        ("game", " ".join(str(facts[name]) for name in ("game", "board", "size") if name in facts)),
        ("positions", f"{facts['positions']:,}"),
        ("time", f"{facts['seconds']:.1f} s"),
        ("checked", f"{facts['checked']:,} positions"),
    ]
    winners = facts.get("winners")
    if isinstance(winners, dict):
        rows += [
            (f"groups of {threshold}", f"{winner.capitalize()} wins")
            for threshold, winner in winners.items()
        ]
    else:
        turns = facts["winning_turns"]
        rows.append(("winner", str(facts["winner"]).capitalize()))
        if isinstance(turns, list) and turns:
            rows.append(("winning turns", " ".join(turns)))
    return tabulate(rows, tablefmt="plain", disable_numparse=True)
