"""Solving a position: who wins, and a turn that keeps what can be kept."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, cast

from oddly.engines.kernels.available import has_kernel, tell_of_plain_rules
from oddly.engines.kernels.interface import new_state
from oddly.engines.kernels.warm import warm
from oddly.engines.solver.known_values import KnownSolver, database_for
from oddly.engines.solver.plain_solver import PlainSolver, ProofLimits, Solution, UnfinishedError
from oddly.engines.solver.prover import DEFAULT_ENTRIES, Prover
from oddly.games import SWAP, Ayu, AyuPosition, Colour, Drop, DropPosition, Drops, End

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from oddly.engines.solver.plan import Lanes
    from oddly.games import Game, Position, Turn


UNKNOWN = "unknown"
"""The reply to `solve` where a limit came before the proof."""


class Solver:
    """Solves positions of one game; what one search has proved helps the next.

    `entries` of the transposition table take 16 bytes each. `lanes`: which symmetries it uses; None
    for as many as pay when a search begins with an empty board.
    """

    def __init__(
        self, game: Game, entries: int = DEFAULT_ENTRIES, lanes: Lanes | None = None
    ) -> None:
        self.prover = Prover(Ayu(game.size) if isinstance(game, Ayu) else game, entries, lanes)

    @property
    def nodes(self) -> int:
        """Positions searched since the last `solve` began."""
        return self.prover.nodes

    def solve(
        self,
        position: DropPosition,
        node_limit: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
        promise: np.ndarray | None = None,
    ) -> Solution | None:
        """Solve `position`, which may lie inside a turn; None if a limit comes first.

        `progress` is called a few times a second with the number of nodes so far. `promise` says
        how promising each action looks, shape (actions,), int64: the greatest is tried first.
        Raises ValueError if the game is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        began = monotonic()
        self.prover.promise = promise
        self.prover.begin(
            ProofLimits(node_limit, None if seconds is None else began + seconds, progress)
        )
        try:
            winner, turn = self._value(position)
        except UnfinishedError:
            return None
        return Solution(winner, turn, self.nodes, monotonic() - began)

    def _value(self, position: DropPosition) -> tuple[Colour | None, Turn | None]:
        start = position.start
        if not (isinstance(start, AyuPosition) and start.game.pie and start.turns < 2):
            return self._value_without_pie(position)
        if start.turns == 0:
            return self._value_before_swap(start)
        winner, turn = self._value_without_pie(DropPosition(_without_pie(start)))
        if winner is start.to_move.other:
            return start.to_move, SWAP
        return winner, turn

    def _value_before_swap(self, start: AyuPosition) -> tuple[Colour | None, Turn | None]:
        """With the pie rule the second player takes the better side: a draw is Black's best."""
        for turn in start.legal_turns():
            after = DropPosition(_without_pie(start.play(turn)))
            if after.is_over or self._value_without_pie(after)[0] is None:
                return None, turn
        return start.to_move.other, None

    def _value_without_pie(self, position: DropPosition) -> tuple[Colour | None, Turn | None]:
        mover = position.start.to_move
        if self.prover.wins(position, mover):
            return mover, self._turn(position, mover)
        if not self.prover.can_draw or self.prover.wins(position, mover.other):
            return mover.other, None
        return None, self._turn(position, mover.other)

    def _turn(self, position: DropPosition, attacker: Colour) -> Turn:
        """Return the turn that the last proof rests on; after a first drop, prove what follows."""
        while True:
            action = self.prover.action
            drops = position.drops
            if isinstance(action, End):
                return Drops(drops)
            if not isinstance(action, Drop):
                return cast("Turn", action)
            position = position.act(action)
            if not position.drops:
                return Drops((*drops, action))
            self.prover.wins(position, attacker)


def prepare(game: Game) -> None:
    """Compile the search for `game`, and say so the first time on a machine.

    A game that has no kernel needs nothing, which is announced too.
    """
    if not has_kernel(game):
        tell_of_plain_rules(game)
        return
    state = new_state(game)
    warm("solve", state, lambda: Solver(game, 1).solve(DropPosition(game.start()), node_limit=2))


def ending_when(is_stopped: Callable[[], bool]) -> Callable[[int], None]:
    """Return a `progress` for a solver that ends its search once `is_stopped` says so."""

    def progress(nodes: int) -> None:
        if is_stopped():
            raise UnfinishedError

    return progress


def solve(
    position: Position | DropPosition,
    node_limit: int | None = None,
    seconds: float | None = None,
) -> Solution | None:
    """Return who wins `position`, and by which turn; None if a limit comes first.

    The limits are a number of positions and seconds. Raises ValueError if the game is over.

    >>> import oddly
    >>> solution = oddly.solve(oddly.create_game("xodd", 2).start())
    >>> print(solution.winner, solution.turn)
    black ?
    """
    at = position if isinstance(position, DropPosition) else DropPosition(position)
    return solver_of(at.start.game).solve(at, node_limit, seconds)


def solver_of(game: Game, entries: int = DEFAULT_ENTRIES) -> Solver | PlainSolver | KnownSolver:
    """Return what solves positions of a game: its board's database, its kernel or its plain rules.

    Where there is a database, the solver is made for what that does not have. Raises MemoryError if
    there is no room for the entries of the solver's table.
    """
    if database_for(game) is not None:
        return KnownSolver(lambda: _searching_solver(game, entries))
    return _searching_solver(game, entries)


def _searching_solver(game: Game, entries: int) -> Solver | PlainSolver:
    return Solver(game, entries) if has_kernel(game) else PlainSolver(game, entries)


def answer(
    position: Position,
    node_limit: int | None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> str:
    """Return the reply to the protocol's `solve`: `B`, `W`, `0` for a draw, or `unknown`.

    A turn of the side to move that leads there follows it; a side that is lost has none. A search
    that `is_stopped` ends at once as `unknown`. Raises ValueError if the game is over.
    """
    prepare(position.game)
    progress = ending_when(is_stopped)
    solver = solver_of(position.game)
    solution = solver.solve(DropPosition(position), node_limit, progress=progress)
    if solution is None:
        return UNKNOWN
    winner = "0" if solution.winner is None else solution.winner.letter
    return winner if solution.turn is None else f"{winner} {solution.turn}"


def _without_pie(position: Position) -> AyuPosition:
    """`position` of Ayu as if the pie rule were off."""
    if not isinstance(position, AyuPosition):
        raise TypeError("only Ayu has a pie rule")
    return replace(position, game=Ayu(position.game.size), turns=2)
