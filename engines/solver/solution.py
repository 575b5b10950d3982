"""What a solver is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oddly.games.colour import Colour
    from oddly.games.turns import Turn


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
