"""Playouts a second of the kernels, of small references in C and of the plain rules.

Each plays uniformly random games from the start, action by action, in one thread: the kernel
compiled by Numba, a small reference compiled by the system's C compiler, if there is one, and the
rules in plain Python. The slices are short, so that a machine that slows down slows all of them; a
ratio is the median of the ratios of slices that lie side by side.

`NAME_reference.c` beside this module takes the arguments `size playouts seed`, for Yodd and Xodd
after the game's name, and prints `playouts seconds drops black_wins`; it measures processor time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import thread_time
from typing import TYPE_CHECKING

from oddly.engines.kernels.interface import black_points, new_state
from oddly.engines.kernels.jit import HAS_NUMBA, warm
from oddly.engines.kernels.machine_code import has_kernel
from oddly.engines.kernels.numbers import generator
from oddly.games import (
    EMPTY,
    END,
    PASS,
    Action,
    Ayu,
    Colour,
    Drop,
    DropPosition,
    Drops,
    Game,
    IllegalTurn,
    Odd,
    Pass,
    Result,
    Xodd,
    Yodd,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Contender = Callable[[int, int], "Slice"]
    """Plays a number of games from a seed."""


AI_AI = 1429
"""Yodd games a second on base 8, as published for the program Ai Ai."""

ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Slice:
    """Some games and the processor time they took; the drops (in Ayu: moves), where counted."""

    playouts: int
    seconds: float
    """Processor time, so that other programs on the machine do not count."""
    drops: int | None = None

    @property
    def rate(self) -> float:
        """Playouts a second."""
        return self.playouts / self.seconds


@dataclass(frozen=True, slots=True)
class KernelSpeed:
    """The measurements of one implementation on one board.

    Ratios are of playouts a second; the ratio to C is a median, with its quartiles.
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
    """Return the figures of all available implementations, each measured for about `seconds`.

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
    """Keep this process and its children on one processor, where the system can.

    Otherwise a program in C starts on an idle one, and the comparison is across processors.
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
        began = thread_time()
        black_points(state, start, random, count)
        return Slice(count, thread_time() - began)

    warm("bench", state, partial(play, 1, 1))
    return play


def rules_slice(game: Game, count: int, seed: int) -> Slice:
    """Return random games played by the plain rules."""
    random = Random(seed)
    began = thread_time()
    drops = sum(random_game(game, random)[0] for _ in range(count))
    return Slice(count, thread_time() - began, drops)


def fitting(play: Contender, seconds: float) -> int:
    """Return how many games take about `seconds`."""
    count = 1
    while (piece := play(count, 0)).seconds < seconds / 4:
        count *= 4
    return max(1, round(piece.rate * seconds))


def figure(game: Game, name: str, rounds: Sequence[Mapping[str, Slice]]) -> KernelSpeed:
    """Return the figures of one implementation, from its slices.

    All play the same kind of games, so the drops a game come from the implementations that count
    them. Kernels do not.
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


HERE = Path(__file__).parent
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-O3", "-march=native")
MAX_COMPILATION = 60.0
MAX_RUN = 600.0

PROGRAMS: dict[type[Game], tuple[str, tuple[str, ...]]] = {
    Yodd: ("group", ("yodd",)),
    Xodd: ("group", ("xodd",)),
    Odd: ("odd", ()),
    Ayu: ("ayu", ()),
}


class ReferenceFailedError(Exception):
    """A reference that could not be compiled or run. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class ReferenceProgram:
    """A compiled reference for one board."""

    command: tuple[str, ...]

    def play(self, count: int, seed: int) -> tuple[int, float, int]:
        """Return the playouts, their seconds and their drops. Raises ReferenceFailedError."""
        done = bounded_run((*self.command, str(count), str(seed)), MAX_RUN)
        try:
            playouts, seconds, drops, _ = done.stdout.split()
            return int(playouts), float(seconds), int(drops)
        except ValueError:
            raise ReferenceFailedError(f"no figures in its answer {done.stdout!r}") from None


def find_compiler() -> str | None:
    """Return the path of the system's C compiler, if it has one."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def has_sources() -> bool:
    """Return whether the references' sources are here: a checkout has them, the wheel does not."""
    return any(HERE.glob("*_reference.c"))


def compile_reference(game: Game, compiler: str, folder: Path) -> ReferenceProgram:
    """Compile the reference for `game` into `folder`. Raises ReferenceFailedError."""
    if type(game) not in PROGRAMS:
        raise ReferenceFailedError("there is none")
    name, words = PROGRAMS[type(game)]
    program = folder / f"{name}_reference"
    if not program.exists():
        source = HERE / f"{name}_reference.c"
        bounded_run((compiler, *FLAGS, "-o", str(program), str(source), "-lm"), MAX_COMPILATION)
    return ReferenceProgram((str(program), *words, str(game.size)))


def bounded_run(command: tuple[str, ...], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. Raises ReferenceFailedError if it fails or takes too long."""
    name = Path(command[0]).name
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True)
    except subprocess.TimeoutExpired:
        raise ReferenceFailedError(f"{name} took more than {seconds:g} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.splitlines()
        reason = next((line for line in lines if "error" in line), "no message")
        raise ReferenceFailedError(f"{name} failed ({error.returncode}): {reason}") from None
    except OSError as error:
        raise ReferenceFailedError(f"{name}: {error.strerror}") from None


TRIES = 64


def random_game(game: Game, random: Random) -> tuple[int, Result]:
    """Play uniformly random legal actions; return the drops (in Ayu: moves) and the result."""
    position, drops = DropPosition(game.start()), 0
    while position.start.result is None:
        action, position = random_action(position, random)
        drops += action not in (PASS, END)
    return drops, position.start.result


def random_action(position: DropPosition, random: Random) -> tuple[Action, DropPosition]:
    """Return a uniformly random legal action and the position after it.

    Drops, and a pass or an end, are drawn until one is legal; after too many misses, or in a game
    without drops, the legal actions are listed.
    """
    start = position.start
    if start.most_drops and start.game.turn_kinds <= {Drops, Pass}:
        vertices = start.game.board.vertices
        taken = {drop.vertex for drop in position.drops}
        empty = [
            vertex
            for vertex, stone in zip(vertices, start.stones, strict=True)
            if stone == EMPTY and vertex not in taken
        ]
        for _ in range(TRIES):
            number = random.randrange(2 * len(empty) + 1)
            action: Action = END if position.drops else PASS
            if number < 2 * len(empty):
                action = Drop(Colour.WHITE if number % 2 else Colour.BLACK, empty[number // 2])
            try:
                return action, position.act(action)
            except IllegalTurn:
                continue
    action = random.choice(list(position.actions()))
    return action, position.act(action)
