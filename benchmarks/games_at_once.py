"""What a turn costs the referee while several games run at once, in processor time and in time."""

from __future__ import annotations

from contextlib import contextmanager
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import trio

from benchmarks.bare import bare_game, open_bare
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, Limits
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.game import play_pooled_game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games import Game

AT_ONCE = (1, 2, 8)
CLOCK = parse_time_control("10")
Times = dict[str, list[float]]
"""Microseconds a turn, by what they are called, one of each round."""


async def rounds_of_games(
    game: Game, turns: list[str], command: tuple[str, ...], rounds: int
) -> Times:
    """Play rounds of the bare ping-pong and of all numbers of games, and return their times.

    All stand in each round, so that a machine that slows down slows all.
    """
    times: Times = {}
    one, other = (EngineConfiguration(name, command, CLOCK) for name in ("one", "other"))
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits())
        processes = [await open_bare(command) for _ in (0, 1)]
        # The first round starts the engines.
        for number in range(rounds + 1):
            kept = times if number else {}
            with stamped(kept, "bare_{}_us_at_1", len(turns)):
                await bare_game(processes, turns)
            for at_once in AT_ONCE:
                with stamped(kept, f"{{}}_us_at_{at_once}", at_once * len(turns)):
                    async with trio.open_nursery() as games:
                        for _ in range(at_once):
                            games.start_soon(play_pooled_game, pool, game, (one, other))
        for process in processes:
            process.kill()
            await process.wait()
        await pool.stop()
    return times


@contextmanager
def stamped(times: Times, name: str, turns: int) -> Iterator[None]:
    """Add what the body takes, by `name` with `cpu` and `wall` in it, in microseconds a turn."""
    cpu, wall = process_time(), perf_counter()
    yield
    spent = {"cpu": process_time() - cpu, "wall": perf_counter() - wall}
    for kind, seconds in spent.items():
        times.setdefault(name.format(kind), []).append(1e6 * seconds / turns)


def medians(times: Times) -> dict[str, float]:
    """Return the medians of all rounds."""
    return {name: median(values) for name, values in times.items()}


def ratio(times: Times, name: str, other: str) -> tuple[float, float, float]:
    """Return the median, the least and the greatest of the ratios of two times in one round."""
    ratios = [one / two for one, two in zip(times[name], times[other], strict=True)]
    return median(ratios), min(ratios), max(ratios)
