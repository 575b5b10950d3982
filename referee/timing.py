"""The times of a game's questions and answers, and whether its rulings follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.protocol.time_control import parse_time_control
from oddly.referee.clock import Clock
from oddly.referee.outcome import NOTABLE_LAG, Termination

if TYPE_CHECKING:
    from collections.abc import Mapping

ROUNDING = 0.001
"""Seconds by which stamps may differ from what they were rounded from, over a whole game."""


class Wait(NamedTuple):
    """One question for a turn. Times are in seconds since the game began."""

    asked: float
    """When the question was written."""
    looked: float
    """When the end of the answer was read; without one, when nothing was found at last."""
    taken: float
    """The seconds between them, without those for which the referee stood still."""


@dataclass(frozen=True, slots=True)
class Timing:
    """All waits of a game, one a turn after the opening; the last may have brought no turn."""

    controls: tuple[str, str]
    """Time controls as text, of the player who opened first."""
    margin: float
    waits: tuple[Wait, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON, which `from_json` reads."""
        return {
            "controls": list(self.controls),
            "margin": self.margin,
            "waits": [[round(seconds, 6) for seconds in wait] for wait in self.waits],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Timing:
        """Return the timing that `as_json` gave. Raises KeyError, TypeError or ValueError."""
        one, other = value["controls"]
        waits = tuple(Wait(*map(float, wait)) for wait in value["waits"])
        timing = cls((str(one), str(other)), float(value["margin"]), waits)
        for control in timing.controls:
            parse_time_control(control)
        return timing

    def contradictions(self, opening: int, turns: int, termination: Termination) -> list[str]:
        """Return a sentence for each ruling on time that does not follow from the stamps.

        Of the `turns` of the game, `opening` were played for the players.
        """
        clocks = [Clock(parse_time_control(control)) for control in self.controls]
        margins = [self.margin, self.margin]
        answered = turns - opening
        said = []
        if not answered <= len(self.waits) <= answered + 1:
            said.append(f"{answered} turns were asked for, but {len(self.waits)} waits are stamped")
        for number, wait in enumerate(self.waits, start=1):
            player = (opening + number - 1) % 2
            clock, margin = clocks[player], margins[player]
            allowance = clock.allowance()
            limit = allowance + margin
            if number <= answered:
                if wait.taken >= limit + NOTABLE_LAG + ROUNDING:
                    said.append(f"turn {opening + number} took {wait.taken:.3f} s of {limit:.3f} s")
                clock.spend(min(wait.taken, allowance))
                margins[player] = margin_left(margin, wait.taken, allowance)
            elif termination is Termination.TIME and wait.taken < limit - ROUNDING:
                said.append(f"a loss on time after {wait.taken:.3f} s of {limit:.3f} s is recorded")
        if termination is Termination.TIME and len(self.waits) <= answered:
            said.append("a loss on time is recorded, but every turn was answered")
        return said


def margin_left(margin: float, taken: float, allowance: float) -> float:
    """Return the margin left after a turn: overruns add up over a game."""
    return margin if taken <= allowance else max(0.0, margin - (taken - allowance))
