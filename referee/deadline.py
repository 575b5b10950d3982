"""The deadline of an answer, and the ruling on a late one.

The referee sees bytes when it looks into the pipe, not when they arrive. So a ruling rests on two
looks: the last that found nothing, and the one that found the end of the answer. It arrived between
them. An answer is late if the first look was after the limit. If the limit lies between the two,
nobody knows. A small doubt, the normal case while the referee runs, benefits the engine. If the
referee stood still, the game is void.
"""

from __future__ import annotations

import math

from oddly.referee.fault import EngineFault, VoidGame
from oddly.referee.lag import LagMeter
from oddly.referee.outcome import NOTABLE_LAG, Termination


class Deadline:
    """One wait for an answer, of `seconds` and a `margin` from `begin` on.

    Time for which the referee stood still is added to the limit. An answer that comes only then is
    accepted, or makes the game void if `strict`: it may have been late or not.

    When it is closed, `ended` is the time of the last look, `lost_seconds` is for how long the
    referee stood still, and `taken` are the seconds of the wait without these.
    """

    __slots__ = (
        "_looked_before",
        "_lost_before",
        "_meter",
        "_strict",
        "arrived",
        "asked",
        "ended",
        "granted",
        "limit",
        "looked",
        "lost_seconds",
        "problem",
        "seconds",
        "taken",
        "termination",
    )

    def __init__(
        self,
        seconds: float,
        margin: float = 0.0,
        termination: Termination = Termination.TIME,
        problem: str = "no turn",
        *,
        strict: bool = False,
        meter: LagMeter | None = None,
    ) -> None:
        self.seconds = seconds
        self.granted = seconds + margin
        self.termination = termination
        self.problem = problem
        self._strict = strict
        self._meter = meter or LagMeter.of_this_run()
        self.asked = math.inf

    def begin(self, now: float) -> None:
        """Start the time at `now`, when the first bytes of the question are written."""
        if self.asked < math.inf:
            return
        self.asked = self.arrived = self.looked = self._looked_before = now
        self.limit = now + self.granted
        self._lost_before = self._meter.lost(now)

    def lost(self, now: float) -> float:
        """Return the seconds for which the referee stood still since the wait began."""
        return self._meter.lost(now) - self._lost_before

    def looked_in_vain(self, now: float) -> float:
        """Record that nothing was there at `now`; return the latest time to look again.

        Raises EngineFault if the time is over.
        """
        self.looked = now
        if now < self.limit:
            return self.limit
        extended = self.limit + self.lost(now)
        if now >= extended:
            raise self.late()
        return extended

    def heard_in_vain(self) -> None:
        """Record that the bytes heard last, all that a pipe holds, did not end the answer.

        Raises EngineFault if the time was over then.
        """
        if self.arrived > self.limit and self.arrived > self.limit + self.lost(self.arrived):
            raise self.late()

    def heard(self, now: float, *, is_all: bool) -> None:
        """Record that something was there at `now`, and whether it was everything."""
        self.arrived = now
        self._looked_before = self.looked
        if is_all:
            self.looked = now

    def rule(self) -> None:
        """Rule on an answer whose end was heard last.

        Raises EngineFault if it was late, and VoidGame if nobody knows and the wait is strict.
        """
        self.close()
        if self.arrived <= self.limit:
            return
        lost = self.lost_seconds
        was_late = self._looked_before > self.limit
        if was_late and not lost:
            raise self.late()
        if self._strict and (was_late or self.arrived - self.limit >= NOTABLE_LAG):
            behind = max(lost, self.arrived - self.limit)
            raise VoidGame(f"the referee stood still for {behind:.3f} s while it awaited a turn")

    def late(self) -> EngineFault:
        """Return the fault of an engine whose answer did not come in time."""
        seconds = self.seconds
        is_turn = self.termination is Termination.TIME
        shown = f"{seconds:.3f}" if is_turn else f"{seconds:g}"
        return EngineFault(self.termination, f"{self.problem} within {shown} s")

    def close(self) -> None:
        """Add up the wait until the last look into the pipe."""
        self.ended = max(self.arrived, self.looked)
        self.lost_seconds = self._meter.lost(self.ended) - self._lost_before
        self.taken = max(0.0, self.ended - self.asked - self.lost_seconds)
