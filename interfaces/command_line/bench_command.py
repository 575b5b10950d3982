"""`oddly bench`: how fast the kernels are on this machine, and how often an engine errs."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tabulate import tabulate

from oddly.engines import HAS_NUMBA, has_kernel
from oddly.engines.benchmark.kernel_speed import (
    AI_AI,
    FLAGS,
    ROUNDS,
    KernelSpeed,
    ReferenceFailedError,
    find_compiler,
    has_sources,
    measure,
)
from oddly.engines.kernels.available import KERNEL_MODULES, tell_of_plain_rules
from oddly.interfaces.command_line.bench_errors import ErrorsOptions
from oddly.interfaces.command_line.command import SECONDS, OneOf, command
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import argument, flag, option
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oddly.games import Game

STRONGEST = "oddly engine rave"
HEADERS = ("game", "implementation", "playouts/s", "ns per drop", "ratio to C", "middle half")


@command("bench kernels --seconds 0.1")
def run(
    what: str = argument(
        "what",
        "kernels: how fast they are; errors: how often an engine throws away a proven win",
        kind=OneOf("kernels", "errors"),
    ),
    engine: str | None = argument(
        "CMD", f"errors: the engine's command line, in quotes (default: {STRONGEST})"
    ),
    *,
    game: GameOptions,
    seconds: float = option("S", "for each measurement", kind=SECONDS, default=2.0),
    errors: ErrorsOptions,
    as_json: bool = flag("print the figures as JSON", names="--json"),
) -> int:
    """Measure and print."""
    named = game.create_if_named("bench")
    if what == "errors":
        from oddly.interfaces.command_line import bench_errors

        asked = STRONGEST if engine is None else engine
        return bench_errors.run(asked, named, errors, as_json=as_json)
    if engine is not None:
        raise BadInputError(f"bench: 'kernels' takes no engine, but {engine!r} was given")
    return measure_kernels(named, seconds, as_json=as_json)


def measure_kernels(named: Game | None, seconds: float, *, as_json: bool) -> int:
    """Measure the kernels of a game, or of all, and print the figures."""
    games = [named] if named else [each() for each in KERNEL_MODULES]
    compiler = find_compiler() if has_sources() else None
    if not has_sources():
        say("the references in C come with a checkout of oddly, so nothing is compared with them")
    elif compiler is None:
        say("no C compiler here (cc, gcc or clang), so there is no reference in C")
    if not HAS_NUMBA:
        say("Numba is not installed or switched off, so the kernels are not measured")
    with ExitStack() as passing:
        folder = Path()
        if compiler is not None:
            try:
                folder = Path(passing.enter_context(TemporaryDirectory()))
            except OSError as error:
                say(f"no reference in C, for want of a temporary folder: {error.strerror}")
                compiler = None
        figures = list(all_figures(games, folder, compiler, seconds))
    if as_json:
        print(json.dumps([asdict(figure) for figure in figures], indent=2))
    else:
        print(table(figures))
    return ExitCode.DONE


def all_figures(
    games: list[Game], folder: Path, compiler: str | None, length: float
) -> Iterator[KernelSpeed]:
    """Yield the figures of every game, and report any reference that fails."""
    for game in games:
        say(f"measuring {game}")
        if not has_kernel(game):
            tell_of_plain_rules(game)
        try:
            yield from measure(game, folder, compiler, length)
        except ReferenceFailedError as error:
            say(f"no reference in C for {game}: {error}")
            yield from measure(game, folder, None, length)


def table(figures: list[KernelSpeed]) -> str:
    """Return the figures as a table."""
    rows = [
        (
            f"{figure.game} {figure.size}",
            figure.implementation,
            f"{figure.playouts_per_second:,.0f}",
            f"{figure.nanoseconds_per_drop:,.1f}",
            short(figure.ratio_to_c),
            " to ".join(filter(None, map(short, (figure.lower_quartile, figure.upper_quartile)))),
        )
        for figure in figures
    ]
    compiled = f"C by {' '.join(FLAGS)}"
    conditions = f"time of one thread; medians of {ROUNDS} slices in turns; {compiled}"
    notes = [f"{conditions}; in Ayu a drop is a move"]
    notes += [
        f"{figure.implementation}: {figure.ratio_to_ai_ai:,.2f} times Ai Ai's published figure of "
        f"{AI_AI:,} Yodd base-8 games a second"
        for figure in figures
        if figure.ratio_to_ai_ai is not None
    ]
    text = tabulate(rows, HEADERS, disable_numparse=True, colalign=("left", "left", *["right"] * 4))
    return "\n".join([text, "", *notes])


def short(ratio: float | None) -> str:
    """Return a ratio with three digits, or nothing."""
    return "" if ratio is None else f"{ratio:.3g}"
