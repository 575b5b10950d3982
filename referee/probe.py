"""Asking an engine who it is before any game."""

from __future__ import annotations

from typing import NamedTuple

import trio

from games.untrusted_text import short_name
from referee.fault import EngineFault
from referee.limits import Limits
from referee.option_list import LIST, TAKES_OPTIONS, names_of_options
from referee.player import EngineConfiguration, Player
from referee.process import EngineProcess


class SelfDescription(NamedTuple):
    """What an engine says of itself."""

    name: str = ""
    """Its answer to `name`, on one line; empty if there is none."""
    has_seed: bool = False
    """Whether it has an option `seed`, so that its games differ by chance."""
    was_stuck: bool = False
    """Whether its time was over before it had answered."""


async def introduce(
    configuration: EngineConfiguration, limits: Limits | None = None
) -> SelfDescription:
    """Return what the engine says of itself, as far as it answers."""
    player = Player(configuration, limits or Limits())
    has_seed = was_stuck = False
    began = trio.current_time()
    async with trio.open_nursery() as drain:
        try:
            player.start(EngineProcess.start, drain)
            await player.shake_hands()
            if player.commands >= TAKES_OPTIONS:
                has_seed = "seed" in names_of_options(await player.ask(LIST))
        except EngineFault:
            was_stuck = trio.current_time() - began >= player.limits.handshake
        finally:
            with trio.CancelScope(shield=True):
                await player.stop()
    return SelfDescription(short_name(player.engine_name), has_seed, was_stuck)
