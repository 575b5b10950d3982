"""Running engines before and between games: asked who they are, kept, restarted or withdrawn."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.games.untrusted_text import short_name
from oddly.referee.conversation.commands import LIST_OPTIONS, TAKES_OPTIONS, names_of_options
from oddly.referee.conversation.player import LAST_BREATH, Player
from oddly.referee.justice.outcome import (
    EngineFault,
    MachineExhausted,
    Termination,
    failure_text,
)
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oddly.referee.program.channel import OpenChannel
    from oddly.referee.program.configuration import EngineConfiguration, Limits


ATTEMPTS = 3
"""How often the machine may try to start an engine to ask who it is."""
BETWEEN_ATTEMPTS = 0.2
"""Seconds between two of these attempts."""
STUCK_SHARE = 0.1
"""The part of the handshake's limit for an engine that did not answer last time."""
MIN_STUCK_LIMIT = 2.0
"""The least seconds that such an engine gets, unless the limit itself is shorter."""


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


class Restart(Enum):
    """When an engine's process is replaced by a fresh one."""

    ON_FAULT = "on-fault"
    """After a fault; otherwise it plays on."""
    EVERY_GAME = "every-game"
    NEVER = "never"
    """An engine at fault is withdrawn at once."""


class EnginePool:
    """Hands out players after their handshake, and takes them back after their game.

    After `withdraw_after` faults in a row a configuration is withdrawn: it gets no more players, so
    its games are forfeited at once. `faults` has the faults in a row from before. A configuration
    that did not answer its last handshake in time (`stuck` has those from before) gets less time
    for the next. An engine that dies between two games is restarted; this is not a fault in a game.
    Stop the pool before its nursery ends.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        limits: Limits,
        restart: Restart = Restart.ON_FAULT,
        withdraw_after: int | None = None,
        open_channel: OpenChannel = EngineProcess.start,
        faults: Mapping[str, int] | None = None,
        stuck: Iterable[str] = (),
    ) -> None:
        self._nursery = nursery
        self._limits = limits
        self._restart = restart
        self._withdraw_after = 1 if restart is Restart.NEVER else withdraw_after
        self._open_channel = open_channel
        self._idle: dict[str, list[Player]] = defaultdict(list)
        self._out: set[Player] = set()
        self._faults: dict[str, int] = defaultdict(int, faults or {})
        self._stuck = set(stuck)
        self._making_room = trio.Lock()
        self._ended_idle = 0
        self._deaths: dict[str, str] = {}
        """How engines died that have not been started again."""
        self.failure: str | None = None
        """What failed first without costing a game, in one sentence."""

    @contextmanager
    def noting_failures(self, what: str) -> Iterator[None]:
        """Keep an exception of ours from ending the run: `failure` says what it cost."""
        try:
            yield
        except Exception as error:
            self.failure = self.failure or f"{what}: {failure_text(error)}"

    def is_withdrawn(self, name: str) -> bool:
        """Return whether a configuration has reached its limit of faults in a row."""
        return self._withdraw_after is not None and self._faults[name] >= self._withdraw_after

    def is_stuck(self, name: str) -> bool:
        """Return whether an engine did not answer its last handshake in time."""
        return name in self._stuck

    def learn(self, name: str, faults: int, *, is_stuck: bool) -> None:
        """Adopt what other pools know of an engine."""
        self._faults[name] = faults
        if is_stuck:
            self._stuck.add(name)
        else:
            self._stuck.discard(name)

    def welcome(self, name: str, player: Player) -> None:
        """Take in a player that has shaken hands elsewhere and may play at once."""
        self._idle[name].append(player)

    async def acquire(self, configuration: EngineConfiguration) -> Player:
        """Return a player for the configuration.

        Raises EngineFault, and MachineExhausted if no engine can be started.
        """
        if self.is_withdrawn(configuration.name):
            number = self._faults[configuration.name]
            times = "a fault" if number == 1 else f"{number} faults in a row"
            raise EngineFault(Termination.WITHDRAWN, f"withdrawn after {times}")
        if not self._idle[configuration.name]:
            return await self._start(configuration)
        player = self._idle[configuration.name].pop()
        # It may have its own options for this game.
        player.configuration = configuration
        player.limits = self._limits
        self._out.add(player)
        death = await player.death(LAST_BREATH)
        return player if death is None else await self.replace(player, death)

    async def replace(self, player: Player, death: str) -> Player:
        """Return a fresh player for one that has died between two games, as `death` says.

        Raises what `acquire` raises.
        """
        self._deaths[player.configuration.name] = death
        await self._see_out(player)
        return await self._start(player.configuration)

    async def _start(self, configuration: EngineConfiguration) -> Player:
        """Return a player that has just shaken hands; idle ones make room for it if need be.

        Raises EngineFault or MachineExhausted.
        """
        while True:
            ended = self._ended_idle
            try:
                return await self._try_to_start(configuration)
            except MachineExhausted:
                async with self._making_room:
                    await self._end_idle()
                if self._ended_idle == ended:
                    raise

    async def _end_idle(self) -> None:
        idle = [player for players in self._idle.values() for player in players]
        self._idle.clear()
        await self._end_all(idle)
        self._ended_idle += len(idle)

    async def _try_to_start(self, configuration: EngineConfiguration) -> Player:
        name = configuration.name
        player = Player(configuration, self._limits_of(name))
        self._out.add(player)
        began = trio.current_time()
        try:
            player.start(self._open_channel, self._nursery)
            await player.shake_hands()
        except EngineFault:
            if trio.current_time() - began >= player.limits.handshake:
                self._stuck.add(name)
            await self.release(player, at_fault=True)
            raise
        except MachineExhausted:
            await self._see_out(player)
            raise
        self._stuck.discard(name)
        player.death_before = self._deaths.pop(name, "")
        player.limits = self._limits
        return player

    def _limits_of(self, name: str) -> Limits:
        """Return the limits; an engine that was stuck in its last handshake gets a shorter one."""
        if name not in self._stuck:
            return self._limits
        whole = self._limits.handshake
        return replace(
            self._limits, handshake=min(whole, max(MIN_STUCK_LIMIT, STUCK_SHARE * whole))
        )

    async def release(self, player: Player, *, at_fault: bool | None) -> None:
        """Take a player back after its game: keep it, or stop it, even if cancelled.

        `at_fault` is None after a game that counts for nobody.
        """
        name = player.configuration.name
        if at_fault is not None:
            self._faults[name] = self._faults[name] + 1 if at_fault else 0
        player.games += 1
        player.death_before = ""
        if not at_fault and (death := await player.death(LAST_BREATH)) is not None:
            self._deaths[name] = death
        if (
            at_fault
            or not player.is_in_step()
            or player.is_spent
            or self._restart is Restart.EVERY_GAME
        ):
            await self._see_out(player)
        else:
            self._out.discard(player)
            self._idle[name].append(player)

    async def _see_out(self, player: Player) -> None:
        """Stop a player, even if the caller is cancelled."""
        with trio.CancelScope(shield=True):
            await self._end(player)
        self._out.discard(player)

    async def _end(self, player: Player) -> None:
        with self.noting_failures("an engine was not stopped"):
            await player.stop()

    async def stop_when_cancelled(self) -> None:
        """Wait to be cancelled; then stop all engines together."""
        try:
            await trio.sleep_forever()
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Stop all engines, even if the caller is cancelled meanwhile."""
        players = [*self._out, *(p for idle in self._idle.values() for p in idle)]
        self._idle.clear()
        await self._end_all(players)

    async def _end_all(self, players: Iterable[Player]) -> None:
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for player in players:
                    nursery.start_soon(self._end, player)
