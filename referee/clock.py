"""A player's clock: pure arithmetic on measured seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.protocol.time_control import TimeKind

if TYPE_CHECKING:
    from oddly.protocol.time_control import TimeControl

HARD_CAP = 600.0
"""Seconds a turn may take without a clock."""


class Clock:
    """The time one player has left. All times are in seconds.

    `main` runs first. Japanese byo-yomi then gives `periods` of fixed length, each lost only when
    it is used up; Canadian gives a block of time for a number of turns, and a new block when they
    are played.
    """

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.main = HARD_CAP if control.kind is TimeKind.NONE else control.main_seconds
        self.periods = control.periods
        self.block = control.period_seconds if control.kind is TimeKind.CANADIAN else 0.0
        self.block_turns = control.turns
        self._runs_down = control.kind not in (TimeKind.NONE, TimeKind.FIXED)

    def allowance(self) -> float:
        """Return the longest that the next turn may take."""
        return self.main + self.block + self.periods * self.control.period_seconds

    def spend(self, seconds: float) -> None:
        """Take a turn's time off the clock. Raises ValueError if it exceeds the allowance."""
        if seconds > self.allowance():
            raise ValueError(f"{seconds:.3f} s of {self.allowance():.3f} s")
        if not self._runs_down:
            return
        match self.control.kind:
            case TimeKind.FISCHER:
                self.main = max(0.0, self.main - seconds) + self.control.increment_seconds
            case TimeKind.CANADIAN:
                self._spend_canadian(seconds)
            case TimeKind.JAPANESE:
                self._spend_japanese(seconds)

    def left(self) -> tuple[float, int]:
        """Return what `time_left` says: seconds, and turns or periods left (0 in main time)."""
        if self.main > 0 or self.control.kind is TimeKind.FISCHER:
            return self.allowance(), 0
        if self.control.kind is TimeKind.CANADIAN:
            return self.block, self.block_turns
        return self.control.period_seconds, self.periods

    def _spend_canadian(self, seconds: float) -> None:
        over = max(0.0, seconds - self.main)
        in_main = self.main > seconds
        self.main = max(0.0, self.main - seconds)
        if in_main:
            return
        self.block = max(0.0, self.block - over)
        self.block_turns -= 1
        if self.block_turns == 0:
            self.block = self.control.period_seconds
            self.block_turns = self.control.turns

    def _spend_japanese(self, seconds: float) -> None:
        over = max(0.0, seconds - self.main)
        self.main = max(0.0, self.main - seconds)
        used_up = int(over / self.control.period_seconds)
        self.periods = max(1, self.periods - used_up)
