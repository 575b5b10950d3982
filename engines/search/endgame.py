"""The exact solver at the end of a game, where it is likely to finish in time."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.solver.solve import Solver, ending_when
from oddly.engines.solver.tables import Lanes
from oddly.games import EMPTY, Ayu, DropPosition, Game, Odd, Turn, Xodd, Yodd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np


class ProofSize(NamedTuple):
    """Positions of a proof with eight empty cells, and the factor for one more.

    Medians over random positions, on larger boards; in Ayu with eight units of both players on 7x7,
    in positions from play, and for one unit more.
    """

    nodes: int
    growth: float


PROOF_SIZES: dict[type[Game], ProofSize] = {
    Yodd: ProofSize(8_000, 3.5),
    Xodd: ProofSize(8_000, 3.5),
    Odd: ProofSize(1_500, 2.8),
    Ayu: ProofSize(5_000, 2.5),
}
"""Where nothing is known of the actions."""

PROOF_SIZES_IN_ORDER: dict[type[Game], ProofSize] = {
    Yodd: ProofSize(1_400, 3.0),
    Xodd: ProofSize(700, 2.7),
    Odd: ProofSize(600, 2.7),
    Ayu: ProofSize(5_000, 2.5),
}
"""Where a search of a thousand simulations says which actions to try first."""

POINTS_OF_AYU = 49
"""On larger boards the nodes of a proof grow with the square of the number of points."""

NODES_A_SECOND = 500_000 if HAS_NUMBA else 3_000
"""About what the solver does on one core."""

ORDER_PART = 0.2
"""The most of an attempt's time for finding which actions to try first."""

TABLE_ENTRIES = 1 << 20


class Endgame:
    """Looks for proven wins, and keeps what was proved for the next turn."""

    def __init__(self, game: Game) -> None:
        self.game = game
        # Positions near the end of a game hardly ever have symmetric twins.
        self._solver = Solver(game, TABLE_ENTRIES, Lanes.NONE)
        self.still_open: frozenset[int] | None = None
        """The actions that the last attempt did not prove to lose; None if that tells nothing."""

    def rehearse(self) -> None:
        """Call everything once."""
        self._solver.solve(DropPosition(self.game.start()), node_limit=2)

    def forget(self) -> None:
        """Begin again, so that later proofs do not depend on earlier ones."""
        self._solver.prover.forget()

    @property
    def nodes(self) -> int:
        """Positions searched by the last attempt."""
        return self._solver.nodes

    def winning_turn(
        self,
        at: DropPosition,
        seconds: float | None,
        nodes: int,
        is_stopped: Callable[[], bool] = lambda: False,
        promise: Callable[[float], np.ndarray] | None = None,
    ) -> Turn | None:
        """Return a turn that wins by force, if a proof is found within `seconds`.

        `promise` says which actions to try first (`Solver.solve`), within the seconds it is given;
        it is called only if an attempt is made. Without a clock (`seconds` is None) the attempt
        searches `nodes` positions at most, so that it can be repeated. An attempt that `is_stopped`
        ends without a turn.
        """
        self.still_open = None
        began, progress = monotonic(), ending_when(is_stopped)
        sizes = PROOF_SIZES if promise is None else PROOF_SIZES_IN_ORDER
        if expected_nodes(at, sizes) > (nodes if seconds is None else seconds * NODES_A_SECOND):
            return None
        order = None
        if promise is not None:
            order = promise(inf if seconds is None else ORDER_PART * seconds)
        if seconds is not None:
            left = max(seconds - (monotonic() - began), 0.0)
            solution = self._solver.solve(at, seconds=left, progress=progress, promise=order)
        else:
            solution = self._solver.solve(at, node_limit=nodes, progress=progress, promise=order)
            if solution is None:
                self.still_open = self._solver.prover.open_actions(at)
        if solution is None or solution.winner is not at.start.to_move:
            return None
        return solution.turn


def expected_nodes(at: DropPosition, sizes: Mapping[type[Game], ProofSize] = PROOF_SIZES) -> float:
    """Return about how many nodes it takes to prove who wins."""
    game, stones = at.start.game, at.start.stones
    nodes, growth = sizes[type(game)]
    if isinstance(game, Ayu):
        left = sum(at.start.group_counts)
        return nodes * (len(game.board) / POINTS_OF_AYU) ** 2 * growth ** (left - 8)
    return nodes * growth ** (stones.count(EMPTY) - len(at.drops) - 8)
