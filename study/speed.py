"""The speed of playouts and searches on this machine, in one thread."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from engines.benchmark.measuring import fitting, kernel_contender
from games.drop_level import DropPosition
from games.odd import Odd
from study.document import Column, StudyTable
from study.estimates import Estimate, bootstrap, mean, transformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from games.game import Game
    from study.searching import Evaluator

SLICES = 20
REFERENCE = Odd()
"""The game with the fastest playouts, which others are compared with."""


def playout_rates(game: Game, seconds: float) -> list[float]:
    """Return the playouts a second in each of SLICES slices, which take `seconds` together."""
    play = kernel_contender(game)
    count = fitting(play, seconds / SLICES)
    return [play(count, number).rate for number in range(1, SLICES + 1)]


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

    `length` is the mean length of a random game in actions.
    """
    rate = mean(playouts)
    actions = transformed(rate, lambda games: games * length.value) if length else None
    rows = [
        ("random games", rate, actions),
        *((f"simulations of {name}", mean(rates), None) for name, rates in searches.items()),
        (f"random games of {REFERENCE}", mean(reference), None),
        ("so many times as many", _ratio(reference, playouts), None),
    ]
    columns = (Column(""), Column("a second", digits=0), Column("actions a second", digits=0))
    note = (
        f"In {SLICES} slices, in one thread, of whatever else the machine did at the time. The "
        f"last two lines compare with the fastest of our games."
    )
    return StudyTable("speed", "Playouts a second", columns, rows, note)


def _ratio(above: Sequence[float], below: Sequence[float]) -> Estimate | None:
    pairs = list(zip(above, below, strict=True))
    return bootstrap(pairs, lambda some: sum(a for a, _ in some) / sum(b for _, b in some))
