"""What ratings over time cost, and how often their bars hold: `python -m benchmarks.over_time`.

Strengths are drawn, move every day at random, and are rated from simulated games, without being
told by how much they move. Printed is the share of true strengths and of true moves that lie within
the 95 % bars, over all periods of all leagues. Playing first is worth 35 Elo.

With `--games N` a ledger of N games is made up for each drift instead, and rated by the command.
Printed are seconds of processor time and the most memory that it takes. For Linux.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from oddly.games import create_game
from oddly.tournaments import Ledger, rate_over_time
from oddly.tournaments.ratings.elo import ELO_PER_NAT
from oddly.tournaments.ratings.ordered_pairs import PERIODS, DatedCounts

ADVANTAGE = 35.0
SPREAD = 150.0
BEGAN = date(2026, 1, 1)
DRIFTS = (0, 10, 30, 100)
GAME = create_game("odd", 4)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Shape:
    """A league; each engine is there for its share of the days, at a time of its own."""

    engines: int
    days: int
    games: int
    """The games of a day."""
    presence: float = 1.0
    every: int = 1
    """The days from one day of play to the next."""
    draws: float = 0.0
    """The share of games that are drawn, of those that the better engine might lose."""
    period: str = "day"


SHAPES = {
    "8 engines, 20 days, 40 games a day": Shape(8, 20, 40),
    "few games: 8 a day": Shape(8, 20, 8),
    "four engines, 5 days, 10 games a day": Shape(4, 5, 10),
    "engines come and go": Shape(12, 40, 40, presence=0.4),
    "a day of play every two weeks": Shape(8, 140, 40, every=14),
    "half the games drawn": Shape(8, 20, 40, draws=0.5),
    "one day": Shape(8, 1, 400),
    "30 engines, 60 days, 200 games a day": Shape(30, 60, 200),
    "the same by week": Shape(30, 60, 200, period="week"),
    "the same by month": Shape(30, 60, 200, period="month"),
}


def strengths(rng: np.random.Generator, shape: Shape, drift: float) -> Array:
    """True strengths, days x engines."""
    steps = rng.normal(0, drift, (shape.days, shape.engines))
    steps[0] = rng.normal(0, SPREAD, shape.engines)
    return np.cumsum(steps, axis=0)


def games_of(
    rng: np.random.Generator, shape: Shape, true: Array
) -> tuple[Array, Array, Array, Array]:
    """The day, first player, second player and winner (0, 1, 2 for a draw) of each game."""
    stay = max(1, round(shape.presence * shape.days))
    comes = rng.integers(0, shape.days - stay + 1, shape.engines)
    columns: list[Array] = []
    for day in range(0, shape.days, shape.every):
        there = np.flatnonzero((comes <= day) & (day < comes + stay))
        if len(there) < 2:
            continue
        first = rng.integers(0, len(there), shape.games)
        second = (first + rng.integers(1, len(there), shape.games)) % len(there)
        columns.append(np.array([np.full(shape.games, day), there[first], there[second]]))
    day, first, second = np.concatenate(columns, axis=1)
    ahead = true[day, first] - true[day, second] + ADVANTAGE
    chance = 1 / (1 + np.exp(-ahead / ELO_PER_NAT))
    drawn = 2 * shape.draws * np.minimum(chance, 1 - chance)
    die = rng.random(len(day))
    winner = np.where(die < chance - drawn / 2, 0, np.where(die < chance + drawn / 2, 2, 1))
    return day, first, second, winner


@dataclass
class Coverage:
    """Shares of what lies within the bars, how long these are, and estimated drifts."""

    held: list[bool]
    moved: list[bool]
    bars: list[float]
    drifts: list[float]
    drift_held: list[bool]


def coverage(shape: Shape, drift: float, leagues: int, seed: int) -> Coverage:
    """Rate simulated leagues."""
    rng = np.random.default_rng(seed)
    found = Coverage([], [], [], [], [])
    for _ in range(leagues):
        true = strengths(rng, shape, drift)
        rate_one(found, rng, shape, true, drift)
    return found


def rate_one(
    found: Coverage, rng: np.random.Generator, shape: Shape, true: Array, drift: float
) -> None:
    """Rate a league, and add what was found."""
    day, first, second, winner = games_of(rng, shape, true)
    counts = DatedCounts()
    words = ("first", "second", "draw")
    begins = [PERIODS[shape.period](BEGAN + timedelta(days=n)) for n in range(shape.days)]
    of_period: dict[tuple[int, date], set[float]] = {}
    columns = (each.tolist() for each in (day, first, second, winner))
    for when, one, other, won in zip(*columns, strict=True):
        counts.add(f"e{one}", f"e{other}", words[won], (BEGAN + timedelta(days=when)).toordinal())
        for engine in (one, other):
            of_period.setdefault((engine, begins[when]), set()).add(true[when, engine])
    history = rate_over_time(counts, shape.period)
    # With several days in a period, the truth is the mean over those with games.
    truth = {key: float(np.mean(list(values))) for key, values in of_period.items()}
    last = {e.name: truth[int(e.name[1:]), e.periods[-1].begins] for e in history.engines}
    groups: dict[int, list[float]] = {}
    for engine in history.engines:
        groups.setdefault(engine.group, []).append(last[engine.name])
    for engine in history.engines:
        number, level = int(engine.name[1:]), float(np.mean(groups[engine.group]))
        start = truth[number, engine.periods[0].begins]
        for rating in engine.periods:
            is_true = truth[number, rating.begins]
            found.held.append(abs(rating.elo - is_true + level) <= rating.error_95)
            found.bars.append(rating.error_95)
            if rating.begins != engine.periods[0].begins:
                off = rating.moved - is_true + start
                found.moved.append(abs(off) <= rating.moved_error_95)
    if history.drift.elo is not None:
        found.drifts.append(history.drift.elo)
        low, high = history.drift.low or 0.0, history.drift.high or 0.0
        found.drift_held.append(low <= drift <= high)


def share(values: list[bool]) -> str:
    """A share in percent."""
    return f"{100 * np.mean(values):.1f} %" if values else "-"


def print_coverage(drifts: list[int], leagues: int, only: str | None) -> None:
    """Print the table of the docs."""
    print("| league | drift | within the bar | moves | bar, Elo | drift found | in its range |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, shape in SHAPES.items():
        if only is not None and only not in name:
            continue
        for drift in drifts:
            number = max(10, leagues // 10) if shape.engines > 12 else leagues
            found = coverage(shape, drift, number, seed=drift)
            middle = f"{np.median(found.drifts):.1f}" if found.drifts else "-"
            cells = [share(found.held), share(found.moved), f"{np.median(found.bars):.0f}"]
            cells += [middle, share(found.drift_held)]
            print(f"| {name} | {drift} | " + " | ".join(cells) + " |", flush=True)


def make(path: Path, shape: Shape, true: Array, rng: np.random.Generator) -> None:
    """A ledger that has what ratings read: no records, only summaries."""
    with Ledger(path) as ledger:
        ledger.begin({"name": "over time", "games": [str(GAME)]})
    game = json.dumps([GAME.name, GAME.size, dict(GAME.settings)])
    words = ("first", "second", "draw")
    insert = (
        "insert into summaries (id, game, round, place, opening, seed, first, second, winner, "
        "termination, finished, first_program, second_program, turns, digest, lag, first_turns, "
        "first_seconds, first_slowest, second_turns, second_seconds, second_slowest) "
        "values (?, ?, 0, ?, '', 0, ?, ?, ?, 'complete', ?, '', '', 30, ?, 0, 15, 1, 1, 15, 1, 1)"
    )
    columns = [each.tolist() for each in games_of(rng, shape, true)]
    rows = (
        (
            str(n), game, n, f"engine {one:03}", f"engine {other:03}", words[won],
            f"{BEGAN + timedelta(days=day)}T12:00:00+00:00", n + 1,
        )
        for n, (day, one, other, won) in enumerate(zip(*columns, strict=True))
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(insert, rows)


def print_costs(drifts: list[int], games: int, engines: int, days: int) -> None:
    """Print what the command takes, and how often its bars hold."""
    print("| period | drift | ratings | s | MB | within the bar | moves | drift found |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for drift in drifts:
        rng = np.random.default_rng(drift)
        shape = Shape(engines, days, games // days)
        true = strengths(rng, shape, drift)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "long.sqlite"
            make(path, shape, true, rng)
            for period in PERIODS:
                cells = cost(path, period, true)
                print(f"| {period} | {drift} | " + " | ".join(cells) + " |", flush=True)


def cost(path: Path, period: str, true: Array) -> list[str]:
    """Rate a ledger by the command, as a table for its cost and as JSON for its numbers."""
    script = (
        "import sys, time\nfrom oddly.interfaces.command_line import main\nmain(sys.argv[1:])\n"
        "(peak,) = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "print(time.process_time(), int(peak.split()[1]) / 1024, file=sys.stderr)"
    )
    words = [sys.executable, "-c", script, "ratings", str(path), "--over-time", period]
    done = subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    seconds, megabytes = map(float, done.stderr.split()[-2:])
    told = subprocess.run([*words, "--json"], check=True, capture_output=True).stdout
    (facts,) = json.loads(told)["games"].values()
    held, moved = held_by(facts, period, true)
    known = facts["drift"]["elo"] is not None
    shown = "{elo:.1f} ({low:.1f} to {high:.1f})" if known else "unknown"
    drift = shown.format(**facts["drift"])
    costs = [str(len(held)), f"{seconds:.1f}", f"{megabytes:.0f}"]
    return [*costs, share(held), share(moved), drift]


def held_by(facts: dict[str, Any], period: str, true: Array) -> tuple[list[bool], list[bool]]:
    """Whether the mean strength of each period, and its change, lie within their bars."""
    begins = np.array(
        [PERIODS[period](BEGAN + timedelta(days=n)).toordinal() for n in range(len(true))]
    )
    known = {int(day): true[begins == day].mean(axis=0) for day in np.unique(begins)}
    level = known[int(begins[-1])].mean()
    held, moved = [], []
    for engine in facts["engines"]:
        number = int(engine["name"].removeprefix("engine "))
        start: float | None = None
        for rating in engine["ratings"]:
            is_true = known[date.fromisoformat(rating["from"]).toordinal()][number] - level
            held.append(bool(abs(rating["elo"] - is_true) <= rating["error_95"]))
            if start is None:
                start = is_true
            else:
                off = rating["moved"] - (is_true - start)
                moved.append(bool(abs(off) <= rating["moved_error_95"]))
    return held, moved


def main() -> None:
    """Simulate, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leagues", type=int, default=100)
    parser.add_argument("--only", help="print only leagues with this in their name")
    parser.add_argument("--drift", type=int, action="append", help="instead of 0, 10, 30 and 100")
    parser.add_argument("--games", type=int, help="measure the cost of GAMES games instead")
    parser.add_argument("--engines", type=int, default=200)
    parser.add_argument("--days", type=int, default=365)
    arguments = parser.parse_args()
    drifts = arguments.drift or list(DRIFTS)
    if arguments.games:
        print_costs(drifts, arguments.games, arguments.engines, arguments.days)
    else:
        print_coverage(drifts, arguments.leagues, arguments.only)


if __name__ == "__main__":
    main()
