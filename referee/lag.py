"""Measuring how late the referee itself is, which shows a busy or stopped machine."""

from __future__ import annotations

import math

import trio

from oddly.referee.outcome import NOTABLE_LAG

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

        They count from the last proof, so they are never too few.
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
