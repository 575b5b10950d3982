"""The time of a check, shared out among the steps still to come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import trio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

T = TypeVar("T")

MOST, AT_LEAST = 5, 300.0
"""A check takes at most this many times its budget, cores included, or these seconds if longer."""
HELD_BACK = 0.5
"""At most this part of that time is kept for games."""


@dataclass
class Budget:
    """The time of a check's steps, and the number of cases they have tried.

    A step yields its cases in order of importance. Its core is always tried, the others while its
    share lasts. What a step does not need is left to later steps. After the `end` cores are left
    out too.
    """

    seconds: float
    began: float = field(default_factory=trio.current_time)
    until: float = 0.0
    """When the running step's share is used up."""
    known: int = 0
    left_out: int = 0
    """The running step's cases: all of them, and those for which its share was too short."""

    @property
    def most(self) -> float:
        """The seconds after which a check of any engine has ended."""
        return max(AT_LEAST, MOST * self.seconds)

    @property
    def end(self) -> float:
        """The time at which it has ended."""
        return self.began + self.most

    def has_time(self, needed_later: float) -> bool:
        """Return whether a step may begin, if later games need `needed_later` seconds."""
        kept = min(needed_later, HELD_BACK * self.most)
        return trio.current_time() < self.end - kept

    def begin_step(self, share: float, to_come: float, reserve: float = 0.0) -> None:
        """Begin a step, which has `share` of all the shares `to_come`, its own included.

        `reserve` is how many seconds the cores of the steps to come need.
        """
        left = max(0.0, self.left - reserve)
        self.until = trio.current_time() + left * share / to_come
        self.known = self.left_out = 0

    def extend(self, seconds: float) -> None:
        """Extend the check and the running step by seconds that do not count."""
        self.began += seconds
        self.until += seconds

    @property
    def left(self) -> float:
        """The seconds left; negative if cores took more than there were."""
        return self.began + self.seconds - trio.current_time()

    @property
    def is_used_up(self) -> bool:
        """Whether the running step should try no more."""
        return trio.current_time() >= self.until

    def goes_on(self) -> bool:
        """Return whether a case that may end early continues; if not, its rest is left out."""
        self.known += self.is_used_up
        self.left_out += self.is_used_up
        return not self.is_used_up

    def cases(self, every: Iterable[T], core: int = 1) -> Iterator[T]:
        """Yield the first `core` cases in any event, and the others while the step has time."""
        cases = list(every)
        self.known += len(cases)
        for number, case in enumerate(cases):
            if number >= core and self.is_used_up:
                self.left_out += len(cases) - number
                return
            yield case


def spread(length: int) -> Sequence[int]:
    """Return the numbers below `length`, ordered so that the first ones lie far apart.

    >>> spread(7)
    [0, 6, 3, 2, 4, 1, 5]
    """
    found = [0, length - 1]
    step = 2
    while step <= 2 * length:
        found += [round((length - 1) * part / step) for part in range(1, step, 2)]
        step *= 2
    return list(dict.fromkeys(each for each in found if 0 <= each < length))
