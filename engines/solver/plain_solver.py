"""A solver by the plain rules, what any solver is asked and answers, and margins near the end.

What is proved of a position holds for its key, unless a repetition had a part in the proof: then
it holds only for the way there, and the table does not keep it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from oddly.games import EMPTY, Drops, Ending, Parity, Swap

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from oddly.games import Colour, DropPosition, Game, Position, Turn


class UnfinishedError(Exception):
    """A limit came before the proof."""


@dataclass(frozen=True, slots=True)
class ProofLimits:
    """When to give up: after a number of nodes, or at a moment (`monotonic`)."""

    nodes: int | None = None
    moment: float | None = None
    progress: Callable[[int], None] | None = None


@dataclass(frozen=True, slots=True)
class Solution:
    """What perfect play leads to."""

    winner: Colour | None
    """The player who wins, named by the colour he has now; None for a draw."""
    turn: Turn | None
    """A whole turn that wins, or draws what cannot be won; None if the mover is lost."""
    nodes: int
    """Positions searched."""
    seconds: float


BYTES_PER_ENTRY = 512
"""What the table takes for a position, about."""
FRAMES = 50_000
"""Python's frames while a line is searched, some three a turn."""

LOSS, DRAW, WIN = -1, 0, 1


class PlainSolver:
    """Solves positions of one game; what one search has proved helps the next.

    `entries` is what the table would hold for a kernel, 16 bytes each.
    """

    def __init__(self, game: Game, entries: int) -> None:
        self.game = game
        self.nodes = 0
        self._room = max(entries * 16 // BYTES_PER_ENTRY, 1)
        self._known: dict[Hashable, int] = {}
        self._limits = ProofLimits()
        self._path: set[Hashable] = set()

    def solve(
        self,
        position: DropPosition,
        node_limit: int | None = None,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Solution | None:
        """Solve `position`, which may lie inside a turn; None if a limit comes first.

        `progress` is called now and then with the number of nodes so far. Raises ValueError if
        the game is over.
        """
        if position.is_over:
            raise ValueError("the game is over")
        began = monotonic()
        self.nodes = 0
        self._limits = ProofLimits(
            node_limit, None if seconds is None else began + seconds, progress
        )
        self._path = set()
        mover = position.start.to_move
        try:
            with _deep_recursion():
                value, turn = self._best(position)
        except (UnfinishedError, RecursionError):
            return None
        winner = {WIN: mover, DRAW: None, LOSS: mover.other}[value]
        return Solution(winner, turn, self.nodes, monotonic() - began)

    def _best(self, at: DropPosition) -> tuple[int, Turn | None]:
        """Return the value for the side to move, and a turn that keeps it or None if it is lost."""
        best, chosen = LOSS, None
        for turn in _turns(at):
            value, _ = self._after(at.start, turn)
            if value > best:
                best, chosen = value, turn
            if best == WIN:
                break
        return best, chosen

    def _after(self, before: Position, turn: Turn) -> tuple[int, bool]:
        """Return what `turn` is worth to its player, and whether that holds for any way here."""
        after = before.play(turn)
        # The player who swaps holds the other colour from then on.
        player = before.to_move.other if isinstance(turn, Swap) else before.to_move
        value, is_certain = self._value(after)
        return (value if after.to_move is player else -value), is_certain

    def _value(self, position: Position) -> tuple[int, bool]:
        """Return the value for the side to move, and whether it holds whatever the way here."""
        self._count()
        if position.result is not None:
            winner = position.result.winner
            value = DRAW if winner is None else WIN if winner is position.to_move else LOSS
            return value, position.result.ending is not Ending.REPETITION
        key = position.key
        if key in self._known:
            return self._known[key], True
        if key in self._path:
            # The rules let it go on for ever: there is no result to be proved.
            raise UnfinishedError
        self._path.add(key)
        best, all_certain, certain = LOSS, True, True
        for turn in position.legal_turns():
            value, is_certain = self._after(position, turn)
            all_certain = all_certain and is_certain
            if value > best:
                best, certain = value, is_certain
            if best == WIN:
                break
        self._path.discard(key)
        is_certain = certain if best == WIN else all_certain
        if is_certain and len(self._known) < self._room:
            self._known[key] = best
        return best, is_certain

    def _count(self) -> None:
        """Count a position. Raises UnfinishedError at a limit."""
        self.nodes += 1
        limits = self._limits
        if limits.nodes is not None and self.nodes > limits.nodes:
            raise UnfinishedError
        if self.nodes % 64 == 0:
            if limits.progress is not None:
                limits.progress(self.nodes)
            if limits.moment is not None and monotonic() >= limits.moment:
                raise UnfinishedError


def _turns(at: DropPosition) -> Iterator[Turn]:
    """Yield the legal turns that begin with the drops made."""
    for turn in at.start.legal_turns():
        if not at.drops or (isinstance(turn, Drops) and set(at.drops) <= set(turn.drops)):
            yield turn


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


MAX_EMPTY = 4
"""With more empty cells the search takes more than about a second."""


def perfect_margin(position: Position) -> tuple[Colour, int] | None:
    """Return the winner and the margin if both sides play for as many groups as they can.

    None for games without a margin, and where more than MAX_EMPTY cells are empty.
    """
    empty = sum(stone == EMPTY for stone in position.stones)
    if position.game.parity is not Parity.ENDS_TURNS or empty > MAX_EMPTY:
        return None
    lead = _lead(position, {})
    side = position.to_move if lead > 0 else position.to_move.other
    return side, abs(lead)


def _lead(position: Position, known: dict[Hashable, int]) -> int:
    """Return by how much the side to move wins; below 0 if it loses."""
    if position.is_over:
        return position.group_counts.lead(position.to_move)
    key = position.key
    if key not in known:
        known[key] = max(-_lead(position.play(turn), known) for turn in position.legal_turns())
    return known[key]
