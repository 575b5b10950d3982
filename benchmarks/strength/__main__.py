"""Play the rows of the table of strength, and print them.

    python -m benchmarks.strength FOLDER             play what is missing of all rows, print them
    python -m benchmarks.strength FOLDER errors-1000 errors-1s      the same for these
    python -m benchmarks.strength FOLDER --table     only print what is there
    python -m benchmarks.strength --list             the names of the rows

Every row keeps its games in a ledger of its own in FOLDER, so that any run may be stopped and goes
on later. Simulations are fixed but where a row's name tells seconds, so that a busy machine does
not matter.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.strength.pondering import kept_by_pondering
from benchmarks.strength.rows import Errors, Kept, Match, Row, all_rows
from oddly.games import did_you_mean
from oddly.interfaces import command_line
from oddly.study.estimates import share
from oddly.tournaments.ratings.elo import elo_of

PLAYED = (0, 1)
"""Exit codes of a command that did all that there was to do."""
HEADERS = ("row", "what", "games", "result", "95 %")


def play(row: Row, folder: Path) -> bool:
    """Play or measure what is missing of a row; return whether nothing is."""
    if isinstance(row, Errors):
        kept = folder / f"{row.name}.json"
        if kept.exists():
            return True
        code, text = oddly("bench", "errors", *row.words())
        if code in PLAYED:
            kept.write_text(text, encoding="utf-8")
        return code in PLAYED
    if isinstance(row, Kept):
        kept = folder / f"{row.name}.json"
        if not kept.exists():
            found = kept_by_pondering(row.game, row.size, row.simulations, row.megabytes)
            kept.write_text(json.dumps(found), encoding="utf-8")
        return True
    file = folder / f"{row.name}.toml"
    file.write_text(row.toml(), encoding="utf-8")
    words = ("--concurrency", "1", "--referees", "1", "--json")
    return oddly("tournament", str(file), *words)[0] in PLAYED


def oddly(*words: str) -> tuple[int, str]:
    """Return the exit code of a command of oddly, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = command_line.main(words)
    return code, printed.getvalue()


def lines_of(row: Row, folder: Path) -> list[tuple[str, str, int, str, str]]:
    """Return the lines of a row in the table; none if nothing of it is there."""
    if isinstance(row, Errors):
        kept = folder / f"{row.name}.json"
        return error_lines(row, json.loads(kept.read_text())) if kept.exists() else []
    if isinstance(row, Kept):
        kept = folder / f"{row.name}.json"
        return [kept_line(row, json.loads(kept.read_text()))] if kept.exists() else []
    ledger = folder / f"{row.name}.sqlite"
    if not ledger.exists():
        return []
    code, text = oddly("standings", str(ledger), "--json")
    if code not in PLAYED:
        return []
    tables = json.loads(text)["tables"]
    if not tables:
        return []
    engines = {engine["name"]: engine for engine in tables[0]["standings"]}
    return match_lines(row, engines)


def match_lines(row: Match, engines: dict[str, Any]) -> list[tuple[str, str, int, str, str]]:
    """Return the line of a match."""
    first = engines.get(row.first)
    score = first and share(first["points"], first["games"])
    if score is None or score.low is None or score.high is None:
        return []
    what = f"{row.game} {row.size}: {row.first} v {row.second}"
    bars = f"{score.low:.0%} to {score.high:.0%}"
    result = f"{score.value:.0%}"
    if 0 < score.value < 1:
        low, value, high = map(elo_of, (score.low, score.value, score.high))
        result, bars = f"{result}, {value:+.0f} Elo", f"{bars}, {low:+.0f} to {high:+.0f} Elo"
    return [(row.name, what, score.samples, result, bars)]


def error_lines(row: Errors, facts: dict[str, Any]) -> list[tuple[str, str, int, str, str]]:
    """Return a line for each board, and one for all."""
    return [
        (
            row.name,
            f"{board['board']}: proven wins thrown away",
            board["positions"],
            f"{board['thrown']} ({board['share']:.1%})",
            f"{board['low']:.1%} to {board['high']:.1%}",
        )
        for board in facts["boards"]
        if board["positions"]
    ]


def kept_line(row: Kept, found: dict[str, Any]) -> tuple[str, str, int, str, str]:
    """Return the line of a row on pondering."""
    what = f"{row.game} {row.size}: visits of the expected reply, of {found['simulations']:,}"
    return (row.name, what, 1, f"{found['kept']:,}", "")


def table(rows: list[Row], folder: Path) -> str:
    """Return the rows that were played, as a table."""
    lines = [line for row in rows for line in lines_of(row, folder)]
    return tabulate(lines, HEADERS, tablefmt="github", disable_numparse=True)


def main() -> int:
    """Play, print the table, and return the exit code: 0, or 1 if a row could not be played."""
    known = all_rows()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strength", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--table", action="store_true", help="play nothing")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(known))
        return 0
    if arguments.folder is None:
        parser.error("a folder for the ledgers is expected")
    for name in arguments.rows:
        if name not in known:
            parser.error(f"unknown row {name!r}{did_you_mean(name, known)}")
    rows = [known[name] for name in arguments.rows or known]
    is_done = True
    if not arguments.table:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for row in rows:
            is_done = play(row, arguments.folder) and is_done
    print(table(rows, arguments.folder))
    return 0 if is_done else 1


if __name__ == "__main__":
    sys.exit(main())
