"""What a turn costs the referee while several games run at once, in processor time and in time."""

from __future__ import annotations

from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import trio

from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, Limits
from oddly.referee.match.game import play_pooled_game
from oddly.referee.match.pool import EnginePool

if TYPE_CHECKING:
    from oddly.games import Game

AT_ONCE = (1, 2, 8)
CLOCK = parse_time_control("10")


async def cost_of_games_at_once(
    game: Game, turns: int, command: tuple[str, ...], rounds: int
) -> dict[str, float]:
    """Return medians over rounds, in microseconds a turn, by what they are called.

    Each round plays all numbers of games, so that a machine that slows down slows all.
    """
    times: dict[str, list[float]] = {}
    one, other = (EngineConfiguration(name, command, CLOCK) for name in ("one", "other"))
    async with trio.open_nursery() as nursery:
        pool = EnginePool(nursery, Limits())
        # The first round starts the engines.
        for number in range(rounds + 1):
            for at_once in AT_ONCE:
                cpu, wall = process_time(), perf_counter()
                async with trio.open_nursery() as games:
                    for _ in range(at_once):
                        games.start_soon(play_pooled_game, pool, game, (one, other))
                share = 1e6 / (at_once * turns)
                if number:
                    for name, seconds in (
                        (f"cpu_us_at_{at_once}", process_time() - cpu),
                        (f"wall_us_at_{at_once}", perf_counter() - wall),
                    ):
                        times.setdefault(name, []).append(seconds * share)
        await pool.stop()
    return {name: median(values) for name, values in times.items()}
