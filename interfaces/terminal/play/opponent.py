"""An engine at a table: started, timed and seen out as the referee does it, undo and restart added.

The engine is brought to wherever the game stands: by the last turn if it followed the game so
far, and else by setting the game up anew, which every engine can do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from games.errors import IllegalTurn
from protocol.errors import NotationError
from protocol.messages import Resign
from protocol.notation import parse_answer
from referee.clock import Clock
from referee.fault import EngineFault, printable
from referee.limits import Limits
from referee.outcome import Termination
from referee.player import Player, by
from referee.process import EngineProcess

if TYPE_CHECKING:
    from games.colour import Colour
    from games.turns import Turn
    from interfaces.human_play.table import Table
    from referee.channel import OpenChannel
    from referee.player import EngineConfiguration


MAX_NAME_LENGTH = 64


class Opponent:
    """One engine for one game. Its nursery drains what it writes to standard error.

    After a fault the process is gone; the next `choose` starts a new one, with a fresh clock.
    """

    def __init__(
        self,
        configuration: EngineConfiguration,
        nursery: trio.Nursery,
        seed: int | None = None,
        limits: Limits | None = None,
        open_channel: OpenChannel = EngineProcess.start,
    ) -> None:
        self.configuration = configuration
        self.name = configuration.name
        """What the engine calls itself, once it has told that."""
        self.text = ""
        """Its name and version, as records keep them."""
        self._nursery = nursery
        self._seed = seed
        self._limits = limits or Limits()
        self._open_channel = open_channel
        self._player: Player | None = None
        self._known: list[tuple[Colour, str]] | None = None
        self._clock = Clock(configuration.time)

    async def get_ready(self, table: Table) -> None:
        """Start the engine, if it does not run, and set the game up. Raises EngineFault."""
        try:
            await self._follow(table)
        except BaseException:
            await self.stop()
            raise

    async def choose(self, table: Table) -> tuple[Turn | Resign, float]:
        """A legal turn of the side to move, and the seconds it took. Raises EngineFault."""
        try:
            return await self._choose(table)
        except BaseException:
            await self.stop()
            raise

    async def take_note(self, table: Table) -> None:
        """Send the turn that ended the game. Whatever comes back changes nothing."""
        turns = _turns(table)
        if self._player is not None and turns and self._known == turns[:-1]:
            await self._player.take_note(*turns[-1])
            self._known = turns

    async def stop(self) -> None:
        """See the engine out. Safe to call again."""
        player, self._player, self._known = self._player, None, None
        self._clock = Clock(self.configuration.time)
        if player is not None:
            with trio.CancelScope(shield=True):
                await player.stop()

    async def _follow(self, table: Table) -> Player:
        """The engine, knowing the whole game but perhaps its last turn."""
        if self._player is None:
            self._player = Player(self.configuration, self._limits)
            self._player.start(self._open_channel, self._nursery)
            await self._player.shake_hands()
            self.name = _line(self._player.engine_name) or self.name
            self.text = _line(f"{self._player.engine_name} {self._player.engine_version}")
        turns = _turns(table)
        if self._known is None or self._known not in (turns, turns[:-1]):
            await self._player.set_up(table.game, self._seed, turns)
            self._known = turns
        return self._player

    async def _choose(self, table: Table) -> tuple[Turn | Resign, float]:
        player = await self._follow(table)
        turns = _turns(table)
        last = turns[-1] if self._known != turns else None
        allowance = self._clock.allowance()
        late = EngineFault(Termination.TIME, f"no turn within {allowance:.3f} s")
        with by(trio.current_time() + allowance + self._limits.margin, late):
            answer, seconds = await player.generate(table.to_move, self._clock.left(), last)
        self._clock.spend(min(seconds, allowance))
        try:
            turn = parse_answer(answer)
            if not isinstance(turn, Resign):
                table.position.play(turn)
                turns.append((table.to_move, str(turn)))
        except (IllegalTurn, NotationError) as error:
            said = printable(answer.encode()) or "an empty answer"
            reason = f"{said} is not legal: {error}"
            raise EngineFault(Termination.ILLEGAL_TURN, reason, answer.encode()) from None
        self._known = turns
        return turn, seconds


def _turns(table: Table) -> list[tuple[Colour, str]]:
    played = zip(table.positions, table.turns, strict=False)
    return [(position.to_move, str(turn)) for position, turn in played]


def _line(text: str) -> str:
    """A stranger's text on one line of bounded length."""
    return printable(" ".join(text.split())[:MAX_NAME_LENGTH].encode())
