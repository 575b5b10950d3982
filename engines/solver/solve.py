"""Solving a position: who wins, and a turn that wins, or draws what cannot be won."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

from oddly.engines.kernels.ayu_kernel import unit_counts
from oddly.engines.kernels.batch import new_stack
from oddly.engines.kernels.interface import action_count, load, new_state
from oddly.engines.kernels.jit import warm
from oddly.engines.kernels.machine_code import has_kernel, tell_of_plain_rules
from oddly.engines.solver.search import (
    ACTION,
    ATTACKER,
    NO_ACTION,
    NODES,
    OPEN,
    TOO_DEEP,
    WINS,
    advance,
    new_frames,
)
from oddly.engines.solver.solution import (
    KnownSolver,
    PlainSolver,
    ProofLimits,
    Solution,
    UnfinishedError,
    database_for,
)
from oddly.engines.solver.tables import (
    CAN_REPEAT,
    MAX_SYMMETRIC_ACTIONS,
    Lanes,
    codes_of,
    make_plan,
    new_table,
)
from oddly.games import (
    EMPTY,
    SWAP,
    Action,
    Ayu,
    AyuPosition,
    Colour,
    Drop,
    DropPosition,
    Game,
    Odd,
    Position,
    Turn,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy as np


DEFAULT_ENTRIES = 1 << 20
SHORTEST_SLICE = 64
SLICE_SECONDS = 0.004
"""Seconds between two checks of the limits, give or take a factor of two."""

DEPTH_OF_AYU = 600
"""The longest line of Ayu is not known; a search that gets this deep gives up."""


class Prover:
    """Says whether one side can force a win. Games are without the pie rule here."""

    def __init__(self, game: Game, entries: int, lanes: Lanes | None = None) -> None:
        self.game = game
        self._lanes = _lanes(game) if lanes is None else lanes
        self.plan = make_plan(game, self._lanes)
        self.frames = new_frames(0, 0, 0)
        self.stack: Any
        """The states of the kernel on the line searched, as deep as `frames`."""
        self.state = new_state(game)
        self.table = new_table(entries)
        self.nodes = 0
        self.action: Action | None = None
        """What decided the last proof, if its first mover had the choice."""
        self.promise: np.ndarray | None = None
        """How promising each action looks, for the next proof: shape (actions,), int64."""
        self._limits = ProofLimits()
        self._slice = SHORTEST_SLICE
        self._past: frozenset[Hashable] = frozenset()
        self._root: DropPosition | None = None

    @property
    def can_draw(self) -> bool:
        """Whether the game can be drawn."""
        return bool(self.plan.rules[CAN_REPEAT])

    def begin(self, limits: ProofLimits) -> None:
        """Count nodes from 0 again, up to these limits."""
        self.nodes = 0
        self._limits = limits

    def wins(self, position: DropPosition, attacker: Colour) -> bool:
        """Return whether `attacker` can force a win. Raises UnfinishedError at a limit."""
        self._load(position, attacker)
        before, control = self.nodes, self.frames.control
        arrays = self.plan, self.frames, self.stack, self.state, self.table
        result = OPEN
        while result == OPEN:
            began = monotonic()
            self._check(began)
            nodes = self._slice
            if self._limits.nodes is not None:
                nodes = min(nodes, self._limits.nodes - self.nodes)
            result = advance(*arrays, nodes)
            self.nodes = before + int(control[NODES])
            if result == OPEN and nodes == self._slice:
                self._adapt(monotonic() - began)
        if result == TOO_DEEP:
            raise UnfinishedError
        number = int(control[ACTION])
        self.action = None if number == NO_ACTION else self.game.action_of(number)
        return bool(result == WINS)

    def forget(self) -> None:
        """Forget all that was proved, as a new prover would."""
        self.table.fill(0)
        self.frames.history.fill(0)

    def open_actions(self, position: DropPosition) -> frozenset[int] | None:
        """Return the actions that an unfinished proof for the mover of `position` has left open.

        All others were found to fail. None if the last proof was of another one, or says nothing.
        """
        frames = self.frames
        if self._root is not position or self.can_draw or frames.control[NODES] == 0:
            return None
        # The one tried last is still open, and so are those after it.
        first = max(int(frames.tried[0]) - 1, 0)
        return frozenset(frames.actions[0, first : int(frames.listed[0])].tolist())

    def _check(self, now: float) -> None:
        """Report progress. Raises UnfinishedError at a limit."""
        limits = self._limits
        if limits.progress is not None:
            limits.progress(self.nodes)
        if limits.nodes is not None and self.nodes >= limits.nodes:
            raise UnfinishedError
        if limits.moment is not None and now >= limits.moment:
            raise UnfinishedError

    def _adapt(self, seconds: float) -> None:
        """Choose the length of the next slice after one that took `seconds`."""
        if seconds < SLICE_SECONDS / 2:
            self._slice *= 2
        elif seconds > SLICE_SECONDS * 2:
            self._slice = max(SHORTEST_SLICE, self._slice // 2)

    def _load(self, position: DropPosition, attacker: Colour) -> None:
        """Put `position` at the root."""
        self._root = position
        past = _past(position)
        if past != self._past:
            # What has been proved holds for one past only.
            self.table.fill(0)
            self._past = past
        # Under a symmetry the past would differ.
        use = Lanes.NONE if past else self._lanes
        self.plan = make_plan(self.game, use)
        self._make_room(position)
        frames = self.frames
        if self.promise is not None:
            # What an action promises counts like nodes that it decided.
            frames.history[:] = self.promise
            self.promise = None
        frames.control[:] = 0
        frames.control[ATTACKER] = attacker - Colour.BLACK
        stones = list(position.start.stones)
        for drop in position.drops:
            stones[self.game.board.index[drop.vertex]] = drop.colour
        frames.codes[0] = codes_of(self.game, use, stones)
        frames.side[0] = position.start.to_move - Colour.BLACK
        frames.drops[0] = len(position.drops)
        frames.passes[0] = position.start.status.passes
        load(self.state, position)

    def _make_room(self, position: DropPosition) -> None:
        """Make the stack deep enough for the longest line from `position`."""
        # Every drop may be followed by an end, and a turn that drops by a pass.
        drops = list(position.start.stones).count(EMPTY)
        depth = DEPTH_OF_AYU if self.can_draw else 3 * drops + 8
        lanes = self.plan.change.shape[2]
        if self.frames.codes.shape[1] != lanes or len(self.frames.side) < depth:
            self.frames = new_frames(depth, action_count(self.game), lanes)
            self.stack = new_stack(self.game, depth)


def _lanes(game: Game) -> Lanes:
    """Return as many views as make a search faster."""
    return Lanes.ALL if action_count(game) <= MAX_SYMMETRIC_ACTIONS else Lanes.COLOURS


def _past(position: DropPosition) -> frozenset[Hashable]:
    """Return the keys of the earlier positions that can still be repeated (Ayu).

    Units join and never split, so only those with as many units as now can.
    """
    start = position.start
    if not isinstance(start, AyuPosition):
        return frozenset()
    now = sum(start.group_counts)
    earlier: Any = start.earlier
    return frozenset(key for key in earlier if sum(unit_counts(start.game.board, key[0])) == now)


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
        """Return Black's result, at best a draw: the second player takes the better side."""
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
            action = cast("Action", self.prover.action)
            if not isinstance(action, Drop) or not (after := position.act(action)).drops:
                return position.turn_with(action)
            position = after
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

    The limits are a number of positions and seconds. Raises ValueError if the game is over, or for
    a limit that is not above 0.

    >>> import oddly
    >>> position = oddly.create_game("yodd", 2).start()
    >>> solution = oddly.solve(position)
    >>> print(solution.winner, oddly.solve(position.play(solution.turn)).winner)
    black black
    """
    for name, limit in (("node_limit", node_limit), ("seconds", seconds)):
        if limit is not None and not limit > 0:
            raise ValueError(f"{name} must be above 0, not {limit!r}")
    at = position if isinstance(position, DropPosition) else DropPosition(position)
    return solver_of(at.start.game).solve(at, node_limit, seconds)


def solver_of(game: Game, entries: int = DEFAULT_ENTRIES) -> Solver | PlainSolver | KnownSolver:
    """Return what solves positions of a game: its board's database, its kernel or its plain rules.

    Where there is a database, and for Odd, a solver by search is made only when it is needed.
    Raises MemoryError if there is no room for the entries of the solver's table.
    """
    if database_for(game) is not None or (type(game) is Odd and has_kernel(game)):
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

    A turn that achieves it follows, unless the side to move is lost. A search that `is_stopped`
    ends at once as `unknown`. Raises ValueError if the game is over.
    """
    prepare(position.game)
    progress = ending_when(is_stopped)
    solver = solver_of(position.game)
    solution = solver.solve(DropPosition(position), node_limit, progress=progress)
    if solution is None:
        return UNKNOWN
    winner = "0" if solution.winner is None else solution.winner.letter
    return winner if solution.turn is None else f"{winner} {solution.turn}"


def _without_pie(position: AyuPosition) -> AyuPosition:
    """Return a position as if the pie rule were off."""
    return replace(position, game=Ayu(position.game.size), turns=2)
