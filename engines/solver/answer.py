"""The reply to the protocol's `solve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.solver.solve import prepare, solve
from games.drop_level import DropPosition

if TYPE_CHECKING:
    from games.game import Position

UNKNOWN = "unknown"


def answer(position: Position, node_limit: int | None) -> str:
    """`B`, `W` or `0` for a draw, with a turn of the side to move that leads there; or `unknown`.

    A side that is lost has no such turn. `position` is not over.
    """
    prepare(position.game)
    solution = solve(DropPosition(position), node_limit)
    if solution is None:
        return UNKNOWN
    winner = "0" if solution.winner is None else solution.winner.letter
    return winner if solution.turn is None else f"{winner} {solution.turn}"
