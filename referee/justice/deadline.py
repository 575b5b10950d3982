"""The deadline of one answer, and how late the referee itself is.

The referee sees bytes when it looks into the pipe, not when they arrive. So a ruling on time rests
on two looks: the last that found nothing, and the one that found the end of the answer. The answer
arrived between them. It is late if the first look was after the limit. If the limit lies between
the two, nobody knows. A small doubt, the normal case while the referee runs, benefits the engine.
If the referee stood still, the game is void; so our own lag is measured here.
"""

from __future__ import annotations

import math

import trio

from oddly.referee.justice.outcome import NOTABLE_LAG, EngineFault, Termination, VoidGame


class Deadline:
    """One wait for an answer, of `seconds` and a `margin` from `begin` on.

    Time for which the referee stood still is added to the limit. An answer that comes only in that
    time may be late or not: it is accepted, or makes the game void if `strict`.

    Once closed, `ended` is the time of the last look, `lost_seconds` is how long the referee stood
    still, and `taken` is the length of the wait without that, in seconds.
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
        self.ended = ended = max(self.looked, self.arrived)
        self.lost_seconds = lost = self._meter.lost(ended) - self._lost_before
        taken = ended - self.asked - lost
        self.taken = max(0.0, taken)


BEAT = 0.02
"""Seconds between two proofs that the referee runs."""


class LagMeter:
    """Proves that the loop runs: it sleeps for a beat, again and again, and checks when it wakes.

    Whatever delays the beat (a loaded machine, a stopped process, a long computation of ours)
    delays the reading of replies as much. A beat that is late by NOTABLE_LAG or more shows that the
    referee stood still. While nobody watches, nothing is measured.
    """

    def __init__(self) -> None:
        self._watches: list[LagWatch] = []
        self._needed = trio.lowlevel.ParkingLot()
        self._last = math.inf
        self._lost = 0.0

    @staticmethod
    def of_this_run() -> LagMeter:
        """Return the meter that all games of this trio run share; it beats until the run ends."""
        try:
            return _meter.get()
        except LookupError:
            meter = LagMeter()
            _meter.set(meter)
            trio.lowlevel.spawn_system_task(meter.beat)
            return meter

    async def beat(self) -> None:
        """Measure until cancelled."""
        while True:
            if not self._watches:
                self._last = math.inf
                await self._needed.park()
            due = self._last + BEAT
            await trio.sleep_until(due)
            now = trio.current_time()
            self.note(now - due)
            self._last = now

    def note(self, late: float) -> None:
        """Record by how many seconds a beat was late."""
        for watch in self._watches:
            watch.worst = max(watch.worst, late)
        if late >= NOTABLE_LAG:
            self._lost += BEAT + late

    def lost(self, now: float) -> float:
        """Return the seconds for which the referee stood still up to `now`, in this whole run.

        They count from the last beat, so they are never too few.
        """
        late = now - self._last - BEAT
        return self._lost + BEAT + late if late >= NOTABLE_LAG else self._lost

    def watch(self) -> LagWatch:
        """Begin to note the worst lateness, until `LagWatch.end`."""
        watch = LagWatch(self)
        if not self._watches:
            self._last = trio.current_time()
            self._needed.unpark_all()
        self._watches.append(watch)
        return watch

    def silence(self, now: float) -> float:
        """Return by how many seconds the next beat is late at `now`; 0 if it is not due yet."""
        return max(0.0, now - self._last - BEAT)

    def unwatch(self, watch: LagWatch) -> None:
        """Stop noting for `watch`."""
        self._watches.remove(watch)


class LagWatch:
    """The worst lateness since it began, in seconds."""

    def __init__(self, meter: LagMeter) -> None:
        self._meter = meter
        self.worst = 0.0

    def end(self) -> float:
        """Stop noting; return the worst lateness, including that of the next beat."""
        self._meter.unwatch(self)
        self.worst = max(self.worst, self._meter.silence(trio.current_time()))
        return self.worst


_meter: trio.lowlevel.RunVar[LagMeter] = trio.lowlevel.RunVar("lag meter")
