"""Options that are tuned, each at a place from 0 to 1, and SPSA, which moves all of them at once.

Simultaneous perturbation stochastic approximation is independent of games and clocks. All options
move at once, each up or down at random; the score of one side against the other shows the direction
(Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
approximation", IEEE Transactions on Automatic Control 37, 1992). Steps and perturbations shrink by
the exponents that Spall found to work. The result is the mean of the last half of the places, which
is less noisy than the last one (Polyak and Juditsky, SIAM Journal on Control and Optimization 30,
1992).

Everything happens in the unit cube: a place is a number from 0 to 1 for each option.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    Places = tuple[float, ...]


SHOWN_DIGITS = 3
"""The significant digits of a value that is not known more precisely."""

DIGITS = 6
"""The significant digits of a value that is sent to an engine."""

ALL_DIGITS = 17
"""The significant digits that tell any two numbers apart."""

MORE_THAN_HALF = 0.5 + 1e-6
"""A distance after which a whole number is rounded to the next."""


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
        low, high = _plain(self.low), _plain(self.high)
        if not self.low < self.high:
            raise ValueError(f"the range of {self.name!r} ends at {high}, before it begins")
        if self.scale == "log" and self.low <= 0:
            raise ValueError(f"on a log scale the range of {self.name!r} begins above 0")
        width = self.high / self.low if self.scale == "log" else self.high - self.low
        if not math.isfinite(width):
            raise ValueError(
                f"the range of {self.name!r} is too wide: {self.low:g} to {self.high:g}"
            )
        if self.whole and not math.ceil(self.low) < math.floor(self.high):
            raise ValueError(
                f"the range of {self.name!r} needs two whole numbers or more, not {low} to {high}"
            )
        if self.start is not None and not self.low <= self.start <= self.high:
            raise ValueError(
                f"{self.name!r} starts at {_plain(self.start)}, outside {low} to {high}"
            )

    @property
    def start_place(self) -> float:
        """The place where tuning begins."""
        return 0.5 if self.start is None else self.place_of(self.start)

    @property
    def range_text(self) -> str:
        """The ends of the range, as the engine would receive them."""
        return f"{self.text_at(0)} to {self.text_at(1)}"

    @property
    def least_reach(self) -> float:
        """The least reach whose two places, on either side of any place, have different values.

        The edges of the range may cut it off on one side.
        """
        if not self.whole:
            return 0.0
        # Whole numbers change at halves, and the first or the last is the farthest off.
        first = self.place_of(math.ceil(self.low) + MORE_THAN_HALF)
        last = self.place_of(math.floor(self.high) - MORE_THAN_HALF)
        return max(first, 1 - last)

    def value_at(self, place: float) -> float:
        """Return the value at a place from 0 to 1."""
        if self.scale == "log":
            value: float = self.low * (self.high / self.low) ** place
        else:
            value = self.low + (self.high - self.low) * place
        if self.whole:
            return float(min(math.floor(self.high), max(math.ceil(self.low), round(value))))
        return min(self.high, max(self.low, value))

    def place_of(self, value: float) -> float:
        """Return the place of a value in the range."""
        if self.scale == "log":
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def place_of_text(self, text: str) -> float:
        """Return the place of a value that an engine received."""
        # Earlier versions sent values that rounding had put outside the range.
        return self.place_of(min(self.high, max(self.low, float(text))))

    def text_at(self, place: float, digits: int = DIGITS) -> str:
        """Return the text that the engine receives for a place, inside the range."""
        value = self.value_at(place)
        if self.whole:
            return str(int(value))
        # Rounded to a few digits, a value may leave the range.
        texts = (f"{value:.{number}g}" for number in (digits, *range(DIGITS, ALL_DIGITS + 1)))
        return _plain(next(text for text in texts if self.low <= float(text) <= self.high))

    def shown_at(self, place: float) -> str:
        """Return the value at a place with the digits that are known, inside the range."""
        return self.text_at(place, SHOWN_DIGITS)

    def facts(self) -> dict[str, Any]:
        """Return the option as plain values for JSON."""
        return asdict(self)


def _plain(number: float | str) -> str:
    """Return a number without an exponent and without zeros at its end."""
    return f"{Decimal(str(number)).normalize():f}"


STEP_EXPONENT = 0.602
REACH_EXPONENT = 0.101
STABILITY = 10
"""Damps the first steps, as if this many perturbations had gone before."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """Two places to play against each other, on either side of the present one."""

    number: int
    plus: Places
    minus: Places
    signs: tuple[int, ...]
    reach: tuple[float, ...]


class PairAtPlaces(NamedTuple):
    """A pair of games of an engine at two places, or at one place against an opponent."""

    one: Places
    """From 0 to 1 for each option."""
    other: Places | None
    """None for an opponent, which is the same in all pairs."""
    share: float
    """The share of the points that the engine at `one` won."""
    is_copy: bool = False
    """Whether one of its games repeats an earlier one."""


class Spsa:
    """A search for the best places. `ask` for places, play them, and `tell` the result.

    Several perturbations may be asked for before the first result is known; all of them lie around
    the same places. The search is deterministic: the same seed and results give the same places.
    """

    def __init__(
        self,
        start: Sequence[float],
        seed: str = "",
        *,
        step: float = 0.3,
        reach: float = 0.2,
        least_reach: Sequence[float] = (),
    ) -> None:
        self.places: Places = tuple(start)
        self.course: list[Places] = [self.places]
        """The places after each result, the start first."""
        self._seed = seed
        self._step = step
        self._reach = reach
        self._least = tuple(least_reach) or (0.0,) * len(self.places)
        self._asked = 0

    @property
    def told(self) -> int:
        """The number of results so far."""
        return len(self.course) - 1

    @property
    def best(self) -> Places:
        """The mean of the last half of the places."""
        half = self.course[len(self.course) // 2 :]
        return tuple(sum(column) / len(half) for column in zip(*half, strict=True))

    def ask(self) -> Perturbation:
        """Return the next two places to be played."""
        number, self._asked = self._asked, self._asked + 1
        random = Random(f"{self._seed} {number}")
        signs = tuple(random.choice((-1, 1)) for _ in self.places)
        now = self._reach / (number + 1) ** REACH_EXPONENT
        reach = tuple(max(now, least) for least in self._least)
        return Perturbation(
            number, self._moved(signs, reach), self._moved([-s for s in signs], reach), signs, reach
        )

    def tell(self, perturbation: Perturbation, share: float) -> None:
        """Learn the share of the points that the plus side won, from 0 to 1."""
        step = self._step / (perturbation.number + 1 + STABILITY) ** STEP_EXPONENT
        gradient = [
            (2 * share - 1) * sign * self._reach / reach
            for sign, reach in zip(perturbation.signs, perturbation.reach, strict=True)
        ]
        self.places = self._moved(gradient, [step] * len(gradient))
        self.course.append(self.places)

    def _moved(self, direction: Sequence[float], lengths: Sequence[float]) -> Places:
        """Return the places moved in a direction, inside the unit cube."""
        return tuple(
            min(1.0, max(0.0, place + towards * length))
            for place, towards, length in zip(self.places, direction, lengths, strict=True)
        )
