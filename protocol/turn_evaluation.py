"""An engine's evaluation of the turn it answered: the reply to `last_evaluation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oddly.protocol.analysis import COUNT, NUMBER, SHARE, read_facts, read_number
from oddly.protocol.errors import NotationError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LENGTH = 1000
"""Characters of a reply that are looked at."""


@dataclass(frozen=True, slots=True)
class TurnEvaluation:
    """What the player who chose a turn expected of it."""

    win_rate: float
    """How often that player wins, 0 to 1."""
    depth: int | None = None
    """How many turns the expected line has, this one included."""
    visits: int | None = None
    lead: float | None = None
    """By how many groups that player will win, below 0 if it loses."""

    def __str__(self) -> str:
        """The text of the reply."""
        return " ".join(f"{key} {value}" for key, value in self.as_json().items())

    def as_json(self) -> dict[str, Any]:
        """Return what is known, as plain values that `from_json` reads."""
        facts = {
            "win_rate": round(self.win_rate, 4),
            "depth": self.depth,
            "visits": self.visits,
            "lead": None if self.lead is None else round(self.lead, 2),
        }
        return {key: value for key, value in facts.items() if value is not None}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TurnEvaluation:
        """Return what `as_json` gave. Raises NotationError or KeyError for anything else."""
        known = ("win_rate", "depth", "visits", "lead")
        return parse_turn_evaluation(
            " ".join(f"{key} {value[key]}" for key in known if key in value)
        )


def parse_turn_evaluation(text: str) -> TurnEvaluation:
    """Read the text of a reply to `last_evaluation`. Raises NotationError.

    Unknown words are skipped with their values.
    """
    line = text[:MAX_LENGTH].strip()
    facts = read_facts(line.split(), line)
    win_rate = read_number(facts, "win_rate", SHARE, line)
    if win_rate is None:
        raise NotationError("evaluation", line, 0, "a win rate")
    depth = read_number(facts, "depth", COUNT, line)
    visits = read_number(facts, "visits", COUNT, line)
    return TurnEvaluation(
        win_rate,
        None if depth is None else int(depth),
        None if visits is None else int(visits),
        read_number(facts, "lead", NUMBER, line),
    )


def turn_evaluation_in(text: str) -> TurnEvaluation | None:
    """Return the evaluation that a reply holds; None if it holds none that can be read."""
    try:
        return parse_turn_evaluation(text)
    except NotationError:
        return None
