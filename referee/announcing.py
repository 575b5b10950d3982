"""Announcing a result to the engines that want it, whether rules or a fault ended the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.referee.early_end import tell_end
from oddly.referee.outcome import Termination

if TYPE_CHECKING:
    from oddly.referee.outcome import Outcome
    from oddly.referee.player import Player

HEARD = (Termination.ADJUDICATION, Termination.TURN_LIMIT)
"""The ends that every engine has heard already."""


async def announce(player: Player, outcome: Outcome) -> None:
    """Send `game_over` to an engine that lists it. Its reply changes nothing."""
    wants = "game_over" in player.commands and outcome.termination not in HEARD
    if wants and player.is_in_step():
        await tell_end(player, outcome)
