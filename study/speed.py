"""The speed of playouts and searches on this machine, and the size of a game's rules."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING

from oddly.engines.benchmark.kernel_speed import fitting, kernel_contender
from oddly.games import GAMES, DropPosition, Odd
from oddly.study.document import Column, StudyTable
from oddly.study.estimates import (
    Estimate,
    block_bootstrap,
    ratio_of_sums,
    transformed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.games import Game
    from oddly.study.evaluator import Evaluator


SLICES = 20
BLOCK = 5
"""Neighbouring slices that are resampled together."""
REFERENCE = Odd()
"""The game with the fastest playouts, which others are compared with."""


def playout_rates(games: Sequence[Game], seconds: float) -> list[list[float]]:
    """Return the playouts a second of each game in each of SLICES slices.

    The slices of a game take `seconds` together. Those of the games take turns, so that whatever
    else the machine does is the same for all.
    """
    contenders = [kernel_contender(game) for game in games]
    counts = [fitting(play, seconds / SLICES) for play in contenders]
    rates: list[list[float]] = [[] for _ in games]
    for number in range(1, SLICES + 1):
        for play, count, found in zip(contenders, counts, rates, strict=True):
            found.append(play(count, number).rate)
    return rates


def search_rates(
    game: Game, evaluator: Evaluator, seconds: float, step: Callable[[], None]
) -> list[float]:
    """Return the simulations a second in each slice; call `step` after each.

    Each slice searches the starting position from an empty tree, which on a tiny board may end with
    a proof before its time is over.
    """
    start = DropPosition(game.start())
    count = 16
    while True:
        began = perf_counter()
        evaluator.for_black(start, 0, count)
        if perf_counter() - began >= seconds / SLICES or evaluator.simulated < count:
            break
        count *= 2
    rates = []
    for number in range(SLICES):
        began = perf_counter()
        evaluator.for_black(start, number, count)
        rates.append(evaluator.simulated / (perf_counter() - began))
        step()
    return rates


def speed_table(
    game: Game,
    playouts: Sequence[float],
    reference: Sequence[float],
    searches: Mapping[str, Sequence[float]],
    length: Estimate | None,
) -> StudyTable:
    """Return playouts, simulations and actions a second.

    `length` is the mean length of a random game in actions; `reference` is empty if the game is the
    one to compare with.
    """
    rate = _rate(playouts)
    actions = transformed(rate, lambda games: games * length.value) if length else None
    rows: list[tuple[str, Estimate | None, Estimate | None]] = [
        ("random games", rate, actions),
        *((f"simulations of {name}", _rate(rates), None) for name, rates in searches.items()),
    ]
    if reference:
        rows += [
            (f"random games of {REFERENCE}", _rate(reference), None),
            ("relative to this game", _ratio(reference, playouts), None),
        ]
    columns = (Column(""), Column("a second", digits=0), Column("actions a second", digits=0))
    note = (
        f"In {SLICES} slices of time, in one thread, beside whatever else the machine ran. "
        f"Neighbouring slices are correlated, so blocks of {BLOCK} are resampled; the intervals "
        "say nothing about other machines or other times."
    )
    if reference:
        note += " The last two lines compare with our fastest game, measured in alternate slices."
    return StudyTable("speed", "Playouts a second", columns, rows, note)


def _ratio(above: Sequence[float], below: Sequence[float]) -> Estimate | None:
    pairs = list(zip(above, below, strict=True))
    return block_bootstrap(pairs, ratio_of_sums, BLOCK)


def _rate(rates: Sequence[float]) -> Estimate:
    return block_bootstrap(rates, fmean, BLOCK)


SMALLEST = Odd.name


def size_table(game: Game) -> StudyTable:
    """Return the size of a game's rules, with all of `games/` that they need, beside Odd's."""
    here, smallest = rules_size(game.name), rules_size(SMALLEST)
    rows: list[tuple[str, float]] = [(f"rules of {game.name.capitalize()}", here)]
    if game.name != SMALLEST:
        rows += [
            (f"rules of {SMALLEST.capitalize()}", smallest),
            ("ratio", round(here / smallest, 2)),
        ]
    note = "The Python source with its docstrings, and everything in games/ that it imports."
    return StudyTable(
        "rules", "Size of the rules", (Column(""), Column("bytes", digits=2)), rows, note
    )


def rules_size(name: str) -> int:
    """Return the bytes of the module of a game and of all modules of `games` that it imports."""
    found: dict[str, int] = {}
    waiting = [GAMES[name].__module__]
    while waiting:
        module = waiting.pop()
        if module not in found:
            source = _source(module)
            found[module] = len(source)
            waiting += _imported(source)
    return sum(found.values())


def _source(module: str) -> bytes:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return b""
    return Path(spec.origin).read_bytes()


def _imported(source: bytes) -> list[str]:
    """Return the modules of `games` that the source imports when it runs, not for types alone."""
    return [
        node.module
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom)
        and node.module
        and node.module.startswith("oddly.games.")
    ]
