"""`oddly export LEDGER`: its games as CSV, JSON Lines, SGF or lists of turns."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oddly.game_records import FORMATS, KeptGame
from oddly.games.untrusted_text import csv_cell
from oddly.interfaces.command_line.command import OneOf, command
from oddly.interfaces.command_line.command_progress import waiting
from oddly.interfaces.command_line.convert_command import FOLDER, write_games
from oddly.interfaces.command_line.declaring import option
from oddly.interfaces.command_line.errors import DONE, BadInputError
from oddly.interfaces.command_line.shared_options import LEDGER
from oddly.tournaments import Ledger, LedgerError
from oddly.tournaments.results.schedule import content

if TYPE_CHECKING:
    from oddly.referee import GameRecord

COLUMNS = (
    "first", "second", "winner", "id", "game", "score", "termination", "turns",
    "first_seconds", "second_seconds", "lag", "seed", "opening", "copy_of",
)  # fmt: skip
"""`oddly ratings` reads the first four and the last two, which are the opening and the id of the
game that this one repeats.
"""


@command()
def run(
    ledger: Path = LEDGER,
    *,
    to: str = option(
        "FORMAT",
        "csv: one line per game; jsonl: everything about each game, with its turns; "
        "sgf: one collection, for Go programs; turns: one line of turns per game",
        kind=OneOf("csv", *FORMATS),
        default="csv",
    ),
    folder: Path | None = FOLDER,
) -> int:
    """Read the ledger, which is not changed, and write its games."""
    try:
        with waiting(f"reading {ledger}"), Ledger(ledger, read_only=True) as opened:
            records = opened.records()
            event = opened.event()
    except LedgerError as error:
        raise BadInputError(str(error)) from None
    if to != "csv":
        named = {} if event is None else {"event": event["name"]}
        games = (KeptGame(record, {"id": id_, **named}) for id_, record in records.items())
        write_games(games, FORMATS[to], folder=folder)
    elif folder is not None:
        raise BadInputError("export: --folder writes one file per game; CSV is one table")
    else:
        rows = csv.writer(sys.stdout, lineterminator="\n")
        rows.writerow(COLUMNS)
        firsts: dict[tuple[object, ...], str] = {}
        for identity, record in records.items():
            first = firsts.setdefault(content(record), identity)
            rows.writerow(row(identity, record, "" if first == identity else first))
    return DONE


def row(identity: str, record: GameRecord, copy_of: str) -> tuple[object, ...]:
    """Return a game as a row of COLUMNS, with untrusted text escaped for spreadsheets."""
    outcome = record.outcome
    # A swap changes colours, but the players go on taking turns.
    seconds = [sum(turn.seconds for turn in record.turns[player::2]) for player in (0, 1)]
    return (
        *(csv_cell(name) for name in record.players),
        "draw" if outcome.winner is None else ("first", "second")[outcome.winner],
        csv_cell(identity),
        str(record.game),
        outcome.score,
        outcome.termination.value,
        len(record.turns),
        *(f"{player:.6f}" for player in seconds),
        f"{outcome.lag:.6f}",
        record.seed,
        " ".join(turn.turn for turn in record.turns[: record.opening]),
        csv_cell(copy_of),
    )
