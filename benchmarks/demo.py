"""How long the README's demo takes in a fresh clone with cold caches: `python -m benchmarks.demo`.

Each step of the command is timed by itself, without a terminal, in a clone of the last commit, with
a home, a cache of pip and a cache of oddly that are empty. A unit is what a plain Python loop takes
on the same machine. `--packages` times each package that the demo installs, alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from tabulate import tabulate

from benchmarks.unit import unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parents[1]


def demo_command(readme: str) -> str:
    """Return the command between the marks of the README."""
    marked = re.search(r"<!-- demo command -->\n```sh\n(.*)\n```\n<!-- end -->", readme)
    assert marked is not None  # noqa: S101 - a test sees to it
    return marked[1]


def fresh(folder: Path) -> dict[str, str]:
    """Return an environment in which everything that is cached has to be made again."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    return {**kept, "HOME": str(folder), "PIP_CACHE_DIR": str(folder / "pip")}


def timed(step: str, place: Path, environment: Mapping[str, str]) -> tuple[float, float]:
    """Run a step of a command; return its seconds, and its seconds of processor time."""
    began, before = perf_counter(), os.times()
    with (place / "output.txt").open("ab") as output:
        subprocess.run(
            ["sh", "-c", step],  # noqa: S607 - as it is typed
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=True,
        )
    after = os.times()
    processor = after.children_user + after.children_system
    return perf_counter() - began, processor - before.children_user - before.children_system


def measured(steps: Sequence[str], clone: Path, environment: Mapping[str, str]) -> list[list[str]]:
    """Return a row for each step, and one for all: seconds, processor time and units."""
    one = unit()
    times = [timed(step, clone, environment) for step in steps]
    one = min(one, unit())
    total = (sum(wall for wall, _ in times), sum(processor for _, processor in times))
    rows = [*zip(steps, times, strict=True), ("all", total)]
    return [
        [step, f"{wall:.1f}", f"{processor:.1f}", f"{wall / one:.0f}"]
        for step, (wall, processor) in rows
    ]


def packages(clone: Path, environment: Mapping[str, str]) -> list[list[str]]:
    """Return what it takes to install each package alone, less what pip takes for nothing."""
    listed = subprocess.check_output(
        [clone / ".venv" / "bin" / "pip", "freeze", "--exclude-editable"], text=True
    )
    timed("python3 -m venv alone", clone, environment)
    pip = "alone/bin/pip install --quiet --no-cache-dir --no-deps --force-reinstall"
    least = min(timed(f"{pip} --dry-run tabulate", clone, environment)[1] for _ in range(3))
    rows = []
    for package in listed.split():
        _, with_bytecode = timed(f"{pip} {package}", clone, environment)
        _, without = timed(f"{pip} --no-compile {package}", clone, environment)
        rows.append((package, max(0.0, with_bytecode - least), max(0.0, without - least)))
    rows.sort(key=lambda row: -row[1])
    return [[name, f"{first:.1f}", f"{second:.1f}"] for name, first, second in rows]


def main() -> None:
    """Print the times of the steps, and what the demo showed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", action="store_true", help="time each package too")
    wants_packages = parser.parse_args().packages
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)  # noqa: S607
        environment = fresh(Path(folder))
        steps = demo_command((clone / "README.md").read_text(encoding="utf-8")).split(" && ")
        rows = measured(steps, clone, environment)
        print((clone / "output.txt").read_text(encoding="utf-8"))
        print(tabulate(rows, ("step", "s", "s of processor time", "units"), disable_numparse=True))
        if wants_packages:
            print()
            headers = ("package", "s of processor time", "without bytecode")
            print(tabulate(packages(clone, environment), headers, disable_numparse=True))


if __name__ == "__main__":
    main()
