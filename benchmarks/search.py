"""How many simulations a second `rave` does on the default boards: `python -m benchmarks.search`.

Three positions of each board are searched: the start, and those after 20 and 40 random turns. These
take turns, slice by slice: one thread; two threads that share a tree; two processes at once, which
share nothing and so show what the machine has for two; and one thread of another checkout of oddly,
if `--against` names its folder, where `.venv/bin/python` must be. What is printed are medians, and
medians of the ratios of slices that lie side by side.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from tabulate import tabulate

from benchmarks.strength.rows import DEFAULT_BOARDS

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADERS = (
    "board", "a second", "two threads", "quartiles", "two processes", "quartiles", "against",
    "quartiles",
)  # fmt: skip


class Worker:
    """A process that searches one board with a number of threads."""

    def __init__(self, python: str, board: tuple[str, int], threads: int, simulations: int) -> None:
        file = str(Path(__file__).with_name("search_worker.py"))
        words = [python, "-P", file, board[0], *map(str, (board[1], threads, simulations))]
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.read()

    def read(self) -> str:
        """Return the next line of the worker. Raises SystemExit if there is none."""
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the worker ended: {self._process.args!r}")
        return line

    def begin(self, seed: int) -> None:
        """Begin a slice; then `read` its simulations a second."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def rate_of(workers: Sequence[Worker], seed: int) -> float:
    """Return the simulations a second of one slice, of all these workers at once."""
    for worker in workers:
        worker.begin(seed)
    return sum(float(worker.read()) for worker in workers)


def compared(rates: Sequence[float], base: Sequence[float]) -> tuple[str, str]:
    """Return the median of the ratios of two columns of slices, and their quartiles."""
    ratios = [rate / other for rate, other in zip(rates, base, strict=True)]
    low, middle, high = quantiles(ratios, n=4)
    return f"{middle:.2f}", f"{low:.2f} to {high:.2f}"


def row(board: tuple[str, int], against: str | None, rounds: int, simulations: int) -> list[str]:
    """Return what is measured of one board."""
    kinds = [(sys.executable, 1, 1), (sys.executable, 2, 1), (sys.executable, 1, 2)]
    kinds += [(against, 1, 1)] if against else []
    with ExitStack() as stack:
        teams = [
            [
                stack.enter_context(closing(Worker(python, board, threads, simulations)))
                for _ in range(processes)
            ]
            for python, threads, processes in kinds
        ]
        slices = [[rate_of(team, seed) for team in teams] for seed in range(rounds)]
    one, two, both, *others = zip(*slices, strict=True)
    cells = [f"{board[0]} {board[1]}", f"{median(one):,.0f}"]
    cells += [*compared(two, one), *compared(both, one)]
    return cells + (list(compared(one, others[0])) if others else [])


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="FOLDER", help="another checkout of oddly")
    parser.add_argument("--rounds", type=int, default=15, help="slices of each (default: 15)")
    parser.add_argument("--simulations", type=int, default=10_000, help="of a slice's searches")
    arguments = parser.parse_args()
    if arguments.rounds < 2 or arguments.simulations < 1:
        parser.error("a ratio needs two rounds at least, and a search one simulation")
    against = None
    if arguments.against is not None:
        against = str(Path(arguments.against).absolute() / ".venv" / "bin" / "python")
        if not Path(against).exists():
            parser.error(f"there is no {against}")
    rows = [
        row(board, against, arguments.rounds, arguments.simulations) for board in DEFAULT_BOARDS
    ]
    print(tabulate(rows, HEADERS[: len(rows[0])], disable_numparse=True))


if __name__ == "__main__":
    main()
