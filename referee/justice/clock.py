"""A player's clock: how long it may think, and what a turn leaves of its time."""

from __future__ import annotations

from oddly.protocol import TimeControl, TimeKind

HARD_CAP = 600.0
"""Seconds a turn may take without a clock."""


class Clock:
    """The time one player has left. All times are in seconds.

    `main` runs first. Japanese byo-yomi then gives `periods` of fixed length, each but the last one
    lost when it is used up; Canadian gives a block of time for a number of turns, and a new block
    when they are played.
    """

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.main = HARD_CAP if control.kind is TimeKind.NONE else control.main_seconds
        self.periods = control.periods
        self.block = control.period_seconds if control.kind is TimeKind.CANADIAN else 0.0
        self.block_turns = control.turns

    def allowance(self) -> float:
        """Return the longest that the next turn may take."""
        return self.main + self.block + self.periods * self.control.period_seconds

    def spend(self, seconds: float) -> None:
        """Take a turn's time off the clock. Raises ValueError if it exceeds the allowance."""
        if seconds > self.allowance():
            raise ValueError(f"{seconds:.3f} s of {self.allowance():.3f} s")
        match self.control.kind:
            case TimeKind.FISCHER:
                self.main = max(0.0, self.main - seconds) + self.control.increment_seconds
            case TimeKind.CANADIAN:
                self._spend_canadian(seconds)
            case TimeKind.JAPANESE:
                self._spend_japanese(seconds)

    def left(self, used: float = 0.0) -> tuple[float, int]:
        """Return what `time_left` says after `used` seconds of the present turn.

        That is the seconds, and the turns or periods left (0 in main time).
        """
        over = used - self.main
        if over < 0 or self.control.kind not in (TimeKind.CANADIAN, TimeKind.JAPANESE):
            return max(0.0, self.allowance() - used), 0
        if self.control.kind is TimeKind.CANADIAN:
            return max(0.0, self.block - over), self.block_turns
        used_up, rest = divmod(over, self.control.period_seconds)
        if used_up >= self.periods:
            return 0.0, 1
        return self.control.period_seconds - rest, self.periods - int(used_up)

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


def margin_left(margin: float, taken: float, allowance: float) -> float:
    """Return the margin left after a turn: overruns add up over a game."""
    return margin if taken <= allowance else max(0.0, margin - (taken - allowance))
