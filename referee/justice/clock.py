"""A player's clock, the times that a game's record keeps, and credit for the network's lag.

A ruling on time is checked against the times of the record. Seconds of a wait that the network took
are not taken off a clock. Each player has a quota of them: it begins with some seconds, gains some
after each turn, and never holds more than a maximum. The scheme is that of scalachess's LagTracker,
which lichess.org uses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.games import one_line
from oddly.protocol import TimeControl, TimeKind, parse_time_control
from oddly.referee.justice.outcome import NOTABLE_LAG, Termination

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


HARD_CAP = 600.0
"""Seconds a turn may take without a clock."""
MAX_SHOWN = 60
"""The characters of a turn, a score or a value that an error shows."""
MIN_GAIN, MAX_GAIN = 0.1, 1.0
"""The least and the most seconds that a quota gains after a turn."""
GAME_TURNS = 40
"""The estimated turns of a game, as on lichess.org."""
STARTS_WITH, HOLDS = 3, 7
"""A quota begins with 3 times what a turn adds, and holds 7 times that, as in scalachess."""


class Clock:
    """The time one player has left. All times are in seconds.

    `main` runs first. Japanese byo-yomi then gives `periods` of fixed length, each but the last one
    lost when it is used up; Canadian gives a block of time for a number of turns, and a new block
    when they are played.
    """

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.main = HARD_CAP if control.kind is TimeKind.NONE else control.main_seconds
        self.periods = control.periods
        self.block = control.period_seconds if control.kind is TimeKind.CANADIAN else 0.0
        self.block_turns = control.turns

    def allowance(self) -> float:
        """Return the longest that the next turn may take."""
        return self.main + self.block + self.periods * self.control.period_seconds

    def spend(self, seconds: float) -> None:
        """Take a turn's time off the clock. Raises ValueError if it exceeds the allowance."""
        if seconds > self.allowance():
            raise ValueError(f"{seconds:.3f} s of {self.allowance():.3f} s")
        match self.control.kind:
            case TimeKind.FISCHER:
                self.main = max(0.0, self.main - seconds) + self.control.increment_seconds
            case TimeKind.CANADIAN:
                self._spend_canadian(seconds)
            case TimeKind.JAPANESE:
                self._spend_japanese(seconds)

    def left(self, used: float = 0.0) -> tuple[float, int]:
        """Return what `time_left` says after `used` seconds of the present turn.

        That is the seconds, and the turns or periods left (0 in main time).
        """
        over = used - self.main
        if over < 0 or self.control.kind not in (TimeKind.CANADIAN, TimeKind.JAPANESE):
            return max(0.0, self.allowance() - used), 0
        if self.control.kind is TimeKind.CANADIAN:
            return max(0.0, self.block - over), self.block_turns
        used_up, rest = divmod(over, self.control.period_seconds)
        if used_up >= self.periods:
            return 0.0, 1
        return self.control.period_seconds - rest, self.periods - int(used_up)

    def _spend_canadian(self, seconds: float) -> None:
        over = max(0.0, seconds - self.main)
        in_main = self.main > seconds
        self.main = max(0.0, self.main - seconds)
        if in_main:
            return
        self.block = max(0.0, self.block - over)
        self.block_turns -= 1
        if self.block_turns == 0:
            self.block = self.control.period_seconds
            self.block_turns = self.control.turns

    def _spend_japanese(self, seconds: float) -> None:
        over = max(0.0, seconds - self.main)
        self.main = max(0.0, self.main - seconds)
        used_up = int(over / self.control.period_seconds)
        self.periods = max(1, self.periods - used_up)


def margin_left(margin: float, taken: float, allowance: float) -> float:
    """Return the margin left after a turn: overruns add up over a game."""
    return margin if taken <= allowance else max(0.0, margin - (taken - allowance))


def list_of(number: int, found: object, what: str) -> Sequence[Any]:
    """Return the `number` values of a list read from JSON. Raises ValueError, which names it."""
    if not isinstance(found, list | tuple) or len(found) != number:
        shown = one_line(repr(found), MAX_SHOWN)
        raise ValueError(f"{what} is {shown}: expected a list of {number} values")
    return found


class QuotaRule(NamedTuple):
    """The seconds that a quota begins with, gains after each turn, and holds at most."""

    start: float
    gain: float
    most: float


