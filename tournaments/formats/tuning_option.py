"""An option that is tuned: its range, its start, and its values at places from 0 to 1."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

SHOWN_DIGITS = 3
"""The significant digits of a value that is not known more precisely."""

DIGITS = 6
"""The significant digits of a value that is sent to an engine."""


@dataclass(frozen=True, slots=True)
class TunedOption:
    """An option with its range; `start` is where tuning begins, by default in the middle.

    On a logarithmic scale (`log`) a step is a factor: from 0.01 to 0.1 is as far as from 0.1 to 1.
    Raises ValueError if the range or the start is impossible.
    """

    name: str
    low: float
    high: float
    start: float | None = None
    scale: str = "linear"
    whole: bool = False
    """Whether values are whole numbers."""

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"the range of {self.name!r} ends at {self.high:g}, before it begins")
        if self.scale == "log" and self.low <= 0:
            raise ValueError(f"on a log scale the range of {self.name!r} begins above 0")
        if self.start is not None and not self.low <= self.start <= self.high:
            raise ValueError(
                f"{self.name!r} starts at {self.start:g}, outside {self.low:g} to {self.high:g}"
            )

    @property
    def start_place(self) -> float:
        """The place where tuning begins."""
        return 0.5 if self.start is None else self.place_of(self.start)

    @property
    def least_reach(self) -> float:
        """The least distance between places with certainly different values."""
        if not self.whole:
            return 0.0
        # On a logarithmic scale whole numbers are farthest apart at its beginning.
        first = min(self.low + 1, self.high)
        return self.place_of(first) / 2

    def value_at(self, place: float) -> float:
        """Return the value at a place from 0 to 1."""
        if self.scale == "log":
            value = self.low * (self.high / self.low) ** place
        else:
            value = self.low + (self.high - self.low) * place
        value = min(self.high, max(self.low, value))
        return float(round(value)) if self.whole else value

    def place_of(self, value: float) -> float:
        """Return the place of a value in the range."""
        if self.scale == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def text_at(self, place: float, digits: int = DIGITS) -> str:
        """Return the text that the engine receives for a place."""
        value = self.value_at(place)
        if self.whole:
            return str(int(value))
        return f"{Decimal(f'{value:.{digits}g}').normalize():f}"

    def shown_at(self, place: float) -> str:
        """Return the value at a place with the digits that are known, inside the range."""
        text = self.text_at(place, SHOWN_DIGITS)
        return text if self.low <= float(text) <= self.high else self.text_at(place)

    def facts(self) -> dict[str, Any]:
        """Return the option as plain values for JSON."""
        return asdict(self)
