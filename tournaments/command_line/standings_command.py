"""`oddly standings LEDGER`: the tables of an event, finished or still running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from games.errors import did_you_mean
from tournaments.command_line.exit_codes import DONE
from tournaments.command_line.parser import BadInputError
from tournaments.command_line.playing import table_format
from tournaments.ledger.schema import LedgerError
from tournaments.ledger.store import Ledger
from tournaments.schedule import ScheduledGame, pairs_of
from tournaments.standings import PlayedGame
from tournaments.tables import DEFAULT_FORMAT, results, results_json, shown

if TYPE_CHECKING:
    import argparse


def fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "ledger", type=Path, metavar="LEDGER", help="the .sqlite file of a tournament"
    )
    parser.add_argument(
        "--format",
        type=table_format,
        default=DEFAULT_FORMAT,
        metavar="NAME",
        help="a table format of tabulate: simple, github, grid, html, ... (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print all facts as one JSON object")
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the ledger, which is not changed, and print its tables."""
    path: Path = arguments.ledger
    try:
        with Ledger(path, read_only=True) as ledger:
            facts, records = ledger.event(), ledger.records()
    except LedgerError as error:
        near = "" if path.exists() else did_you_mean(path.name, ledgers_beside(path))
        raise BadInputError(f"{error}{near}") from None
    if facts is None:
        raise BadInputError(f"{path} is a ledger in which no event has begun")
    total = games_of(facts)
    played = [
        PlayedGame(ScheduledGame(number, r.game, 0, *r.players, r.seed or 0, name), r.outcome)
        for number, (name, r) in enumerate(records.items(), start=1)
    ]
    names = list(facts["engines"])
    if arguments.json:
        progress = {"event": facts["name"], "played": len(played), "games": total}
        print(json.dumps({**progress, **results_json(names, played)}, indent=2))
        return DONE
    print(f"{shown(facts['name'])}: {len(played)} of {total} games")
    if played:
        print(f"\n{results(names, played, arguments.format)}")
    return DONE


def games_of(facts: dict[str, object]) -> int:
    """How many games the event has in all."""
    if isinstance(scheduled := facts.get("scheduled"), int):
        # Not everybody meets everybody in a study.
        return scheduled
    keys = ("format", "engines", "games", "rounds")
    format_, engines, games, rounds = (facts.get(key) for key in keys)
    if not (
        isinstance(format_, str)
        and isinstance(engines, dict)
        and isinstance(games, list)
        and isinstance(rounds, int)
    ):
        raise BadInputError(f"the ledger is damaged: its event lacks one of {', '.join(keys)}")
    return 2 * len(list(pairs_of(format_, list(engines)))) * len(games) * rounds


def ledgers_beside(path: Path) -> list[str]:
    """The names of ledgers in the folder of `path`."""
    return [other.name for other in path.parent.glob("*.sqlite")]
