"""Asking an engine for its name before any game."""

from __future__ import annotations

import trio

from games.untrusted_text import short_name
from referee.fault import EngineFault
from referee.limits import Limits
from referee.player import EngineConfiguration, Player
from referee.process import EngineProcess


async def introduce(configuration: EngineConfiguration, limits: Limits | None = None) -> str | None:
    """Return the engine's answer to `name`, on one line; None if there is none."""
    player = Player(configuration, limits or Limits())
    async with trio.open_nursery() as drain:
        try:
            player.start(EngineProcess.start, drain)
            await player.shake_hands()
        except EngineFault:
            pass
        finally:
            with trio.CancelScope(shield=True):
                await player.stop()
    return short_name(player.engine_name) or None
