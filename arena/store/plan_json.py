"""Games of the arena as JSON: how they were paired, and how they ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.arena.game import GamePlan
from oddly.protocol import parse_time_control
from oddly.tournaments.results.schedule import scheduled_facts, scheduled_from

if TYPE_CHECKING:
    from oddly.referee import GameRecord


class GameEnding(NamedTuple):
    """How a game ended, for its players and for lists."""

    winner: int | None
    score: str
    reason: str
    termination: str
    turns: int
    last: str
    """The last turn; empty if there was none."""
    is_void: bool

    def text(self) -> str:
        """Return the ending as JSON."""
        return json.dumps(self._asdict())

    @classmethod
    def of(cls, record: GameRecord) -> GameEnding:
        """Return how a game ended."""
        outcome = record.outcome
        last = record.turns[-1].turn if record.turns else ""
        return cls(
            outcome.winner,
            outcome.score,
            outcome.reason,
            outcome.termination.value,
            len(record.turns),
            last,
            outcome.is_void,
        )

    def unknown_to(self, player: int) -> tuple[str, ...]:
        """Return the turns since the player's own last one."""
        return (self.last,) if self.last and (self.turns - 1) % 2 != player else ()


def read_ending(text: str) -> GameEnding:
    """Return the ending that a text describes. Raises ValueError or TypeError."""
    return GameEnding(**json.loads(text))


def plan_text(plan: GamePlan) -> str:
    """Return a plan as JSON."""
    return json.dumps(
        {
            "scheduled": scheduled_facts(plan.scheduled),
            "pool": plan.pool,
            "time": str(plan.control),
            "programs": list(plan.programs),
            "rated": plan.rated,
            "second": plan.is_second,
            **({"seat": plan.seat} if plan.seat else {}),
            **({} if plan.opening_turns is None else {"opening_turns": plan.opening_turns}),
            **({"address": plan.address} if plan.address else {}),
        }
    )


def read_plan(text: str) -> GamePlan:
    """Return the plan that a text describes. Raises ValueError or KeyError."""
    value: dict[str, Any] = json.loads(text)
    one, other = value["programs"]
    return GamePlan(
        scheduled_from(value["scheduled"]),
        value["pool"],
        parse_time_control(value["time"]),
        (one, other),
        value["rated"],
        value["second"],
        value.get("seat", ""),
        value.get("opening_turns"),
        value.get("address", ""),
    )
