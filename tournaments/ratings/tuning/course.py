"""The options that are tuned, their values now, and the course that led there."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


SHOWN_DIGITS = 3
"""The significant digits of a value that nobody knows better."""


@dataclass(frozen=True, slots=True)
class OptionCourse:
    """An option with its places in the range from 0 to 1, from the start to now."""

    option: TunedOption
    places: tuple[float, ...]
    best: float
    """The mean of the last half of the places."""
    spread: float
    """Their standard deviation."""

    @property
    def low(self) -> str:
        """The value two standard deviations below the best."""
        return self.option.text_at(max(0.0, self.best - 2 * self.spread), SHOWN_DIGITS)

    @property
    def high(self) -> str:
        """The value two standard deviations above the best."""
        return self.option.text_at(min(1.0, self.best + 2 * self.spread), SHOWN_DIGITS)

    @property
    def values(self) -> list[float]:
        """The values from the start to now."""
        return [self.option.value_at(place) for place in self.places]

    def facts(self) -> dict[str, Any]:
        """Return the course as plain values for JSON."""
        option = self.option
        return {
            "name": option.name,
            "range": [option.low, option.high],
            "scale": option.scale,
            "start": option.text_at(self.places[0]),
            "now": option.text_at(self.places[-1]),
            "best": option.text_at(self.best, SHOWN_DIGITS),
            "between": [self.low, self.high],
            "course": [float(f"{value:.6g}") for value in self.values],
        }


@dataclass(frozen=True, slots=True)
class TuningReport:
    """The state of the search after some games."""

    courses: Sequence[OptionCourse]
    played: int
    games: int
    games_each: int
    """The games between two points of a course."""

    def facts(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        return {
            "played": self.played,
            "games": self.games,
            "games_a_step": self.games_each,
            "options": [course.facts() for course in self.courses],
        }


DIGITS = 6
"""The significant digits of a value that is sent to an engine."""


@dataclass(frozen=True, slots=True)
class TunedOption:
    """An option with its range; `start` is where tuning begins, by default in the middle.

    On a logarithmic scale (`log`) a step is a factor: 0.01 to 0.1 is as far as 0.1 to 1.
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
        """Return the value at a place as it is sent to the engine."""
        value = self.value_at(place)
        if self.whole:
            return str(int(value))
        return f"{Decimal(f'{value:.{digits}g}').normalize():f}"

    def facts(self) -> dict[str, Any]:
        """Return the option as plain values for JSON."""
        return asdict(self)
