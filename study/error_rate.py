"""How often an engine throws away a proven win, board by board."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.study.estimates import share

if TYPE_CHECKING:
    from oddly.engines.benchmark.decided_positions import DecidedPosition
    from oddly.study.estimates import Estimate


@dataclass(frozen=True, slots=True)
class ThrownWin:
    """A win that was thrown away: where, and by which turn or fault."""

    decided: DecidedPosition
    answer: str


@dataclass
class ErrorRate:
    """What an engine did with the positions of one board."""

    board: str
    positions: int = 0
    thrown: list[ThrownWin] = field(default_factory=list)
    faults: int = 0
    """Answers that were not a turn or came too late; each threw a win away."""
    unproved: int = 0
    """Answers that the solver could not judge; they do not count."""

    def count(self, decided: DecidedPosition, answer: str, *, is_kept: bool | None) -> None:
        """Count an answer; `is_kept` says whether the win is kept, None if unknown."""
        if is_kept is None:
            self.unproved += 1
            return
        self.positions += 1
        if not is_kept:
            self.thrown.append(ThrownWin(decided, answer))

    def count_fault(self, decided: DecidedPosition, reason: str) -> None:
        """Count a fault of the engine."""
        self.faults += 1
        self.count(decided, reason, is_kept=False)

    @property
    def rate(self) -> Estimate | None:
        """The share of wins thrown away, with Wilson's interval; None without positions."""
        return share(len(self.thrown), self.positions)


def total(rates: list[ErrorRate]) -> ErrorRate:
    """Return the sum over all boards."""
    thrown = [win for rate in rates for win in rate.thrown]
    return ErrorRate(
        "all",
        sum(rate.positions for rate in rates),
        thrown,
        sum(rate.faults for rate in rates),
        sum(rate.unproved for rate in rates),
    )
