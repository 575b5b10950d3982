"""What an arena costs: `python -m benchmarks.arena`.

- The processor time of a turn, beside that of the local referee with as many games at once. Both
  play the same recorded game of instant engines, in turns, so that a machine that slows down slows
  both. The arena's is that of its whole process: TLS apart, all that an engine's turn needs.
- 500 connected engines, of which 200 play 100 games: the share of a core, and the memory.
- Many games one after the other, without a network: by how much the memory grows.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple
from urllib.request import urlopen

import trio

from benchmarks.arena_growth import growth_mb
from benchmarks.games_at_once import rounds_of_games
from benchmarks.instant import instant_engine, record_game
from oddly.games import create_game

if TYPE_CHECKING:
    from collections.abc import Iterator

GAME = create_game("yodd", 8)
FILE = """
[arena]
name = "Benchmark"
port = 0
gather = 0.0

[[pool]]
game = "yodd"
size = 8
time = "60+1"
opening_turns = 0
"""
AT_ONCE = 8
WARM = 5.0
"""Seconds until games run evenly."""


class Spent(NamedTuple):
    """What a process of an arena did in a while."""

    turns: float
    cpu: float
    seconds: float


class Host:
    """An arena in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self.address = process, address

    def spend(self, seconds: float) -> Spent:
        """Look on for some seconds."""
        before, began = (self._turns(), self._cpu()), time.perf_counter()
        time.sleep(seconds)
        spent = time.perf_counter() - began
        return Spent(self._turns() - before[0], self._cpu() - before[1], spent)

    def metrics(self) -> str:
        """Return all that it counts."""
        with urlopen(f"{self.address}/metrics") as answer:  # noqa: S310 - this machine
            text: str = answer.read().decode()
        return text

    def number(self, name: str) -> float:
        """Return the sum of a number over its labels."""
        found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", self.metrics(), re.MULTILINE)
        return sum(map(float, found))

    def _turns(self) -> float:
        return self.number("oddly_turns_total")

    def _cpu(self) -> float:
        return self.number("process_cpu_seconds_total")


@contextmanager
def hosted(folder: Path) -> Iterator[Host]:
    """A new arena in a folder."""
    file = folder / "arena.toml"
    file.write_text(FILE, encoding="utf-8")
    words = [sys.executable, "-m", "oddly", "arena", str(file)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield Host(process, line.partition("/ ")[0])
        finally:
            process.terminate()


@contextmanager
def guests(host: Host, script: Path, players: int, idle: int, thinks: float) -> Iterator[None]:
    """Engines at an arena, as long as the block runs."""
    url = host.address.replace("http", "ws", 1) + "/arena"
    words = [sys.executable, "-m", "benchmarks.arena_guests", url, str(script)]
    words += map(str, (players, idle, thinks))
    with subprocess.Popen(words) as process:
        try:
            while host.number("oddly_engines_online") < players + idle:
                time.sleep(0.2)
            time.sleep(WARM)
            yield
        finally:
            process.kill()


def costs_of_a_turn(folder: Path, parts: int, seconds: float) -> list[tuple[float, float]]:
    """Return microseconds of processor time a turn, of the arena and of the referee, by parts."""
    turns = record_game(GAME, folder / "script")
    command = (*instant_engine(folder)[0], str(folder / "script"))
    found = []
    with hosted(folder) as host, guests(host, folder / "script", 2 * AT_ONCE, 0, 0.0):
        for _ in range(parts):
            spent = host.spend(seconds)
            # The arena stands still, so that it takes nothing from the other.
            host.process.send_signal(signal.SIGSTOP)
            times = trio.run(rounds_of_games, GAME, turns, command, 3)
            host.process.send_signal(signal.SIGCONT)
            time.sleep(1.0)
            found.append((1e6 * spent.cpu / spent.turns, median(times[f"cpu_us_at_{AT_ONCE}"])))
    return found


def crowd(
    folder: Path, engines: int, games: int, thinks: float, seconds: float
) -> dict[str, float]:
    """Return what many engines cost, of which some play and the others look on."""
    record_game(GAME, folder / "script")
    with (
        hosted(folder) as host,
        guests(host, folder / "script", 2 * games, engines - 2 * games, thinks),
    ):
        spent = host.spend(seconds)
        return {
            "engines": host.number("oddly_engines_online"),
            "games": host.number("oddly_games_running"),
            "turns a second": spent.turns / spent.seconds,
            "share of a core": spent.cpu / spent.seconds,
            "memory, MB": host.number("process_resident_memory_bytes") / 1e6,
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What an arena costs.")
    parser.add_argument("--parts", type=int, default=5, help="measurements of a turn")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--thinks", type=float, default=0.5, help="seconds of a turn in the crowd")
    parser.add_argument("--engines", type=int, default=500)
    parser.add_argument("--playing", type=int, default=100, help="games at once")
    parser.add_argument("--games", type=int, default=100_000, help="one after the other; 0: none")
    arguments = parser.parse_args()
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    facts: dict[str, float] = {"programs that want to run, a core": waiting}
    with tempfile.TemporaryDirectory() as folder:
        if arguments.parts:
            found = costs_of_a_turn(Path(folder), arguments.parts, arguments.seconds)
            facts["µs of processor time a turn, arena"] = median(one for one, _ in found)
            facts["µs of processor time a turn, referee"] = median(other for _, other in found)
            ratios = [one / other for one, other in found]
            facts |= {"ratio": median(ratios), "least": min(ratios), "greatest": max(ratios)}
    with tempfile.TemporaryDirectory() as folder:
        if arguments.engines:
            thinks, seconds = arguments.thinks, arguments.seconds
            facts |= crowd(Path(folder), arguments.engines, arguments.playing, thinks, seconds)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.games:
            facts[f"MB more after {arguments.games} games"] = growth_mb(
                Path(folder), arguments.games
            )
    print(json.dumps({name: round(value, 3) for name, value in facts.items()}, indent=2))


if __name__ == "__main__":
    main()
