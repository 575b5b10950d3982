"""What the referee costs a turn, beside a bare trio ping-pong: `python -m benchmarks.referee`.

With `--quick` it measures nothing but the processor time and the time of a turn with 1, 2 and 8
games at once, beside the bare ping-pong and fastchess, in five turns, and prints one table in about
a minute. Below it stand the ratios: their median, the least and the greatest.

Both drive the same two instant engines (C if there is a compiler) through the same recorded game,
in turns, so that a machine that slows down slows both. *Ours* is the whole of a game: ids,
deadlines, clocks, rules, the record, standard error drained. *Bare* sends the same two commands in
one write with trio's send_all and waits for two replies with receive_some, and knows nothing else.
Starting up is in neither. Reported besides: the referee's processor time and the time of a turn
with 1, 2 and 8 games at once, and fastchess's if it is on the PATH; by how much each flood of
`floods.py` delays others, and the work of the longest pass of the loop; how long the referee takes
until it could start its first engine, its peak memory, and whether a game after many others is
slower than one without.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

import trio

from benchmarks.fastchess import fastchess_times
from benchmarks.floods import worst_delays
from benchmarks.games_at_once import AT_ONCE, Times, medians, ratio, rounds_of_games
from benchmarks.instant import instant_engine, record_game
from oddly.games import create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, Limits
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game

if TYPE_CHECKING:
    from oddly.games import Game


ROUNDS_OF_FASTCHESS = 3
PARTS = 5
"""How often all are measured in turns, with `--quick`."""
ROUNDS_OF_A_PART = 10
COLUMNS = {
    "ours, µs of processor time": "cpu_us",
    "ours, µs": "wall_us",
    "bare, µs of processor time": "bare_cpu_us",
    "bare, µs": "bare_wall_us",
    "fastchess, µs of processor time": "fastchess_cpu_us",
    "fastchess, µs": "fastchess_wall_us",
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of a turn under the referee.")
    parser.add_argument("--rounds", type=int, default=30, help="games of each kind, in turns")
    parser.add_argument("--history", type=int, default=1000, help="games in one run")
    parser.add_argument("--no-floods", action="store_true", help="leave the floods out")
    parser.add_argument("--quick", action="store_true", help="only the cost of a turn")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.quick:
            times = cost_of_a_turn(Path(folder))
            table = [as_table(medians(times)), "", *ratios(times)]
            print(json.dumps(times, indent=2) if arguments.json else "\n".join(table))
            return
        facts: dict[str, Any] = measure(Path(folder), arguments.rounds, arguments.history)
    if not arguments.no_floods:
        facts |= flood_figures()
    if arguments.json:
        print(json.dumps(facts, indent=2))
        return
    for name, value in facts.items():
        print(
            f"{name.replace('_', ' '):<40}{value:.3f}"
            if isinstance(value, float)
            else f"{name.replace('_', ' '):<40}{value}"
        )


def measure(folder: Path, rounds: int, history: int) -> dict[str, Any]:
    """All figures; times in microseconds a turn where nothing else is said."""
    engine, kind = instant_engine(folder)
    game = create_game("yodd", 8)
    turns = record_game(game, folder / "script")
    command = (*engine, str(folder / "script"))
    times = medians(trio.run(rounds_of_games, game, turns, command, rounds))
    small = create_game("odd", 2)
    record_game(small, folder / "small")
    fresh, old = trio.run(long_run, small, (*engine, str(folder / "small")), history)
    return {
        "engine": kind,
        "turns_of_the_game": len(turns),
        "throughput_ours_to_bare": times["bare_wall_us_at_1"] / times["wall_us_at_1"],
        **times,
        **medians(fastchess_times(folder, AT_ONCE, ROUNDS_OF_FASTCHESS)),
        "start_seconds": start_seconds(),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "games_of_history": history,
        "with_history_to_without": old / fresh,
    }


def cost_of_a_turn(folder: Path) -> Times:
    """Return microseconds a turn, of ours at 1, 2 and 8 games, of bare and fastchess.

    There are PARTS of them: medians of rounds of ours and of bare, and one run of fastchess.
    """
    engine, _ = instant_engine(folder)
    game = create_game("yodd", 8)
    turns = record_game(game, folder / "script")
    command = (*engine, str(folder / "script"))
    times: Times = {}
    for _ in range(PARTS):
        part = medians(trio.run(rounds_of_games, game, turns, command, ROUNDS_OF_A_PART))
        for name, value in (part | medians(fastchess_times(folder, AT_ONCE, 1))).items():
            times.setdefault(name, []).append(value)
    return times


def ratios(times: Times) -> list[str]:
    """Return in sentences how the times of a lone game compare with those of others."""
    compared = {
        "processor time of a turn, to the bare loop's": ("cpu_us_at_1", "bare_cpu_us_at_1"),
        "time of a turn, to the bare loop's": ("wall_us_at_1", "bare_wall_us_at_1"),
        "processor time of a turn, to fastchess's": ("cpu_us_at_1", "fastchess_cpu_us_at_1"),
        "time of a turn, to fastchess's": ("wall_us_at_1", "fastchess_wall_us_at_1"),
    }
    return [
        "{}: {:.2f} ({:.2f} to {:.2f})".format(what, *ratio(times, *names))
        for what, names in compared.items()
        if set(names) <= set(times)
    ]


def as_table(facts: dict[str, float]) -> str:
    """Return medians of `cost_of_a_turn` as a table in Markdown."""
    lines = ["| games at once | " + " | ".join(COLUMNS) + " |", "| --- " * (len(COLUMNS) + 1) + "|"]
    for number in AT_ONCE:
        values = (facts.get(f"{key}_at_{number}") for key in COLUMNS.values())
        cells = ("" if value is None else f"{value:.0f}" for value in values)
        lines.append(f"| {number} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def flood_figures() -> dict[str, float]:
    """Return what `worst_delays` does, in milliseconds."""
    return {
        f"{what}_ms, {kind}": 1e3 * seconds
        for kind, delay in worst_delays().items()
        for what, seconds in delay._asdict().items()
    }


async def our_game(pool: EnginePool, game: Game, command: tuple[str, ...]) -> None:
    """Play a game under the referee."""
    clock = parse_time_control("10")
    record = await play_pooled_game(
        pool,
        game,
        (EngineConfiguration("one", command, clock), EngineConfiguration("other", command, clock)),
    )
    if record.outcome.is_forfeit:
        raise RuntimeError(record.outcome.reason)


async def long_run(game: Game, command: tuple[str, ...], games: int) -> tuple[float, float]:
    """Typical seconds of a game in a pool that is fresh, and in one with a history, in turns."""
    fresh: list[float] = []
    old: list[float] = []
    async with trio.open_nursery() as nursery:
        veteran = EnginePool(nursery, Limits())
        for _ in range(games):
            await our_game(veteran, game, command)
        beginner = EnginePool(nursery, Limits())
        for _ in range(100):
            for pool, seconds in ((beginner, fresh), (veteran, old)):
                began = perf_counter()
                await our_game(pool, game, command)
                seconds.append(perf_counter() - began)
        await veteran.stop()
        await beginner.stop()
    return typical(fresh), typical(old)


def typical(seconds: list[float]) -> float:
    """The lower quartile: what a noisy machine disturbs least."""
    return sorted(seconds)[len(seconds) // 4]


def start_seconds() -> float:
    """Median seconds from the start of `oddly match` until it starts its first engine."""
    code = (
        "import sys, os, oddly.interfaces.command_line.match_commands as m; "
        "import oddly.interfaces.command_line.playing; os._exit(0)"
    )
    times = []
    for _ in range(5):
        began = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(perf_counter() - began)
    return median(times)


if __name__ == "__main__":
    main()
