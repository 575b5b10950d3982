"""How long to think about a turn, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from oddly.protocol import TimeKind

if TYPE_CHECKING:
    from oddly.games import Position
    from oddly.protocol import TimeControl


TIME_PART = 0.5
"""The most of a turn's time that an engine gives to proofs; its search has the rest."""

USED = 0.9
"""The part of an allowance that is used to think; the rest is for pipes and busy machines."""

MARGIN_SECONDS = 0.001
LEAST_PART = 0.2
LATEST_PART = 0.25
"""The most of the time for the rest of the game that one turn may wish for."""

IN_DOUBT = 2.0
"""The most that a turn takes, as a multiple of the wished time."""

DROPS_A_TURN = 1.8
TURNS_AT_THE_END = 2
"""Turns on a full board count as this many: there is little to think about."""

MOVES_TO_COME = 25

FIRST_DROP_PART = 0.7
"""The part of a turn's time that its first drop may use up; the second has all that is left."""

CATCHING_UP = 0.6
"""The most of the simulations to come that the second action is expected to get."""

RIVAL = 0.6
"""An action with this part of the first one's visits makes the choice doubtful."""


class Comparison(NamedTuple):
    """How the actions of a position compare: their number, and the visits of the first two.

    Actions that are proven to lose do not count. `is_best` tells whether the one with the most
    visits also has the best results.
    """

    actions: int
    first: int
    second: int
    is_best: bool


@dataclass(frozen=True, slots=True)
class Allotment:
    """Seconds to think: usually `wished`, up to `most` where the choice is in doubt.

    Thinking ends early if the first action leads by more than `catching_up` of the simulations to
    come.
    """

    wished: float
    most: float
    catching_up: float = CATCHING_UP

    def for_first_drop(self, part: float = FIRST_DROP_PART) -> Allotment:
        """Return the part for the first of two drops; what it leaves is for the second."""
        return Allotment(part * self.wished, part * self.most, min(self.catching_up, 1.0))

    def less(self, spent: float) -> Allotment:
        """Return what is left when some seconds are spent."""
        wished, most = max(self.wished - spent, 0.0), max(self.most - spent, 0.0)
        return replace(self, wished=wished, most=most)

    def at_most(self, other: Allotment) -> Allotment:
        """Return an allotment with the shorter of each of the two times."""
        wished, most = min(self.wished, other.wished), min(self.most, other.most)
        return replace(self, wished=wished, most=most)

    def is_enough(self, spent: float, simulations: int, comparison: Comparison) -> bool:
        """Return whether to stop after `spent` seconds with that many simulations."""
        if spent >= self.most or comparison.actions <= 1:
            return True
        is_clear = comparison.is_best and comparison.second <= RIVAL * comparison.first
        if spent >= self.wished and is_clear:
            return True
        left = (self.wished if is_clear else self.most) - spent
        to_come = simulations / max(spent, 1e-9) * left
        return comparison.first - comparison.second > self.catching_up * to_come


def fixed(seconds: float) -> Allotment:
    """Return an allotment to use up: nothing is saved, and the tree stays for the next turns."""
    return Allotment(seconds, seconds, catching_up=inf)


def of_a_fixed_time(seconds: float) -> Allotment:
    """Return the allotment for a turn with these seconds of its own, less a margin for pipes."""
    return fixed(_with_margin(seconds))


def allotment(
    control: TimeControl | None, left: tuple[float, int] | None, turns_to_come: int
) -> Allotment | None:
    """Return how long to think about a turn, or None without a clock.

    `left` is what the clock shows, seconds and the turns or periods of an overtime (0 before it);
    None if unknown, for what the control begins with.
    """
    if control is None or control.kind is TimeKind.NONE:
        return None
    if control.kind is TimeKind.FIXED:
        return of_a_fixed_time(control.main_seconds)
    seconds, overtime = left if left is not None else (control.main_seconds, 0)
    share = seconds / max(turns_to_come, 1)
    if control.kind is TimeKind.FISCHER:
        increment = control.increment_seconds
        wished = min(share + increment, seconds * LATEST_PART + increment, seconds)
        return _in_doubt(wished, min(seconds, seconds * LATEST_PART + increment))
    if control.kind is TimeKind.CANADIAN:
        steady = control.period_seconds / control.turns
        if overtime > 0:
            return _in_doubt(seconds / overtime, seconds if overtime == 1 else seconds / 2)
    else:
        steady = control.period_seconds
        if overtime > 0:
            return fixed(_with_margin(min(seconds, steady) if seconds > 0 else steady))
    # Thinking beyond the main time uses up the overtime.
    most = seconds * LATEST_PART + steady
    if left is not None:
        # The clock shows the main time and the overtime together.
        most = min(seconds, most)
    return _in_doubt(max(share, steady), most)


def turns_to_come(position: Position) -> int:
    """Return about how many turns the side to move has yet to think about."""
    if position.most_drops == 0:
        return MOVES_TO_COME
    empty = sum(1 for stone in position.stones if stone == 0)
    drops = DROPS_A_TURN if position.most_drops > 1 else 1
    return int(empty / (2 * drops)) + TURNS_AT_THE_END


def _in_doubt(wished: float, most: float) -> Allotment:
    """Return an allotment for `wished` seconds of a clock, in doubt IN_DOUBT times, up to `most`.

    It is never less than `wished`.
    """
    return Allotment(_with_margin(wished), _with_margin(max(wished, min(IN_DOUBT * wished, most))))


def _with_margin(seconds: float) -> float:
    return max(USED * seconds - MARGIN_SECONDS, LEAST_PART * seconds)
