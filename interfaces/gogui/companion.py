"""A native engine's process in step with a game that somebody else statistics_by_name.

It is started when it is first needed. A fault ends it, and the next need starts it again; what it
was told so far is then told anew, so a fault loses nothing of the game.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from games.errors import IllegalTurn
from protocol.errors import NotationError
from protocol.messages import Command, Resign
from protocol.notation import parse_answer
from protocol.time_control import NO_CLOCK
from referee.fault import EngineFault
from referee.match import illegal_turn
from referee.outcome import Termination
from referee.player import by, play_order
from referee.pool import EnginePool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.colour import Colour
    from games.game import Game, Position
    from games.turns import Turn
    from protocol.messages import Reply
    from protocol.time_control import TimeControl
    from referee.limits import Limits
    from referee.player import EngineConfiguration, Player

Told = tuple[tuple["Colour", str], ...]
"""Turns with their players, from the game's start."""


class Companion:
    """The engine `configuration`, which gets `patience` seconds for a turn.

    Its standard error goes to ours. Stop the companion before `nursery` ends.
    """

    def __init__(
        self,
        configuration: EngineConfiguration,
        limits: Limits,
        patience: float,
        nursery: trio.Nursery,
    ) -> None:
        self._configuration = replace(configuration, time=NO_CLOCK)
        self._patience = patience
        self._pool = EnginePool(nursery, limits)
        self._player: Player | None = None
        self._game: Game | None = None
        self._told: Told = ()

    @property
    def is_running(self) -> bool:
        """Whether the engine was started and has committed no fault since."""
        return self._player is not None

    async def meet(self) -> tuple[str, str]:
        """The engine's name and version. Raises EngineFault."""
        player = await self._running()
        return player.engine_name, player.engine_version

    async def ask(self, command: Command) -> Reply:
        """The reply to a command that changes no position. Raises EngineFault."""
        player = await self._running()
        try:
            return await player.ask(command)
        except EngineFault:
            await self._dismiss()
            raise

    async def set_option(self, name: str, value: str) -> Reply:
        """Have an option set now, and whenever the engine is started again. Raises EngineFault."""
        reply = await self.ask(Command("set_option", (name, *value.split())))
        if reply.ok:
            options = {**self._configuration.options, name: value}
            self._enter_as(replace(self._configuration, options=options))
        return reply

    async def begin(self, game: Game, control: TimeControl) -> None:
        """Have a game begin, if the engine runs. Raises EngineFault."""
        if self._player is None:
            return
        try:
            await self._begin(self._player, game, control, ())
        except EngineFault:
            await self._dismiss()
            raise

    async def choose(
        self,
        position: Position,
        turns: Sequence[tuple[Colour, Turn]],
        control: TimeControl,
        time_left: tuple[float, int] | None,
    ) -> Turn | Resign:
        """The engine's legal turn in `position`, to which `turns` lead. Raises EngineFault."""
        player = await self._running()
        late = EngineFault(Termination.TIME, f"no turn within {self._patience:g} s")
        wanted = tuple((colour, str(turn)) for colour, turn in turns)
        try:
            last = await self._catch_up(player, position.game, control, wanted)
            with by(trio.current_time() + self._patience, late):
                answer, _ = await player.generate(position.to_move, time_left, last)
            turn = _judged(position, answer)
        except EngineFault:
            await self._dismiss()
            raise
        own = () if isinstance(turn, Resign) else ((position.to_move, str(turn)),)
        self._told = wanted + own
        return turn

    async def stop(self) -> None:
        """See the engine out, whatever happens to the caller meanwhile."""
        self._player = None
        await self._pool.stop()

    async def _catch_up(
        self, player: Player, game: Game, control: TimeControl, wanted: Told
    ) -> tuple[Colour, str] | None:
        """Tell the engine all turns but the newest, if that is news; gives the newest then."""
        if game == self._game and control == self._configuration.time:
            common = _common(self._told, wanted)
            if await _take_back(player, len(self._told) - common):
                news = wanted[common:]
                await player.carry_out([play_order(*turn) for turn in news[:-1]])
                return news[-1] if news else None
        await self._begin(player, game, control, wanted[:-1])
        return wanted[-1] if wanted else None

    async def _begin(self, player: Player, game: Game, control: TimeControl, turns: Told) -> None:
        if control != self._configuration.time:
            self._enter_as(replace(self._configuration, time=control))
        await player.set_up(game, None, turns)
        self._game, self._told = game, turns

    def _enter_as(self, configuration: EngineConfiguration) -> None:
        self._configuration = configuration
        if self._player is not None:
            self._player.configuration = configuration

    async def _running(self) -> Player:
        """The engine, started if need be. Raises EngineFault."""
        if self._player is None:
            self._game = None
            self._player = await self._pool.acquire(self._configuration)
            _hand_on_stderr("!", self._player.stderr_tail)
            self._player.log_to(_hand_on_stderr)
        return self._player

    async def _dismiss(self) -> None:
        player, self._player = self._player, None
        if player is not None:
            await self._pool.release(player, at_fault=True)


async def _take_back(player: Player, number: int) -> bool:
    """Whether the engine has taken so many turns back; if not, its position is uncertain."""
    if number and "undo" not in player.commands:
        return False
    for _ in range(number):
        if not (await player.ask(Command("undo"))).ok:
            return False
    return True


def _judged(position: Position, answer: str) -> Turn | Resign:
    """The legal turn that `answer` is. Raises EngineFault."""
    try:
        turn = parse_answer(answer)
        if not isinstance(turn, Resign):
            position.play(turn)
    except (IllegalTurn, NotationError) as error:
        raise illegal_turn(answer, error) from None
    return turn


def _common(one: Told, other: Told) -> int:
    """How many turns the two have in common from the start."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _hand_on_stderr(direction: str, data: bytes) -> None:
    """Let GoGui's log have what the engine writes to standard error."""
    if direction == "!":
        # A log that is closed or full is no reason to lose the game.
        with suppress(OSError):
            os.write(2, data)
