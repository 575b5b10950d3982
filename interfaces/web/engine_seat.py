"""An engine that plays or advises at a table: a process under the referee's limits.

It is told the whole game whenever it may have another one in mind: after an undo, or anew after a
fault. What it does wrong is raised as an EngineFault, and its process ends.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import trio

from protocol.messages import Command
from referee.fault import EngineFault
from referee.limits import Limits
from referee.outcome import Termination
from referee.player import EngineConfiguration, Player, by
from referee.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.colour import Colour
    from games.game import Game
    from referee.channel import OpenChannel

Told = tuple[tuple["Colour", str], ...]
"""Turns with the colours that played them."""

READY = Limits(handshake=120.0, setting_up=180.0)
"""An engine may have to compile first."""


class EngineSeat:
    """One engine, started when it is first needed."""

    def __init__(
        self,
        configuration: EngineConfiguration,
        nursery: trio.Nursery,
        limits: Limits = READY,
        open_channel: OpenChannel = EngineProcess.start,
    ) -> None:
        self.configuration = configuration
        self._nursery = nursery
        self._limits = limits
        self._open_channel = open_channel
        self._player: Player | None = None
        self._game: Game | None = None
        self._told: Told = ()
        # Else an engine that draws lots would play the same game every day.
        self._seed = secrets.randbelow(1 << 31)

    @property
    def name(self) -> str:
        """What the engine called itself, once it was asked."""
        player = self._player
        return f"{player.engine_name} {player.engine_version}".strip() if player else ""

    async def choose(self, game: Game, turns: Sequence[tuple[Colour, str]], colour: Colour) -> str:
        """The engine's answer to `genmove` after these turns. Raises EngineFault."""
        told = tuple(turns)
        seconds = self.configuration.time.main_seconds
        try:
            known = self._player is not None and self._game == game and self._told == told[:-1]
            last = told[-1] if known and told else None
            player = await self._ready(game, told[:-1] if last else told)
            late = EngineFault(Termination.TIME, f"no turn within {seconds:g} s")
            with by(trio.current_time() + seconds + self._limits.margin + 1.0, late):
                answer, _ = await player.generate(colour, (seconds, 0), last)
        except BaseException:
            await self.stop()
            raise
        self._told = (*told, (colour, answer))
        return answer

    async def evaluate(
        self, game: Game, turns: Sequence[tuple[Colour, str]], drops: str, seconds: float
    ) -> str:
        """Its answer to `evaluate`, or to `reg_genmove`, in so many seconds. Raises EngineFault."""
        try:
            player = await self._ready(game, tuple(turns))
            order = Command("evaluate", (drops,) if drops else ())
            late = EngineFault(Termination.TIME, f"no answer within {seconds:g} s")
            with by(trio.current_time() + seconds, late):
                reply = await player.reply_to(order)
        except BaseException:
            await self.stop()
            raise
        if not reply.ok:
            raise EngineFault(Termination.PROTOCOL, reply.text)
        return reply.text

    async def stop(self) -> None:
        """See the engine out, whatever happens to the caller. It is started anew when needed."""
        player, self._player = self._player, None
        self._told = ()
        if player is not None:
            with trio.CancelScope(shield=True):
                await player.stop()

    async def _ready(self, game: Game, turns: Told) -> Player:
        """The engine, running and told of exactly these turns. Raises EngineFault."""
        if self._player is None:
            self._player = Player(self.configuration, self._limits)
            self._player.start(self._open_channel, self._nursery)
            await self._player.shake_hands()
            self._game = None
        if self._game != game or self._told != turns:
            await self._player.set_up(game, self._seed, turns)
            self._game, self._told = game, turns
        return self._player
