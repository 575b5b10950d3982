"""Games of the arena as JSON: how they were paired, and how they ended."""

from __future__ import annotations

import json
from typing import Any

from oddly.arena.game import GameEnding, GamePlan
from oddly.protocol import parse_time_control
from oddly.tournaments.results.schedule import scheduled_facts, scheduled_from


def ending_text(ending: GameEnding) -> str:
    """Return an ending as JSON."""
    return json.dumps(ending._asdict())


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
