"""Rate the levels of `rave` beside our other engines: `python -m benchmarks.level_lists FOLDER`.

Each default board has a rating pool, whose ledger stays in FOLDER, so that a run may be stopped and
goes on later. The lists are written to `engines/level_lists.json`, from which the page says how
strong a level is, and printed as the table of docs/explanation/engines.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.strength.rows import DEFAULT_BOARDS
from oddly.engines.level_lists import FILE, LevelList, level_lists
from oddly.engines.levels import HIGHEST

if TYPE_CHECKING:
    from collections.abc import Sequence

GAMES = 1200
"""Games on each board."""
MEAN = 1000
"""The mean of all ratings of a list."""
COMMAND = "python -m benchmarks.level_lists FOLDER"
YARDSTICKS = ("random", "greedy")


def pool(game: str, size: int, games: int) -> str:
    """Return the tournament file of a board."""
    lines = ["[tournament]", f'name = "levels of rave, {game} {size}"', 'format = "rating-pool"']
    lines += [f"games = {games}", "seed = 1", 'time = "none"', "concurrency = 1", ""]
    lines += ["[[game]]", f'game = "{game}"', f"size = {size}", "opening_turns = 2"]
    for name in YARDSTICKS:
        lines += _engine(name, name)
    for level in range(1, HIGHEST + 1):
        lines += _engine(f"level {level}", "rave", "--option", f"level={level}")
    return "\n".join(lines) + "\n"


def _engine(name: str, *words: str) -> list[str]:
    command = json.dumps(["oddly", "engine", *words])
    return ["", "[[engine]]", f'name = "{name}"', f"command = {command}"]


def rated(game: str, size: int, found: dict[str, Any], games: int) -> dict[str, Any]:
    """Return the list of a board from what `oddly ratings --json` prints."""
    ratings = {
        row["name"]: [round(row["elo"]) + MEAN, round(row["error_95"])] for row in found["ratings"]
    }
    return {"game": game, "size": size, "games": games, "ratings": ratings}


def measure(folder: Path, games: int) -> list[dict[str, Any]]:
    """Play what is missing, and return the lists of all boards."""
    lists = []
    for game, size in DEFAULT_BOARDS:
        file = folder / f"{game}.toml"
        file.write_text(pool(game, size, games), encoding="utf-8")
        _oddly("tournament", str(file), "--quiet")
        found = json.loads(_oddly("ratings", str(file.with_suffix(".sqlite")), "--json"))
        lists.append(rated(game, size, found, games))
    return lists


def _oddly(*words: str) -> str:
    command = [sys.executable, "-m", "oddly", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(lists: Sequence[LevelList]) -> str:
    """Return the lists as a table in Markdown."""
    names = [f"level {level}" for level in range(HIGHEST, 0, -1)] + [*reversed(YARDSTICKS)]
    heads = [str(each.board) for each in lists]
    lines = [f"| | {' | '.join(heads)} |", f"| --- |{' --- |' * len(heads)}"]
    for name in names:
        cells = [str(each.ratings[name]) for each in lists]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, write the file, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="keeps the ledgers")
    parser.add_argument("--games", type=int, default=GAMES, help="on each board")
    parser.add_argument("--table", action="store_true", help="only print what is in the file")
    asked = parser.parse_args()
    if not asked.table:
        asked.folder.mkdir(exist_ok=True)
        day = datetime.now(UTC).date().isoformat()
        lists = measure(asked.folder, asked.games)
        told = {"command": COMMAND, "date": day, "mean": MEAN, "lists": lists}
        FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(table(level_lists()))


if __name__ == "__main__":
    main()
