"""`oddly bench`: how fast the kernels are on this machine, and how often an engine errs.

An engine errs when it throws away a win that the solver proves.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import trio
from tabulate import tabulate

from oddly.engines import HAS_NUMBA, has_kernel, prepare, solver_of
from oddly.engines.benchmark.decided_positions import (
    BOARDS,
    DecidedPosition,
    decided_positions,
    keeps_the_win,
    read_lines,
)
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
from oddly.engines.kernels.machine_code import KERNEL_MODULES, tell_of_plain_rules
from oddly.game_records.line_formats import numbered_lines
from oddly.games import Game, create_game
from oddly.games.wording import counted
from oddly.interfaces.command_line.check_command import cancel_at_signal, command_from
from oddly.interfaces.command_line.command import POSITIVE, SECONDS, WHOLE_NUMBER, OneOf, command
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import WrittenFile, argument, flag, option, options
from oddly.interfaces.command_line.errors import BadInputError, ExitCode, refusing, say
from oddly.interfaces.text.progress import MeasuringProgress
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, EngineFault, EngineSeat, Limits, Termination
from oddly.safe_files import new_file, try_to_write
from oddly.study.estimates import ErrorRate, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


STRONGEST = "oddly engine rave"
HEADERS = (
    "game",
    "implementation",
    "playouts/s",
    "ns per drop",
    "ratio to C",
    "middle half",
)


@options("Errors")
class ErrorsOptions:
    """The engine's clock, and the positions it is asked about."""

    time: str = option("SPEC", "the engine's clock", default="1")
    count: int = option("N", "positions on each board", kind=POSITIVE, default=100)
    seed: int = option(
        "N", "the seed of the positions and the engine", kind=WHOLE_NUMBER, default=0
    )
    positions: Path | None = option(
        "FILE",
        "read the positions from this file; write them to it if it is new",
        kind=WrittenFile("positions go"),
    )


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
        asked = STRONGEST if engine is None else engine
        return measure_errors(asked, named, errors, as_json=as_json)
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
        print(kernel_table(figures))
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


def kernel_table(figures: list[KernelSpeed]) -> str:
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


PATIENT = Limits(handshake=600.0, setting_up=600.0, margin=5.0)
"""Delays of a busy machine must not count as errors."""
ERROR_HEADERS = ("board", "positions", "thrown away", "share", "95 %")


def measure_errors(
    command: str, game: Game | None, options: ErrorsOptions, *, as_json: bool
) -> int:
    """Measure the errors of an engine and print; return the exit code. Raises BadInputError."""
    engine = EngineConfiguration(
        command, command_from(command, "bench"), parse_time_control(options.time)
    )
    games = [game] if game is not None else [create_game(*board) for board in BOARDS]
    positions = found_positions(games, options)
    rates = {game: ErrorRate(str(game)) for game in positions}
    failed: list[EngineFault] = []
    is_done = False
    try:
        is_done = trio.run(measured_until_signal, engine, positions, rates, options.seed, failed)
    except* KeyboardInterrupt:
        pass
    results = [rate for rate in rates.values() if rate.positions or is_done]
    print(
        json.dumps(error_facts(results, command, options), indent=2)
        if as_json
        else error_table(results)
    )
    if failed:
        say(f"bench: {command}: {failed[0].reason}")
        return ExitCode.NO_START
    if not is_done:
        return ExitCode.INTERRUPTED
    return ExitCode.FORFEITS if any(rate.faults for rate in results) else ExitCode.DONE


def found_positions(
    games: Sequence[Game], options: ErrorsOptions
) -> dict[Game, list[DecidedPosition]]:
    """Return the positions of the file; if it does not exist, make new ones and write them to it.

    Raises BadInputError if it cannot be read or written, or has none of these games.
    """
    if options.positions is not None and options.positions.exists():
        return read_positions(options.positions, games)
    if options.positions is not None:
        with refusing(OSError, where=f"bench: {options.positions}"):
            try_to_write(options.positions)
    found = {}
    with MeasuringProgress() as progress:
        for game in games:
            step = progress.begin(f"{game}: {options.count} positions", options.count)
            found[game] = list(
                stepped(islice(decided_positions(game, options.seed), options.count), step)
            )
    if options.positions is not None:
        # Somebody may have made a file of that name while the positions were found.
        with (
            refusing(OSError, where=f"bench: {options.positions}"),
            new_file(options.positions) as file,
        ):
            file.writelines(f"{each.line()}\n" for each in chain.from_iterable(found.values()))
    return found


