"""Playouts a second of every implementation, in slices that take turns.

Each plays uniformly random games from the start, action by action, in one thread: the kernel as
Numba compiles it, a small reference in C as the system's compiler does if there is one, and the
rules in plain Python. The slices are short, so that a machine that slows down slows all of them;
a ratio is the median of the ratios of slices that lie side by side.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING

from oddly.engines.benchmark.reference import compile_reference, random_game
from oddly.engines.kernels.available import has_kernel
from oddly.engines.kernels.estimate import black_points
from oddly.engines.kernels.interface import new_state
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.engines.kernels.warm import warm
from oddly.games import Yodd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from oddly.games import Game

    Contender = Callable[[int, int], "Slice"]
    """Plays a number of games from a seed."""

AI_AI = 1429
"""Yodd games a second on base 8, as published for the program Ai Ai."""

ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Slice:
    """Some games and the seconds they took; the drops (in Ayu: moves) in them, where counted."""

    playouts: int
    seconds: float
    drops: int | None = None

    @property
    def rate(self) -> float:
        """Playouts a second."""
        return self.playouts / self.seconds


@dataclass(frozen=True, slots=True)
class KernelSpeed:
    """What was measured of one implementation on one board.

    Ratios are of playouts a second; that to C is a median, and comes with its quartiles.
    """

    game: str
    size: int
    implementation: str
    playouts_per_second: float
    nanoseconds_per_drop: float
    drops_per_playout: float
    playouts: int
    ratio_to_c: float | None
    lower_quartile: float | None
    upper_quartile: float | None
    ratio_to_ai_ai: float | None


def measure(game: Game, folder: Path, compiler: str | None, seconds: float) -> list[KernelSpeed]:
    """Return the figures of all implementations there are, each measured for about `seconds`.

    The reference is compiled into `folder` by `compiler`. Raises ReferenceFailedError.
    """
    contenders: dict[str, Contender] = {}
    if HAS_NUMBA and has_kernel(game):
        contenders["numba"] = kernel_contender(game)
    if compiler is not None:
        program = compile_reference(game, compiler, folder)
        contenders["c"] = lambda count, seed: Slice(*program.play(count, seed))
    contenders["python"] = partial(rules_slice, game)
    with on_one_processor():
        rounds = measured_rounds(contenders, seconds / ROUNDS)
    return [figure(game, name, rounds) for name in contenders]


@contextmanager
def on_one_processor() -> Iterator[None]:
    """Keep this process and those that it starts on one processor, where the system can.

    A program in C would else start on whichever is idle, and be compared across two of them.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measured_rounds(contenders: Mapping[str, Contender], seconds: float) -> list[dict[str, Slice]]:
    """Return the slices of each round, one of about `seconds` for every contender in turn."""
    counts = {name: fitting(play, seconds) for name, play in contenders.items()}
    rounds = []
    for number in range(1, ROUNDS + 1):
        names = list(contenders) if number % 2 else list(contenders)[::-1]
        rounds.append({name: contenders[name](counts[name], number) for name in names})
    return rounds


def kernel_contender(game: Game) -> Contender:
    """Return the kernel, compiled, or the plain rules if the game has none."""
    if not has_kernel(game):
        return partial(rules_slice, game)
    start, state = new_state(game), new_state(game)

    def play(count: int, seed: int) -> Slice:
        random = generator(seed)
        began = perf_counter()
        black_points(state, start, random, count)
        return Slice(count, perf_counter() - began)

    warm("bench", state, partial(play, 1, 1))
    return play


def rules_slice(game: Game, count: int, seed: int) -> Slice:
    """Games by `games/`."""
    random = Random(seed)
    began = perf_counter()
    drops = sum(random_game(game, random)[0] for _ in range(count))
    return Slice(count, perf_counter() - began, drops)


def fitting(play: Contender, seconds: float) -> int:
    """Return how many games take about `seconds`."""
    count = 1
    while (piece := play(count, 0)).seconds < seconds / 4:
        count *= 4
    return max(1, round(piece.rate * seconds))


def figure(game: Game, name: str, rounds: Sequence[Mapping[str, Slice]]) -> KernelSpeed:
    """Return what the slices of one implementation add up to.

    All implementations play the same kind of games; so their drops are taken from all that count
    them, which the kernels have no time for.
    """
    slices = [each[name] for each in rounds]
    rate = median(piece.rate for piece in slices)
    counted = [piece for each in rounds for piece in each.values() if piece.drops is not None]
    drops = sum(piece.drops or 0 for piece in counted) / sum(piece.playouts for piece in counted)
    ratios = [each[name].rate / each["c"].rate for each in rounds if "c" in each]
    lower, middle, upper = quantiles(ratios, n=4) if ratios else (None, None, None)
    is_published = game == Yodd(8)
    return KernelSpeed(
        game=game.name,
        size=game.size,
        implementation=name,
        playouts_per_second=rate,
        nanoseconds_per_drop=1e9 / (rate * drops),
        drops_per_playout=drops,
        playouts=sum(piece.playouts for piece in slices),
        ratio_to_c=middle,
        lower_quartile=lower,
        upper_quartile=upper,
        ratio_to_ai_ai=rate / AI_AI if is_published else None,
    )
