"""The state of a tuning: each option's value now, the best so far, and its course."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.tuning.option import TunedOption


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