def quota_rule(control: TimeControl) -> QuotaRule:
    """Return the quota of a time control: 0.1 s a turn for the shortest, 1 s from 36 s a game."""
    seconds = control.main_seconds
    match control.kind:
        case TimeKind.NONE:
            seconds = math.inf
        case TimeKind.FIXED:
            seconds *= GAME_TURNS
        case TimeKind.FISCHER:
            seconds += GAME_TURNS * control.increment_seconds
        case TimeKind.CANADIAN:
            seconds += GAME_TURNS * control.period_seconds / control.turns
        case TimeKind.JAPANESE:
            seconds += GAME_TURNS * control.period_seconds
    gain = min(MAX_GAIN, MIN_GAIN + seconds / GAME_TURNS)
    return QuotaRule(STARTS_WITH * gain, gain, HOLDS * gain)


class LagQuota:
    """What is left of one player's quota, in seconds."""

    def __init__(self, rule: QuotaRule) -> None:
        self.rule = rule
        self.left = rule.start

    def spend(self, credit: float) -> None:
        """Deduct a turn's credit, and add what each turn gains."""
        self.left = min(self.rule.most, max(0.0, self.left - credit) + self.rule.gain)


@dataclass(frozen=True, slots=True)
class LagCredits:
    """The credit of each wait of a game, in seconds, and the rule of both players' quotas."""

    rule: QuotaRule
    given: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON, which `from_json` reads."""
        return {"quota": list(self.rule), "given": [round(credit, 6) for credit in self.given]}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> LagCredits:
        """Return what `as_json` gave. Raises KeyError, TypeError or ValueError."""
        start, gain, most = map(float, list_of(3, value["quota"], "quota"))
        return cls(QuotaRule(start, gain, most), tuple(map(float, value["given"])))

    def contradictions(
        self, waits: Sequence[tuple[float, float, float]], opening: int, rounding: float
    ) -> Iterator[str]:
        """Yield a sentence for each credit that the quota or the stamps do not allow.

        `waits` has the times of asking and looking, and the seconds taken.
        """
        if len(self.given) != len(waits):
            yield f"{len(waits)} waits are stamped, but {len(self.given)} credits"
            return
        quotas = LagQuota(self.rule), LagQuota(self.rule)
        for number, ((asked, looked, taken), credit) in enumerate(
            zip(waits, self.given, strict=True), start=opening + 1
        ):
            quota = quotas[(number - 1) % 2]
            if not 0 <= credit <= quota.left + rounding:
                yield f"turn {number} was credited {credit:.3f} s of a quota of {quota.left:.3f} s"
            if taken + credit > looked - asked + rounding:
                yield (
                    f"turn {number} took {taken:.3f} s besides a credit of {credit:.3f} s, in "
                    f"{looked - asked:.3f} s"
                )
            quota.spend(credit)


ROUNDING = 0.001
"""Seconds by which rounding may change the stamps, over a whole game."""


class Wait(NamedTuple):
    """The wait for one turn. Times are in seconds since the game began."""

    asked: float
    """When the question was written."""
    looked: float
    """When the end of the answer was read; without one, when the pipe was last found empty."""
    taken: float
    """The seconds between them, without those for which the referee stood still."""


@dataclass(frozen=True, slots=True)
class Timing:
    """All waits of a game, one per turn after the opening; the last may have brought no turn."""

    controls: tuple[str, str]
    """Time controls as text, first that of the player who opened."""
    margin: float
    waits: tuple[Wait, ...]
    credits: LagCredits | None = None
    """What each wait was credited for the network, if the engines played over one."""

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON, which `from_json` reads."""
        return {
            "controls": list(self.controls),
            "margin": self.margin,
            "waits": [[round(seconds, 6) for seconds in wait] for wait in self.waits],
            **({"credits": self.credits.as_json()} if self.credits else {}),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Timing:
        """Return the timing that `as_json` gave. Raises KeyError, TypeError or ValueError."""
        one, other = list_of(2, value["controls"], "controls")
        waits = tuple(
            Wait(*map(float, list_of(3, wait, f"wait {number}")))
            for number, wait in enumerate(value["waits"], start=1)
        )
        credited = LagCredits.from_json(found) if (found := value.get("credits")) else None
        timing = cls((str(one), str(other)), float(value["margin"]), waits, credited)
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
        if self.credits is not None:
            said += self.credits.contradictions(self.waits, opening, ROUNDING)
        return said
