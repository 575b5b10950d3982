"""Compiling our engines for each game while the page is already there."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import trio

from oddly.games.catalogue import create_game
from oddly.interfaces.web.installed_engines import LEVELLED
from oddly.referee.program.configuration import find_program

if TYPE_CHECKING:
    from collections.abc import Iterable


class WarmingUp:
    """One process after the other compiles for a game, unless that was done on this machine."""

    def __init__(self, games: Iterable[str]) -> None:
        self.games = list(games)
        self.now = ""
        """The title of the game that is compiled for now; empty when all is done."""

    async def run(self) -> None:
        """Compile for all games. What fails here fails again, with a sentence, in a game."""
        try:
            for name in self.games:
                self.now = create_game(name).title
                await trio.run_process(
                    find_program(("oddly", "warm", "--engine", LEVELLED, "--game", name)),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                    deliver_cancel=_kill,
                )
        finally:
            self.now = ""


async def _kill(process: trio.Process) -> None:
    """Kill a compiler at once: what it has not finished, it begins anew next time."""
    process.kill()
