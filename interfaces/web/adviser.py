"""Hints: what an engine of this server thinks of a position, asked by one table at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from games.errors import IllegalTurn
from interfaces.web.engine_seat import EngineSeat
from referee.fault import EngineFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.colour import Colour
    from interfaces.human_play.table import Table
    from referee.player import EngineConfiguration

MAX_WAITING = 4
MAX_CANDIDATES = 5


class Adviser:
    """One engine process for the hints of all tables."""

    def __init__(
        self, configuration: EngineConfiguration, nursery: trio.Nursery, seconds: float
    ) -> None:
        self._seat = EngineSeat(configuration, nursery)
        self._name = configuration.name
        self._seconds = seconds
        self._lock = trio.Lock()

    async def hint(self, table: Table, turns: Sequence[tuple[Colour, str]]) -> dict[str, Any]:
        """The candidates and how often they win, or a sentence why there are none."""
        if self._lock.statistics().tasks_waiting >= MAX_WAITING:
            return {"sentence": "Too many tables want a hint at once. Ask again in a moment."}
        async with self._lock:
            drops = _drops_to_go_on_from(table)
            try:
                text = await self._seat.evaluate(table.game, turns, drops, self._seconds)
                return {"engine": self._name, **read_evaluation(text)}
            except EngineFault as fault:
                return {"sentence": f"No hint: {self._name}: {fault.reason}."}
            except (ValueError, IndexError):
                return {"sentence": f"No hint: {self._name} answered in another way than agreed."}

    async def stop(self) -> None:
        """See the engine out."""
        await self._seat.stop()


def _drops_to_go_on_from(table: Table) -> str:
    """The tentative stones, if the turn can go on from them as they are."""
    if len(table.drops) == 1 and table.position.most_drops > 1:
        (first,) = table.drops
        try:
            if next(table.position.turns_with(first), None) is not None:
                return str(first)
        except IllegalTurn:
            return ""
    return ""


def read_evaluation(text: str) -> dict[str, Any]:
    """A reply to `evaluate` as plain values. Raises ValueError or IndexError."""
    first, *rest = text.strip().splitlines()
    rate, simulations = first.split()
    candidates = []
    for line in rest[:MAX_CANDIDATES]:
        action, share, wins = line.split()
        candidates.append({"action": action[:8], "share": float(share), "win_rate": float(wins)})
    return {
        "win_rate": float(rate),
        "simulations": int(simulations),
        "candidates": candidates,
    }
