"""Rate the levels of `rave` beside our other engines: `python -m benchmarks.level_lists FOLDER`.

Each default board has a rating pool of the levels whose simulations are fixed, with our other
engines, and a match of the highest level, which takes a second a turn, against the one below. Their
ledgers stay in FOLDER, so that a run may be stopped and goes on later. The lists are written to
`engines/level_lists.json`, from which the page says how strong a level is, and printed as the
tables of docs/explanation/engines.md.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.strength.rows import DEFAULT_BOARDS
from oddly.engines.levels import FILE, HIGHEST, NAMES, LevelList, level_lists, levels
from oddly.tournaments import QUANTILE_975
from oddly.tournaments.ratings.elo import ELO_PER_NAT, elo_of

if TYPE_CHECKING:
    from collections.abc import Sequence

GAMES = 400
"""Games of the pool on each board."""
TOP_GAMES = 24
"""Games of the highest level against the one below, each of which takes half a minute."""
MEAN = 1000
"""The mean of all ratings of a list."""
COMMAND = "python -m benchmarks.level_lists FOLDER"
YARDSTICKS = ("random", "greedy")


def pool(game: str, size: int, games: int) -> str:
    """Return the tournament file of the levels with fixed simulations and our other engines."""
    settings = [f'name = "levels of rave, {game} {size}"', 'format = "rating-pool"']
    settings.append(f"games = {games}")
    others = [_engine(name, name) for name in YARDSTICKS]
    return _tournament(settings, game, size, [*others, *map(_level, range(1, HIGHEST))])


def top(game: str, size: int, games: int) -> str:
    """Return the tournament file of the highest level against the one below."""
    settings = [f'name = "top levels of rave, {game} {size}"', 'format = "round-robin"']
    settings.append(f"rounds = {games // 2}")
    return _tournament(settings, game, size, [_level(HIGHEST), _level(HIGHEST - 1)])


def _tournament(settings: list[str], game: str, size: int, engines: list[list[str]]) -> str:
    lines = ["[tournament]", *settings, "seed = 1", 'time = "none"', "concurrency = 1", ""]
    lines += ["[[game]]", f'game = "{game}"', f"size = {size}", "opening_turns = 2"]
    return "\n".join([*lines, *chain.from_iterable(engines)]) + "\n"


def _level(level: int) -> list[str]:
    return _engine(f"level {level}", "rave", "--option", f"level={level}")


def _engine(name: str, *words: str) -> list[str]:
    command = json.dumps(["oddly", "engine", *words])
    return ["", "[[engine]]", f'name = "{name}"', f"command = {command}"]


def rated(
    game: str, size: int, found: dict[str, Any], points: float, games: tuple[int, int]
) -> dict[str, Any]:
    """Return the list of a board from what `oddly ratings --json` prints, and the highest level's.

    That has scored `points` against the level below. Half a point more for both lets a whole
    score stand for a rating; the error is that of the score (the delta method) and of the level
    below together. `games` are those of the pool and of the match.
    """
    ratings = {row["name"]: (row["elo"], row["error_95"]) for row in found["ratings"]}
    below, error_below = ratings[f"level {HIGHEST - 1}"]
    played = games[1] + 1
    share = (points + 0.5) / played
    error = QUANTILE_975 * ELO_PER_NAT / math.sqrt(played * share * (1 - share))
    ratings[f"level {HIGHEST}"] = (below + elo_of(share), math.hypot(error, error_below))
    mean = sum(elo for elo, _ in ratings.values()) / len(ratings)
    shown = {name: [round(elo - mean) + MEAN, round(e)] for name, (elo, e) in ratings.items()}
    return {"game": game, "size": size, "games": sum(games), "ratings": shown}


def measure(folder: Path, game: str, size: int, games: tuple[int, int]) -> dict[str, Any]:
    """Play what is missing on a board, and return its list."""
    rated_pool = _played(folder / f"{game}.toml", pool(game, size, games[0]))
    match = _played(folder / f"{game}-top.toml", top(game, size, games[1]))
    found = json.loads(_oddly("ratings", rated_pool, "--json"))
    (table,) = json.loads(_oddly("standings", match, "--json"))["tables"]
    points = {row["name"]: row["points"] for row in table["standings"]}
    day = datetime.now(UTC).date().isoformat()
    return rated(game, size, found, points[f"level {HIGHEST}"], games) | {"date": day}


def write(measured: dict[str, Any]) -> None:
    """Put the list of a board in place of its last one, if it has one, into the file."""
    lists = {each["game"]: each for each in json.loads(FILE.read_text(encoding="utf-8"))["lists"]}
    lists[measured["game"]] = measured
    told = {"command": COMMAND, "mean": MEAN, "lists": list(lists.values())}
    FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _played(file: Path, text: str) -> str:
    """Play what is missing of a tournament, and return its ledger."""
    file.write_text(text, encoding="utf-8")
    _oddly("tournament", str(file), "--quiet")
    return str(file.with_suffix(".sqlite"))


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


def ladder(lists: Sequence[LevelList]) -> str:
    """Return a table of simulations at each level, and Elo above the level below, in Markdown."""
    heads = [each.board for each in lists]
    lines = [f"| level | name | {' | '.join(heads)} |", f"| --- | --- |{' --- |' * len(heads)}"]
    for number, name in enumerate(NAMES, 1):
        cells = []
        for each in lists:
            level = levels(each.game)[number - 1]
            cell = f"{level.simulations:,}" if level.simulations else "a second"
            if number > 1:
                cell += f": {each.of(number).elo - each.of(number - 1).elo:+,}"
            cells.append(cell)
        lines.append(f"| {number} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, write the file, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="keeps the ledgers")
    parser.add_argument("--games", type=int, default=GAMES, help="of the pool on each board")
    parser.add_argument("--top-games", type=int, default=TOP_GAMES, help="of the highest level")
    parser.add_argument("--table", action="store_true", help="only print what is in the file")
    parser.add_argument("--game", choices=dict(DEFAULT_BOARDS), help="only this one")
    asked = parser.parse_args()
    if not asked.table:
        asked.folder.mkdir(exist_ok=True)
        for game, size in DEFAULT_BOARDS:
            if asked.game in {None, game}:
                write(measure(asked.folder, game, size, (asked.games, asked.top_games)))
    print(ladder(level_lists()))
    print()
    print(table(level_lists()))


if __name__ == "__main__":
    main()
