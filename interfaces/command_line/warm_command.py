"""`oddly warm`: compile in advance what our engines compile on their first use."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from oddly.engines import ENGINES, HAS_NUMBA, create_engine, has_kernel, new_state
from oddly.engines.kernels.available import KERNEL_MODULES, tell_of_plain_rules
from oddly.engines.kernels.jit import IS_INSTALLED
from oddly.engines.kernels.warm import type_name, without_numba
from oddly.games import Game, GameError, create_game
from oddly.interfaces.command_line.command import OneOf, command
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import option
from oddly.interfaces.command_line.errors import say
from oddly.interfaces.text.progress import waiting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


COMPILED = [name for name, entry in ENGINES.items() if entry.is_compiled]
LARGEST_SIZE = 26
SECONDS_EACH = 12
"""The approximate seconds for one engine and game on an idle machine."""


@command("warm --game odd --size 3 --engine rave")
def run(
    *,
    game: GameOptions,
    engine: tuple[str, ...] = option(
        "NAME",
        "an engine to compile; repeat it for more (default: all of them)",
        kind=OneOf(*COMPILED),
    ),
) -> None:
    """Compile, and print a line for each engine and game."""
    named = game.create_if_named("warm")
    if not HAS_NUMBA:
        disabled = "NUMBA_DISABLE_JIT is set, so there is nothing to compile"
        say(disabled if IS_INSTALLED else without_numba())
        return
    if named and not has_kernel(named):
        tell_of_plain_rules(named)
        return
    kinds = [named] if named else [each() for each in KERNEL_MODULES]
    games = kinds if game.size else [each for kind in kinds for each in one_of_each_type(kind)]
    programs: dict[str, Any] = {name: create_engine(name) for name in engine or COMPILED}
    jobs = [(name, each) for name in programs for each in games]
    say(plan_text(programs, jobs))
    for number, (name, each) in enumerate(jobs, start=1):
        began = perf_counter()
        try:
            with waiting(f"{number} of {len(jobs)}: compiling {name} for {each}"):
                programs[name].compile(each)
        except GameError as error:
            print(f"{name:<6}{each!s:<34}not: {error}", flush=True)
        else:
            print(f"{name:<6}{each!s:<34}{perf_counter() - began:6.1f} s", flush=True)


def plan_text(programs: Mapping[str, Any], jobs: Sequence[tuple[str, Game]]) -> str:
    """Return what will be compiled, and about how long it will take."""
    left = sum(not programs[name].is_compiled(game) for name, game in jobs)
    if not left:
        return f"compiled before, all {len(jobs)}: loading each takes a second"
    return f"{left} of {len(jobs)} to compile, about {left * SECONDS_EACH} seconds on two cores"


def one_of_each_type(game: Game) -> Iterator[Game]:
    """Yield `game`, then the same on the first board of each other type of machine code."""
    seen = set()
    for size in (game.size, *range(LARGEST_SIZE)):
        try:
            sized = create_game(game.name, size, game.settings)
        except GameError:
            continue
        kind = type_name(new_state(sized))
        if kind not in seen:
            seen.add(kind)
            yield sized