def stepped(
    items: Iterator[DecidedPosition], step: Callable[[], None]
) -> Iterator[DecidedPosition]:
    """Yield the items, and call `step` after each."""
    for item in items:
        yield item
        step()


def read_positions(path: Path, games: Sequence[Game]) -> dict[Game, list[DecidedPosition]]:
    """Return those positions of a file that belong to these games. Raises BadInputError."""
    found: dict[Game, list[DecidedPosition]] = {game: [] for game in games}
    others: set[str] = set()
    with (
        refusing(OSError, where=f"bench: {path}"),
        refusing(ValueError, where=f"bench: {path}: not a file of positions"),
        path.open("rb") as stream,
    ):
        for decided in read_lines(line for _, line in numbered_lines(stream)):
            if (of_game := found.get(decided.position.game)) is not None:
                of_game.append(decided)
            else:
                others.add(str(decided.position.game))
    if not any(found.values()):
        lacking = ", ".join(map(str, games))
        others_too = f": it has {', '.join(sorted(others))}" if others else ""
        raise BadInputError(f"bench: {path}: no position of {lacking}{others_too}")
    return found


async def measured_until_signal(
    engine: EngineConfiguration,
    positions: dict[Game, list[DecidedPosition]],
    rates: dict[Game, ErrorRate],
    seed: int,
    failed: list[EngineFault],
) -> bool:
    """Ask the engine about every position; return whether all were asked before a signal."""
    async with trio.open_nursery() as nursery:
        await nursery.start(cancel_at_signal, nursery.cancel_scope)
        seat = EngineSeat(engine, nursery, seed=seed, limits=PATIENT)
        is_done = False
        try:
            await seat.start()
            with MeasuringProgress() as progress:
                for game, found in positions.items():
                    step = progress.begin(f"{game}: {len(found)} answers", len(found))
                    await count_answers(seat, game, found, rates[game], step)
            is_done = True
        except EngineFault as fault:
            failed.append(fault)
        finally:
            await seat.stop()
        nursery.cancel_scope.cancel()
    return is_done


async def count_answers(
    seat: EngineSeat,
    game: Game,
    found: Sequence[DecidedPosition],
    rate: ErrorRate,
    step: Callable[[], None],
) -> None:
    """Count what the engine answers in each position. Raises EngineFault if it cannot start."""
    prepare(game)
    solver = solver_of(game)
    for decided in found:
        position, played = game.start(), []
        for turn in decided.turns:
            played.append((position.to_move, turn))
            position = position.play(turn)
        try:
            answer, _ = await seat.choose(position, played)
        except EngineFault as fault:
            if fault.termination is Termination.VOID:
                raise
            rate.count_fault(decided, fault.reason)
        else:
            rate.count(decided, str(answer), is_kept=keeps_the_win(decided, answer, solver))
        step()


def error_facts(rates: list[ErrorRate], command: str, options: ErrorsOptions) -> dict[str, Any]:
    """Return all that was measured, as plain values for JSON."""
    return {
        "engine": command,
        "time": options.time,
        "seed": options.seed,
        "boards": [
            {
                "board": rate.board,
                "positions": rate.positions,
                "thrown": len(rate.thrown),
                "faults": rate.faults,
                "unproved": rate.unproved,
                "share": rate.rate and rate.rate.value,
                "low": rate.rate and rate.rate.low,
                "high": rate.rate and rate.rate.high,
                "thrown_away": [
                    {**json.loads(win.decided.line()), "answer": win.answer} for win in rate.thrown
                ],
            }
            for rate in [*rates, total(rates)]
        ],
    }


def error_table(rates: list[ErrorRate]) -> str:
    """Return the figures as a table, and the wins that were thrown away."""
    rows = [
        (rate.board, rate.positions, len(rate.thrown), *interval(rate))
        for rate in [*rates, total(rates)]
    ]
    lines = [tabulate(rows, ERROR_HEADERS, disable_numparse=True)]
    lines += [
        f"\n{rate.board}: {win.answer} throws the win away after "
        f"{' '.join(map(str, win.decided.turns))}"
        for rate in rates
        for win in rate.thrown
    ]
    unproved = sum(rate.unproved for rate in rates)
    if unproved:
        why = "the solver proves neither that they keep a win nor that they throw one away"
        lines.append(f"\n{counted(unproved, 'answer')} not counted: {why}")
    return "\n".join(lines)


def interval(rate: ErrorRate) -> tuple[str, str]:
    """Return the share of wins thrown away and its error bar."""
    found = rate.rate
    if found is None or found.low is None or found.high is None:
        return "", ""
    return f"{found.value:.1%}", f"{found.low:.1%} to {found.high:.1%}"
