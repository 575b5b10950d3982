"""Time in tests: how long to wait for what must come, and when a machine is too slow to judge.

A limit that only finds hangs is PATIENCE. A test whose limits are part of what it tests bears the
mark `timed`: if it fails on a machine that gives us too little of a processor, it is skipped as
"too slow to judge" (`tests/conftest.py`).
"""

import os
import time

PATIENCE = 120.0
"""Seconds after which something hangs, however busy the machine is."""
MAX_LOAD = 4.0
"""Programs that want to run, for each core, on a machine that is quick enough."""
MAX_STRETCH = 4.0
"""How many times as long as alone a computation may take on such a machine."""
SPIN = 0.02


def slowness() -> str | None:
    """Why this machine is too slow at the moment to judge by time; None if it is quick enough."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    if load > MAX_LOAD:
        return f"{load:.1f} programs want to run on each core"
    stretch = measured_stretch()
    if stretch > MAX_STRETCH:
        return f"a computation takes {stretch:.1f} times as long as alone"
    return None


def measured_stretch(seconds: float = SPIN) -> float:
    """How many times as long as alone a computation of so many seconds takes now."""
    began, spent = time.perf_counter(), time.thread_time()
    while time.thread_time() - spent < seconds:
        pass
    return (time.perf_counter() - began) / (time.thread_time() - spent)
