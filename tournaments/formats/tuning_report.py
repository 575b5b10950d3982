"""What a tuning reports: the course of its options, the optimum, and the gain over the start."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oddly.tournaments.formats.plan import FormatReport
from oddly.tournaments.formats.sprt import Sprt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.formats.spsa import PairAtPlaces, Places, TunedOption
    from oddly.tournaments.formats.tuning_optimum import Optimum

LEAST_ELO = 10
"""The smallest gain that a confirming test asks for: less would take many thousands of games."""


@dataclass(frozen=True, slots=True)
class OptionCourse:
    """An option with its places in the range from 0 to 1, from the start to now."""

    option: TunedOption
    places: tuple[float, ...]

    @property
    def values(self) -> list[float]:
        """The values from the start to now."""
        return [self.option.value_at(place) for place in self.places]


@dataclass(frozen=True)
class TuningReport(FormatReport):
    """The state of the search after some games.

    The optimum is calculated when it is first asked for.
    """

    courses: Sequence[OptionCourse]
    searched: Places
    """The current places, see `Spsa.best`."""
    pairs: Sequence[PairAtPlaces]
    """The pairs of games that count, one or more."""
    played: int
    games: int
    games_each: int
    """The games between two points of a course."""

    @cached_property
    def optimum(self) -> Optimum:
        """What the games say about the best places and their gain."""
        # Imported late, so that the first move comes sooner.
        from oddly.tournaments.formats.tuning_optimum import optimum_of

        return optimum_of(self.pairs, self._start, self.searched, self._shown)

    @property
    def _options(self) -> list[TunedOption]:
        return [course.option for course in self.courses]

    @property
    def _start(self) -> Places:
        """The places of the start values, which engines received."""
        return tuple(option.place_of_text(self.start[option.name]) for option in self._options)

    def _shown(self, places: Places) -> Places:
        """Return the places of the values as shown for these places."""
        pairs = zip(self._options, places, strict=True)
        return tuple(option.place_of_text(option.shown_at(place)) for option, place in pairs)

    @property
    def start(self) -> dict[str, str]:
        """The values at the start, by the names of the options."""
        return {
            course.option.name: course.option.text_at(course.places[0]) for course in self.courses
        }

    @property
    def best(self) -> dict[str, str]:
        """The values with the best gain, whether or not it is certain."""
        places = zip(self._options, self.optimum.best, strict=True)
        return {option.name: option.shown_at(place) for option, place in places}

    @property
    def recommended(self) -> dict[str, str]:
        """The values to use: the best ones if a gain is shown, otherwise the start values."""
        return self.best if self.optimum.gain.is_shown else self.start

    @property
    def between(self) -> list[tuple[str, str]]:
        """The ends of the 95 % interval of the optimum of each option."""
        return [
            (option.shown_at(low), option.shown_at(high))
            for option, (low, high) in zip(self._options, self.optimum.between, strict=True)
        ]

    @property
    def copies(self) -> int:
        """The pairs with a copy of an earlier game."""
        return sum(pair.is_copy for pair in self.pairs)

    @property
    def is_over(self) -> bool:
        """Whether all games are played."""
        return self.played >= self.games

    @property
    def test(self) -> Sprt | None:
        """The test that confirms the gain; None if there is none to confirm.

        It asks for the gain that is certain, so it ends soon if the gain is real.
        """
        gain = self.optimum.gain
        return Sprt(0, max(LEAST_ELO, int(gain.low))) if gain.is_shown else None

    def verdict(self) -> str:
        """Return the gain over the start in words."""
        gain = self.optimum.gain
        interval = f"95 % interval {gain.low:+.0f} to {gain.high:+.0f}"
        bounds = f"{gain.elo:+.0f} Elo over the start, {interval}"
        if not gain.is_shown:
            return f"no gain shown: {bounds}; keep {_spelled(self.start)}"
        return f"gain: {bounds}; use {_spelled(self.best)}"

    def told(self, confirmed: bool | None) -> str:
        """Return in words what a test of the gain showed; None stands for no verdict."""
        if confirmed is None:
            return "neither confirmed nor refuted yet"
        if not confirmed:
            return f"not confirmed: keep {_spelled(self.start)}"
        return f"confirmed: use {_spelled(self.best)}"

    def facts(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        gain, recommended = self.optimum.gain, self.recommended
        start, best = self.start, self.best
        return {
            "played": self.played,
            "games": self.games,
            "games_a_step": self.games_each,
            "pairs": len(self.pairs),
            "copies": self.copies,
            "gain": {
                "shown": gain.is_shown,
                "elo": round(gain.elo, 1),
                "between": [round(gain.low, 1), round(gain.high, 1)],
            },
            "test": {"elo0": test.elo0, "elo1": test.elo1} if (test := self.test) else None,
            "options": [
                {
                    "name": course.option.name,
                    "range": [course.option.low, course.option.high],
                    "scale": course.option.scale,
                    "start": start[course.option.name],
                    "now": course.option.text_at(course.places[-1]),
                    "best": best[course.option.name],
                    "between": list(between),
                    "recommended": recommended[course.option.name],
                    "course": [float(course.option.text_at(place)) for place in course.places],
                }
                for course, between in zip(self.courses, self.between, strict=True)
            ],
        }


def _spelled(values: dict[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items())
