"""The engines of one game on the page: started with the game, stopped when it is over."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.interfaces.web.installed_engines import seat_for
from oddly.referee import EngineFault

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.games import Turn
    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.protocol import Resign, TurnEvaluation
    from oddly.referee import EngineConfiguration, EngineSeat


class GameEngines:
    """The engines at the seats of a game; none until `begin`."""

    def __init__(self, configurations: Mapping[int, EngineConfiguration]) -> None:
        self._configurations = configurations
        self._seats: dict[int, EngineSeat] = {}
        self._ready: dict[int, trio.Event] = {}

    def begin(self, nursery: trio.Nursery, current: GameInProgress) -> None:
        """Take the seats, and start the engines of a game that goes on, before anybody waits."""
        for seat, configuration in self._configurations.items():
            self._seats[seat] = seat_for(configuration, nursery)
            self._ready[seat] = trio.Event()
            if current.is_over:
                self._ready[seat].set()
            else:
                nursery.start_soon(self._prepare, seat, current)

    async def choose(self, current: GameInProgress) -> tuple[Turn | Resign, TurnEvaluation | None]:
        """Return the turn of the engine to move, and what it expects of it. Raises EngineFault."""
        await self._ready[current.mover].wait()
        engine = self._seats[current.mover]
        turn, _ = await engine.choose(current.position, current.played)
        return turn, engine.turn_evaluation

    async def rest(self) -> None:
        """Stop all engines until one is asked again."""
        for seat, engine in self._seats.items():
            await self._ready[seat].wait()
            await engine.stop()

    async def stop(self) -> None:
        """Stop all engines, started or not."""
        for engine in self._seats.values():
            await engine.stop()

    @property
    def are_running(self) -> bool:
        """Whether one has a process."""
        return any(engine.is_running for engine in self._seats.values())

    def text(self, seat: int) -> str:
        """Return the name and version of the engine at a seat for a record; empty if unknown."""
        return self._seats[seat].engine_text if seat in self._seats else ""

    async def _prepare(self, seat: int, current: GameInProgress) -> None:
        try:
            # A fault comes again when the engine is to move, and the page shows it then.
            with suppress(EngineFault):
                await self._seats[seat].follow(current.game, current.played)
        finally:
            self._ready[seat].set()
