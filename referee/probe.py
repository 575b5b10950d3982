"""Asking an engine for its identity before any game."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.games.untrusted_text import short_name
from oddly.referee.fault import EngineFault
from oddly.referee.option_list import LIST, TAKES_OPTIONS, names_of_options
from oddly.referee.process import EngineProcess

if TYPE_CHECKING:
    from oddly.referee.player import Player


class SelfDescription(NamedTuple):
    """What an engine says of itself."""

    name: str = ""
    """Its answer to `name`, on one line; empty if there is none."""
    has_seed: bool = False
    """Whether it has an option `seed`, so that its games differ by chance."""
    was_stuck: bool = False
    """Whether its time was over before it had answered."""
    is_ready: bool = False
    """Whether it has answered all, and runs on."""


async def introduce(player: Player, nursery: trio.Nursery) -> SelfDescription:
    """Start a player's engine; return what it says of itself, as far as it answers.

    One that has answered all runs on, any other is stopped. `nursery` drains its standard error.
    """
    has_seed = was_stuck = is_ready = False
    began = trio.current_time()
    try:
        player.start(EngineProcess.start, nursery)
        await player.shake_hands()
        if player.commands >= TAKES_OPTIONS:
            has_seed = "seed" in names_of_options(await player.ask(LIST))
        is_ready = player.is_in_step()
    except EngineFault:
        was_stuck = trio.current_time() - began >= player.limits.handshake
    finally:
        if not is_ready:
            with trio.CancelScope(shield=True):
                await player.stop()
    return SelfDescription(short_name(player.engine_name), has_seed, was_stuck, is_ready)
