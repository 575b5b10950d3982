"""How late the referee itself is: a busy machine made visible."""

from __future__ import annotations

import trio

BEAT = 0.05


class LagMeter:
    """Sleeps for a beat, again and again, and notes by how much it woke up too late.

    Whatever delays the beat (a loaded machine, a long computation of ours) delays the reading of
    replies as much, so the worst lateness during a game bounds what an engine was charged for us.
    """

    def __init__(self) -> None:
        self._watches: list[Watch] = []

    async def beat(self) -> None:
        """Measure until cancelled."""
        while True:
            due = trio.current_time() + BEAT
            await trio.sleep_until(due)
            self.note(trio.current_time() - due)

    def note(self, late: float) -> None:
        """Take one measurement, in seconds."""
        for watch in self._watches:
            watch.worst = max(watch.worst, late)

    def watch(self) -> Watch:
        """Begin to note the worst lateness, until `Watch.end`."""
        watch = Watch(self)
        self._watches.append(watch)
        return watch

    def unwatch(self, watch: Watch) -> None:
        """Note no more for `watch`."""
        self._watches.remove(watch)


class Watch:
    """The worst lateness since it began, in seconds."""

    def __init__(self, meter: LagMeter) -> None:
        self._meter = meter
        self.worst = 0.0

    def end(self) -> float:
        """Stop noting; the worst lateness."""
        self._meter.unwatch(self)
        return self.worst
