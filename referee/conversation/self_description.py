"""What an engine says about itself before it plays: its name, and the options that it lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.games.untrusted_text import short_name
from oddly.referee.conversation.commands import LIST_OPTIONS, TAKES_OPTIONS, names_of_options
from oddly.referee.justice.outcome import EngineFault, MachineExhausted
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from oddly.referee.conversation.player import Player

ATTEMPTS = 3
"""How often the machine may try to start an engine to ask who it is."""
BETWEEN_ATTEMPTS = 0.2
"""Seconds between two of these attempts."""


class SelfDescription(NamedTuple):
    """What an engine says about itself."""

    name: str = ""
    """Its answer to `name`, on one line; empty if there is none."""
    options: tuple[str, ...] = ()
    """The options that it lists; with one called `seed`, its games differ by chance."""
    was_stuck: bool = False
    """Whether its time ran out before it had answered."""
    is_ready: bool = False
    """Whether it has answered everything and keeps running."""
    failure: str = ""
    """Why the machine could not start it; empty if it could."""


async def ask_who_it_is(player: Player, nursery: trio.Nursery) -> SelfDescription:
    """Start a player's engine; return what it says about itself, as far as it answers.

    One that has answered everything keeps running; any other is stopped. Where the machine cannot
    start it, there are some more attempts. `nursery` drains its standard error.
    """
    for attempt in range(ATTEMPTS):
        await trio.sleep(attempt and BETWEEN_ATTEMPTS)
        said = await _try_to_ask(player, nursery)
        if not said.failure:
            break
    return said


async def _try_to_ask(player: Player, nursery: trio.Nursery) -> SelfDescription:
    was_stuck = is_ready = False
    options: list[str] = []
    failure = ""
    began = trio.current_time()
    try:
        player.start(EngineProcess.start, nursery)
        await player.shake_hands()
        if player.commands >= TAKES_OPTIONS:
            options = names_of_options(await player.ask(LIST_OPTIONS))
        is_ready = player.is_in_step()
    except MachineExhausted as exhausted:
        failure = exhausted.reason
    except EngineFault:
        was_stuck = trio.current_time() - began >= player.limits.handshake
    finally:
        if not is_ready:
            with trio.CancelScope(shield=True):
                await player.stop()
    name = short_name(player.engine_name)
    return SelfDescription(name, tuple(options), was_stuck, is_ready, failure)
