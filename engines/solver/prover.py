"""One search after another on the same arrays: loading, slices of nodes, limits."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from oddly.engines.kernels.ayu_kernel import unit_counts
from oddly.engines.kernels.interface import action_count, action_of, load, new_state
from oddly.engines.solver.plain_solver import ProofLimits, UnfinishedError
from oddly.engines.solver.plan import CAN_REPEAT, MAX_SYMMETRIC_ACTIONS, Lanes, codes_of, make_plan
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
from oddly.engines.solver.table import new_stack, new_table
from oddly.games import EMPTY, AyuPosition, Colour

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np

    from oddly.games import Action, DropPosition, Game

DEFAULT_ENTRIES = 1 << 20
SHORTEST_SLICE = 64
SLICE_SECONDS = 0.004
"""How often the limits are looked at, give or take a factor of two."""

DEPTH_OF_AYU = 600
"""How long Ayu's lines can get is not known; a search that gets here gives up."""


class Prover:
    """Says whether one side can force a win. Games are without the pie rule here."""

    def __init__(self, game: Game, entries: int, lanes: Lanes | None = None) -> None:
        self.game = game
        self._lanes = _lanes(game) if lanes is None else lanes
        self.plan = make_plan(game, self._lanes)
        self.frames = new_frames(0, 0, 0)
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

    @property
    def can_draw(self) -> bool:
        """Whether the game knows draws."""
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
        self.action = None if number == NO_ACTION else action_of(self.game, number)
        return bool(result == WINS)

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
        past = _past(position)
        if past != self._past:
            # What has been proved holds for one past only.
            self.table.fill(0)
            self._past = past
        # Under a symmetry the past would be another one.
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
    """As many views as make a search faster."""
    return Lanes.ALL if action_count(game) <= MAX_SYMMETRIC_ACTIONS else Lanes.COLOURS


def _past(position: DropPosition) -> frozenset[Hashable]:
    """Return the keys of the earlier positions that can still be repeated (Ayu).

    Units join and never split, so that only those with as many units as now can.
    """
    start = position.start
    if not isinstance(start, AyuPosition):
        return frozenset()
    now = sum(start.group_counts)
    earlier: Any = start.earlier
    return frozenset(key for key in earlier if sum(unit_counts(start.game.board, key[0])) == now)
