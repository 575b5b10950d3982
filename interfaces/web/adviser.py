"""Hints: what an engine of this server thinks of a position, for one game at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from games.drop_level import DropPosition
from interfaces.web.installed_engines import seat_for
from referee.fault import EngineFault

if TYPE_CHECKING:
    from interfaces.human_play.game_in_progress import GameInProgress
    from protocol.evaluation import Evaluation
    from referee.player import EngineConfiguration

MAX_WAITING = 4
MAX_CANDIDATES = 5


class Adviser:
    """One engine process for the hints of all games."""

    def __init__(
        self, configuration: EngineConfiguration, nursery: trio.Nursery, seconds: float
    ) -> None:
        self._seat = seat_for(configuration, nursery)
        self._seconds = seconds
        self._lock = trio.Lock()

    async def hint(self, current: GameInProgress) -> dict[str, Any]:
        """Return the candidates and how often they win, or a sentence why there are none."""
        if self._lock.statistics().tasks_waiting >= MAX_WAITING:
            return {"sentence": "Too many games want a hint at once. Ask again in a moment."}
        name = self._seat.configuration.name
        async with self._lock:
            at = _where_a_turn_can_go_on(current)
            try:
                evaluation = await self._seat.evaluate(at, current.played, self._seconds)
            except EngineFault as fault:
                return {"sentence": f"No hint: {name}: {fault.reason}."}
        return {"engine": name, **evaluation_view(evaluation)}

    async def stop(self) -> None:
        """Stop the engine."""
        await self._seat.stop()


def _where_a_turn_can_go_on(current: GameInProgress) -> DropPosition:
    """The position with its tentative stone, or without it if no legal turn has that."""
    start = current.position
    if len(current.drops) == 1 < start.most_drops:
        (first,) = current.drops
        if next(start.turns_with(first), None) is not None:
            return DropPosition(start, current.drops)
    return DropPosition(start)


def evaluation_view(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as plain values, with the best candidates only."""
    return {
        "win_rate": evaluation.win_rate,
        "simulations": evaluation.simulations,
        "candidates": [
            {"action": str(c.action), "share": c.share, "win_rate": c.win_rate}
            for c in evaluation.candidates[:MAX_CANDIDATES]
        ],
    }
