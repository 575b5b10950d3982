"""What several referee processes gain, and how soon a match begins.

`python -m benchmarks.referee_processes`: the same instant games are played by one referee process
and by two, with 1, 2 and 8 games at once, in turns, so that a machine that slows down slows all.
Times are microseconds a turn; the processor time is that of all referee processes together, the one
that plans included, and not of the engines. Besides: the seconds from the start of `oddly match`
until its first game, of a few turns, is over.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import trio

from benchmarks.instant import instant_engine, record_game
from oddly.games import create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration
from oddly.tournaments.executors.conditions import Conditions
from oddly.tournaments.executors.executor import local_executor
from oddly.tournaments.executors.referees_executor import HEAD_START, referees_executor
from oddly.tournaments.results.schedule import scheduled

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from oddly.games import Game
    from oddly.tournaments.executors.executor import Executor

AT_ONCE = (1, 2, 8)
REFEREES = (1, 2)
GAMES = 3
"""Games of each slot in a measurement."""
CLOCK = parse_time_control("10")
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine, _ = instant_engine(folder)
        game = create_game("yodd", 10)
        turns = len(record_game(game, folder / "script"))
        costs = trio.run(cost_of_referees, game, turns, (*engine, str(folder / "script")), 5)
        for what, value in costs.items():
            print(f"{what.replace('_', ' '):<40}{value:.1f}")
        print(f"{'seconds to the first game':<40}{first_game_seconds(folder):.2f}")


async def cost_of_referees(
    game: Game, turns: int, command: tuple[str, ...], rounds: int
) -> dict[str, float]:
    """Return medians over rounds, in microseconds a turn, by what they are called."""
    names = ("one", "other")
    engines = {name: EngineConfiguration(name, command, CLOCK) for name in names}
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for referees in REFEREES:
            for at_once in AT_ONCE:
                conditions = Conditions(at_once)
                opening: AbstractAsyncContextManager[Executor] = (
                    local_executor(engines, conditions)
                    if referees == 1
                    else referees_executor(engines, conditions, referees)
                )
                cpu, wall = await cost_of_games(opening, game, at_once)
                share = 1e6 / (GAMES * at_once * turns)
                for name, seconds in (("cpu", cpu), ("wall", wall)):
                    key = f"{name}_us_at_{at_once}_by_{referees}"
                    times.setdefault(key, []).append(seconds * share)
    return {name: median(values) for name, values in times.items()}


async def cost_of_games(
    opening: AbstractAsyncContextManager[Executor], game: Game, at_once: int
) -> tuple[float, float]:
    """Return the processor time of the referees and the time of some games, in seconds."""

    async def play(number: int, games: int) -> None:
        for round_ in range(games):
            await executor.play(scheduled(number, game, round_, "one", "other", number))

    async with opening as executor:
        # Processes and engines are started before the measurement.
        await trio.sleep(HEAD_START)
        for _ in range(2):
            async with trio.open_nursery() as nursery:
                for number in range(at_once):
                    nursery.start_soon(play, number, 1)
            await trio.sleep(1.0)
        cpu, wall = referees_cpu(), perf_counter()
        async with trio.open_nursery() as nursery:
            for number in range(at_once):
                nursery.start_soon(play, number, GAMES)
        return referees_cpu() - cpu, perf_counter() - wall


def referees_cpu() -> float:
    """Return the processor time of this process and its referee processes (Linux)."""
    seconds = process_time()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and any(
            word.endswith(b"referee_start.py") for word in words
        ):
            seconds += (int(fields[11]) + int(fields[12])) / TICKS
    return seconds


def first_game_seconds(folder: Path) -> float:
    """Return the least seconds, of five times, until a match has played its first game."""
    engine, _ = instant_engine(folder)
    record_game(create_game("odd", 2), folder / "short")
    words = " ".join((*engine, str(folder / "short")))
    command = [sys.executable, "-m", "oddly", "match", words, words]
    times = []
    for _ in range(5):
        began = perf_counter()
        with subprocess.Popen(
            [*command, "--game", "odd", "--size", "2", "--games", "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as match:
            assert match.stderr is not None  # noqa: S101 - it is a pipe
            match.stderr.readline()
            times.append(perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()
