"""The exact solver at the end of a game, where it is likely to finish in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.solver.plan import Lanes
from engines.solver.solve import Solver, ending_when
from games.colour import EMPTY
from games.drop_level import DropPosition
from games.odd import Odd
from games.xodd import Xodd
from games.yodd import Yodd

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.game import Game
    from games.turns import Turn

NODES_AT_EIGHT: dict[type[Game], int] = {Yodd: 8_000, Xodd: 8_000, Odd: 1_500}
"""Nodes of a proof with eight empty cells: medians over random positions, on larger boards."""

GROWTH: dict[type[Game], float] = {Yodd: 3.5, Xodd: 3.5, Odd: 2.8}
"""How many times as many with one empty cell more."""

NODES_A_SECOND = 500_000
TIME_PART = 0.5
"""The most of a turn's time that an attempt may take; the search has the rest."""

NODES_A_SIMULATION = 4
TABLE_ENTRIES = 1 << 20


class Endgame:
    """Looks for proven wins, and keeps what was proved for the next turn."""

    def __init__(self, game: Game) -> None:
        self.game = game
        # Positions near the end of a game hardly ever have symmetric twins.
        self._solver = Solver(game, TABLE_ENTRIES, Lanes.NONE)

    def rehearse(self) -> None:
        """Call everything once."""
        self._solver.solve(DropPosition(self.game.start()), node_limit=2)

    @property
    def nodes(self) -> int:
        """Positions searched by the last attempt."""
        return self._solver.nodes

    def winning_turn(
        self,
        at: DropPosition,
        seconds: float | None,
        simulations: int,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> Turn | None:
        """Return a turn that wins by force, if a proof is found within a part of the turn's time.

        Without a clock (`seconds` is None) the attempt is as long as a part of `simulations`.
        An attempt that `is_stopped` ends without one.
        """
        progress = ending_when(is_stopped)
        empty = at.start.stones.count(EMPTY) - len(at.drops)
        expected = NODES_AT_EIGHT[type(self.game)] * GROWTH[type(self.game)] ** (empty - 8)
        if seconds is None:
            most = simulations * NODES_A_SIMULATION
            if expected > most:
                return None
            solution = self._solver.solve(at, node_limit=most, progress=progress)
        elif expected <= TIME_PART * seconds * NODES_A_SECOND:
            solution = self._solver.solve(at, seconds=TIME_PART * seconds, progress=progress)
        else:
            solution = None
        if solution is None or solution.winner is not at.start.to_move:
            return None
        return solution.turn
