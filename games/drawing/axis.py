"""Axes of charts: round numbers on them, and where values lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high`, drawn from `start` to `end`; the ticks are round numbers."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def axis(low: float, high: float, start: float, end: float, most_ticks: int = 6) -> Axis:
    """Return an axis that holds both values, widened to whole steps; `most_ticks` is 3 or more."""
    if high <= low:
        low, high = low - 1, high + 1
    step = _step((high - low) / max(1, most_ticks - 1))
    first, last = _whole(low, high, step)
    while last - first + 1 > most_ticks:
        step = _step(step * 1.01)
        first, last = _whole(low, high, step)
    ticks = tuple(round(number * step, 10) + 0.0 for number in range(first, last + 1))
    return Axis(ticks[0], ticks[-1], start, end, ticks)


def whole_step(span: float, most: int) -> int:
    """Return a round whole number, 1 or more, of which `most` steps cover the span."""
    return max(1, math.ceil(_step(span / most)))


def _whole(low: float, high: float, step: float) -> tuple[int, int]:
    """The steps around both values; what a float is off by is no reason for one more."""
    return math.floor(low / step + ROUNDING), math.ceil(high / step - ROUNDING)


def _step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, ... times a power of ten that is `least` or more."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(nice * power for nice in (1, 2, 5, 10) if nice * power >= least * (1 - 1e-9))
