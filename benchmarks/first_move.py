"""How long `oddly match` takes from its start to its first move: `python -m benchmarks.first_move`.

What is measured is the time until the first game is printed, on a small board of Xodd: six or seven
turns, some milliseconds later than the first move. Beside it stands the processor time that the
match itself has used till then, without its engines: a loaded machine hardly changes that.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from tabulate import tabulate

OURS = (sys.executable, "-P", "-m", "oddly")
TINY = Path(__file__).parents[1] / "examples" / "python" / "tiny.py"
ENGINES = {
    "our engine random": shlex.join((*OURS, "engine", "random")),
    "examples/python/tiny.py": shlex.join((sys.executable, str(TINY))),
}
BOARD = ("--game", "xodd", "--size", "3", "--games", "2")


def seconds_to_first_game(command: str) -> tuple[float, float]:
    """Return the seconds until a match of an engine against itself prints its first game.

    The second number is the processor time of the match till then, in steps of 0.01 s.
    """
    began = perf_counter()
    with subprocess.Popen(
        [*OURS, "match", command, command, *BOARD],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None  # noqa: S101 - it is a pipe
        line = process.stderr.readline()
        seconds = perf_counter() - began
        stat = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii")
        process.stderr.read()
    if not line.startswith(("1/2 ", "2/2 ")):
        raise SystemExit(f"the match of {command} printed no game first, but {line!r}")
    user, system = stat.rpartition(")")[2].split()[11:13]
    return seconds, (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print a table of least, median and greatest seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="matches of each (default: 10)")
    times = parser.parse_args().times
    rows = []
    for name, command in ENGINES.items():
        taken, used = zip(*(seconds_to_first_game(command) for _ in range(times)), strict=True)
        rows.append((name, min(taken), median(taken), max(taken), median(used)))
    heads = ("engine", "least, s", "median, s", "greatest, s", "processor time, s")
    print(tabulate(rows, heads, floatfmt=".2f"))


if __name__ == "__main__":
    main()
