"""Credit for the network's lag: seconds of a wait that are not taken off a player's clock.

Each player has a quota: it begins with some seconds, gains some after each turn, and never holds
more than a maximum. The shape is that of scalachess's LagTracker, which lichess.org uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class QuotaRule(NamedTuple):
    """How many seconds a quota begins with, gains after each turn, and holds at most."""

    start: float
    gain: float
    most: float


class LagQuota:
    """What is left of one player's quota, in seconds."""

    def __init__(self, rule: QuotaRule) -> None:
        self.rule = rule
        self.left = rule.start

    def spend(self, credit: float) -> None:
        """Take the credit of a turn off, and gain what a turn brings."""
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
        start, gain, most = map(float, value["quota"])
        return cls(QuotaRule(start, gain, most), tuple(map(float, value["given"])))

    def contradictions(
        self, waits: Sequence[tuple[float, float, float]], opening: int, rounding: float
    ) -> Iterator[str]:
        """Yield a sentence for each credit that the quota or the stamps do not allow.

        `waits` are the times of asking and looking, and the seconds that were taken.
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
