"""How long a cold engine takes to compile: `python -m benchmarks.compiling`.

Each board is compiled by `oddly warm` into an empty folder. The unit is a plain Python loop, timed
before and after: `for i in range(12_000_000): n += i & 3`. So figures of different machines can be
compared. The seconds of both cores together say more than the wall clock on a machine that does
something else besides.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic

from tabulate import tabulate

from benchmarks.strength.rows import DEFAULT_BOARDS
from benchmarks.unit import unit

HEADERS = ("board", "seconds", "units", "seconds of both cores", "units")


def compile_once(engine: str, game: str, size: int) -> tuple[float, float, float, float]:
    """Return seconds, units, seconds of both cores, and units, of one cold start."""
    before = unit()
    words = ("warm", "--engine", engine, "--game", game, "--size", str(size))
    with TemporaryDirectory() as folder:
        used, began = _used(), monotonic()
        subprocess.run(
            (sys.executable, "-m", "oddly", *words),
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        wall, used = monotonic() - began, _used() - used
    one = (before + unit()) / 2
    return wall, wall / one, used, used / one


def _used() -> float:
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print a table of medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="rave")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows = []
    for game, size in DEFAULT_BOARDS:
        rounds = [compile_once(options.engine, game, size) for _ in range(options.rounds)]
        rows.append((f"{game} {size}", *(median(column) for column in zip(*rounds, strict=True))))
    print(tabulate(rows, HEADERS, floatfmt=".1f"))


if __name__ == "__main__":
    main()
