"""Running engines between games: kept, restarted or withdrawn, as the restart policy says."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

import trio

from referee.fault import EngineFault
from referee.outcome import Termination
from referee.player import EngineConfiguration, Player
from referee.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.channel import OpenChannel
    from referee.limits import Limits


class Restart(Enum):
    """When an engine's process is replaced by a fresh one."""

    ON_FAULT = "on-fault"
    """After a fault; else it plays on."""
    EVERY_GAME = "every-game"
    NEVER = "never"
    """An engine at fault is withdrawn at once."""


class EnginePool:
    """Hands out players that have shaken hands, and takes them back after their game.

    After `patience` faults in a row a configuration is withdrawn: it gets no player any more, which
    forfeits its games at no cost of time; `faults` are those in a row that it comes with. Stop the
    pool before its nursery ends.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        limits: Limits,
        restart: Restart = Restart.ON_FAULT,
        patience: int | None = None,
        open_channel: OpenChannel = EngineProcess.start,
        faults: Mapping[str, int] | None = None,
    ) -> None:
        self._nursery = nursery
        self._limits = limits
        self._restart = restart
        self._patience = 1 if restart is Restart.NEVER else patience
        self._open_channel = open_channel
        self._idle: dict[str, list[Player]] = defaultdict(list)
        self._out: set[Player] = set()
        self._faults: dict[str, int] = defaultdict(int, faults or {})

    def is_withdrawn(self, name: str) -> bool:
        """Whether a configuration has had all the faults it may have in a row."""
        return self._patience is not None and self._faults[name] >= self._patience

    async def acquire(self, configuration: EngineConfiguration) -> Player:
        """A player at the configuration's disposal. Raises EngineFault."""
        if self.is_withdrawn(configuration.name):
            number = self._faults[configuration.name]
            times = "a fault" if number == 1 else f"{number} faults in a row"
            raise EngineFault(Termination.WITHDRAWN, f"withdrawn after {times}")
        if self._idle[configuration.name]:
            player = self._idle[configuration.name].pop()
            self._out.add(player)
            return player
        player = Player(configuration, self._limits)
        self._out.add(player)
        try:
            player.start(self._open_channel, self._nursery)
            await player.shake_hands()
        except EngineFault:
            await self.release(player, at_fault=True)
            raise
        return player

    async def release(self, player: Player, *, at_fault: bool) -> None:
        """Take a player back after its game: keep it, or see it out."""
        name = player.configuration.name
        self._faults[name] = self._faults[name] + 1 if at_fault else 0
        if at_fault or not player.is_in_step() or self._restart is Restart.EVERY_GAME:
            with trio.CancelScope(shield=True):
                await player.stop()
        else:
            self._idle[name].append(player)
        self._out.discard(player)

    async def stop(self) -> None:
        """See everybody out, whatever happens to the caller meanwhile."""
        players = [*self._out, *(p for idle in self._idle.values() for p in idle)]
        self._idle.clear()
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for player in players:
                    nursery.start_soon(player.stop)
