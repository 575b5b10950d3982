"""What the pages of an arena cost that has 100,000 games, in processor time.

`python -m benchmarks.arena_pages` plays some games, copies them under other ids and names until
there are that many, and asks for every address of the site. Counting the games once, at the start
of an arena, is not in the figures of the pages; it has a line of its own.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote

import trio

from benchmarks.standing import facts_of, standing
from oddly.arena.pool import RatedPool
from oddly.arena.store.files import FILE
from oddly.arena.store.store import ledger_path
from oddly.interfaces.arena.pages.answers import FRESH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.standing import Standing

POOL = "yodd-5"
PLAYED = 50
"""Games that are really played."""
HOURS = 24 * 365
RUNNING = 12
SEARCHES = ("?engine={one}", "?engine={one}&opponent={two}&result=won", "?result=fault&page=1")
LEFT_OUT = ("/live", "/static/{name}", "/downloads/{name}", "/games/{id}/seat",
            "/engines/{slug}/challenge")  # fmt: skip


async def measure(folder: Path, games: int, engines: int, rounds: int) -> dict[str, float]:
    """Return the milliseconds of processor time of each address, the median of some rounds."""
    names = [f"engine {number:04}x" for number in range(engines)]
    async with standing(folder, names, 0, [POOL]) as stand:
        await play(stand, names)
        await trio.to_thread.run_sync(copy, folder, games, names)
        pool = RatedPool(facts_of(POOL))
        results = await stand.in_writer(stand.service.store.file.results)
        pool.load(results[POOL])
        stand.arena.pools[POOL] = pool
        listed = (await stand.client.get("/api/v1/games")).json()["games"]
        wanted = addresses(stand, names, listed[0]["id"])
        found = {"all addresses once, with counting": sum([await cost(stand, a) for a in wanted])}
        times: dict[str, list[float]] = {address: [] for address in wanted}
        for _ in range(rounds):
            await trio.sleep(FRESH * 1.1)
            for address in wanted:
                times[address].append(await cost(stand, address))
    return found | {address: statistics.median(each) for address, each in times.items()}


async def cost(stand: Standing, address: str) -> float:
    """Ask for an address; the milliseconds of processor time, those of threads too."""
    before = time.process_time()
    answer = await stand.client.get(address)
    if answer.status_code != 200:
        raise RuntimeError(f"{address}: {answer.status_code}")
    return 1000 * (time.process_time() - before)


async def play(stand: Standing, names: Sequence[str]) -> None:
    """Play games at random, and let twelve run."""
    for _ in range(PLAYED):
        one, other = stand.draw.sample(names[2:], 2)
        stand.finish(stand.begin(POOL, one, other))
    for number in range(2, 2 * RUNNING, 2):
        game = stand.begin(POOL, *names[number : number + 2])
        for _ in range(20):
            stand.turn(game)
    await stand.write()


def copy(folder: Path, games: int, names: Sequence[str]) -> None:
    """Copy the finished games until there are `games`, between all engines."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        _copy(file, "games", " where state = 2", games, names)
        begin = datetime(2024, 1, 1, tzinfo=UTC)
        moments = [(begin + timedelta(hours=hour)).isoformat()[:13] for hour in range(HOURS)]
        points = [(POOL, names[0], each, 100.0, 50.0, n) for n, each in enumerate(moments)]
        file.executemany("insert or replace into ratings values (?,?,?,?,?,?)", points)
    with closing(sqlite3.connect(ledger_path(folder, POOL))) as ledger, ledger:
        for table in ("games", "summaries"):
            _copy(ledger, table, "", games, names)


def _copy(
    file: sqlite3.Connection, table: str, which: str, games: int, names: Sequence[str]
) -> None:
    rows = file.execute(f"select * from {table}{which}").fetchall()  # noqa: S608
    columns = [row[1] for row in file.execute(f"pragma table_info({table})")]
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    insert = f"insert into {table} values ({','.join('?' * len(columns))})"  # noqa: S608
    size = len(names)
    for number in range(len(found), games):
        row = dict(found[number % len(found)])
        row["id"] = f"{row['id']}x{number}"
        first = number * 7 % size
        row["first"], row["second"] = names[first], names[(first + 1 + number // 3 % 40) % size]
        if "number" in row:
            row["number"] = number + 1
        if row.get("record"):
            players = {"players": [row["first"], row["second"]]}
            row["record"] = json.dumps(json.loads(row["record"]) | players)
        file.execute(insert, tuple(row.values()))


def addresses(stand: Standing, names: Sequence[str], game: str) -> list[str]:
    """Return all addresses of the site, and some searches."""
    known = {"pool": POOL, "slug": names[0].replace(" ", "-"), "id": game}
    paths = [route.path for route in stand.app.routes]
    found = [path.format_map(known) for path in paths if path not in LEFT_OUT]
    words = {"one": quote(names[0]), "two": quote(names[1])}
    for path in ("/archive", "/api/v1/games"):
        found += [path + search.format_map(words) for search in SEARCHES]
    running = stand.running.id
    return [*found, f"/games/{running}", f"/games/{running}/board.png"]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="Measure the pages of a large arena.")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--engines", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = trio.run(measure, Path(folder), options.games, options.engines, options.rounds)
    print(f"{options.games} games, {options.engines} engines; ms of processor time")
    for address, spent in found.items():
        print(f"{spent:10.1f}  {address}")


if __name__ == "__main__":
    main()
