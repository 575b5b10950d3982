"""The engine's process at an arena: it follows the current game, and is restarted if it fails."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import trio

from oddly.arena.client.events import SeatedGame, game_of
from oddly.arena.wire.members import MAX_TURN, WireError
from oddly.arena.wire.messages import WireEvaluation
from oddly.games import Colour, Game, GameError, one_line
from oddly.games.untrusted_text import short_name
from oddly.protocol import (
    Command,
    LocalProtocolError,
    NotationError,
    Resign,
    parse_answer,
    parse_time_control,
)
from oddly.referee import EngineFault, Limits, Player
from oddly.referee.conversation.commands import play_order
from oddly.referee.conversation.player import LAST_BREATH
from oddly.referee.justice.outcome import Termination, VoidGame
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import TypeVar

    from oddly.arena.client.events import Think
    from oddly.arena.wire.messages import GameEnd, PoolOffer
    from oddly.protocol import TimeControl
    from oddly.referee import EngineConfiguration
    from oddly.referee.program.channel import OpenChannel

    T = TypeVar("T")

ATTEMPTS = 3
"""How often an engine may fail at one task."""
BETWEEN_ATTEMPTS = 0.2
"""Seconds before the second attempt; twice as many before the third."""
LIMITS = Limits(handshake=120.0, setting_up=300.0)
"""An engine may have to compile before it joins; in a game, the arena judges its time."""


@dataclass(frozen=True, slots=True)
class ChosenTurn:
    """The turn that an engine has chosen, or its resignation."""

    turn: str
    took: float
    """Seconds since it was asked, restarts included."""
    evaluation: WireEvaluation | None


class ArenaEngine:
    """An engine that plays one game at a time, and is started again when it fails.

    `told` is called with the reason for each failure. Cancelling a task stops the engine, because
    nobody knows what it would say next. Call `stop` before `nursery` ends.
    """

    def __init__(
        self,
        configuration: EngineConfiguration,
        nursery: trio.Nursery,
        told: Callable[[str], None],
        open_channel: OpenChannel = EngineProcess.start,
    ) -> None:
        self._configuration = configuration
        self._nursery = nursery
        self._told = told
        self._open_channel = open_channel
        self._player: Player | None = None
        self._game = ""
        self._known: list[tuple[Colour, str]] | None = None
        """The turns that the engine has heard or said; None if this is uncertain."""

    async def start(self) -> str:
        """Start the engine and return what it calls itself.

        Raises EngineFault or VoidGame; on these, and when cancelled, it stops the engine.
        """
        try:
            player = await self._running()
        except BaseException:
            await self.stop()
            raise
        return short_name(f"{player.engine_name} {player.engine_version}")

    async def stop(self) -> None:
        """Stop the engine. Safe to call again."""
        player, self._player, self._known = self._player, None, None
        if player is not None:
            with trio.CancelScope(shield=True):
                await player.stop()

    async def refusal(self, offer: PoolOffer, *, is_named: bool = False) -> str:
        """Return why the engine does not play in a pool; empty if it does. Raises EngineFault.

        If the owner has named the pool, the engine need not list its game.
        """
        try:
            game, time = game_of(offer), parse_time_control(offer.time)
        except (GameError, NotationError) as error:
            return str(error)
        return await self._persistently(lambda: self._refusal(game, time, is_named=is_named))

    async def _refusal(self, game: Game, time: TimeControl, *, is_named: bool) -> str:
        """Return why the engine does not play a game; empty if it does. Raises EngineFault."""
        player = await self._running()
        if "list_games" in player.commands:
            listed = await player.ask(Command("list_games"))
            if listed.ok and game.name not in listed.text.lower().split():
                return f"it does not list the game {game.name}"
        elif "set_game" not in player.commands and not is_named:
            return "it does not say which game it plays: name the pool with --pool"
        player.configuration = replace(player.configuration, time=time)
        self._known = None
        try:
            await player.set_up(game, None)
        except EngineFault as fault:
            if not player.is_in_step():
                # This is not an answer.
                raise
            return fault.reason
        except LocalProtocolError as error:
            # Its options cannot be sent.
            return str(error)
        return ""

    async def set_up(self, table: SeatedGame) -> None:
        """Set up the game on the table with all its turns. Raises EngineFault."""
        await self._persistently(lambda: self._set_up(table, table.turns))

    async def think(self, task: Think) -> ChosenTurn:
        """Return the engine's turn. Raises EngineFault."""
        began = trio.current_time()
        answer = await self._persistently(lambda: self._think(task))
        evaluation = self._evaluation()
        self._learn(task.table, answer)
        took = trio.current_time() - began
        # Three characters are left for the dots of a text that is cut off.
        return ChosenTurn(one_line(answer, MAX_TURN - 3), took, evaluation)

    async def hear_end(self, table: SeatedGame, end: GameEnd) -> None:
        """Tell the engine how its game ended. A failure to answer is ignored."""
        player = self._player
        if player is None or self._known is None or self._game != table.id:
            return
        known, self._known = self._known, None
        with suppress(EngineFault, VoidGame):
            if not player.is_in_step():
                await self.stop()
                return
            for turn in _all_turns(table, end)[len(known) :]:
                await player.take_note(*turn)
            if "game_over" in player.commands:
                said = one_line(f"{end.score} {end.termination}: {end.reason}").replace("#", "")
                await player.ask(Command("game_over", tuple(said.split())))

    async def _set_up(self, table: SeatedGame, turns: Sequence[tuple[Colour, str]]) -> Player:
        player = await self._running()
        start = table.start
        player.configuration = replace(player.configuration, time=table.time)
        self._game, self._known = table.id, None
        await player.set_up(table.game, start.seed, turns, (start.opponent, table.time))
        self._known = list(turns)
        return player

    async def _think(self, task: Think) -> str:
        table, player, known = task.table, self._player, self._known
        last = table.turns[-1:]
        is_there = self._game == table.id and known == list(table.turns[: len(known or ())])
        if player is None or known is None or not is_there or not player.is_in_step():
            player = await self._set_up(table, table.turns[: table.number - len(last)])
            known = self._known or []
        new = table.turns[len(known) :]
        self._known = None
        if len(new) > 1:
            await player.carry_out([play_order(*turn) for turn in new[:-1]])
        colour = table.position.to_move
        unheard = new[-1] if new else None
        text, _ = await player.generate(colour, task.left, unheard, None, task.opponents)
        return text

    def _evaluation(self) -> WireEvaluation | None:
        said = None if self._player is None else self._player.turn_evaluation
        if said is None:
            return None
        return WireEvaluation(said.win_rate, said.depth, said.visits, said.lead)

    def _learn(self, table: SeatedGame, answer: str) -> None:
        """Note that the engine knows the turn it has chosen."""
        with suppress(NotationError):
            turn = parse_answer(answer)
            if not isinstance(turn, Resign):
                self._known = [*table.turns, (table.position.to_move, str(turn))]

    async def _persistently(self, task: Callable[[], Awaitable[T]]) -> T:
        """Return the task's result, after restarting the engine if necessary.

        Raises EngineFault if it fails every time.
        """
        for attempt in range(ATTEMPTS):
            try:
                return await task()
            except (EngineFault, VoidGame) as fault:
                await self.stop()
                if attempt + 1 == ATTEMPTS:
                    raise EngineFault(Termination.CRASH, fault.reason) from None
                self._told(fault.reason)
                await trio.sleep(BETWEEN_ATTEMPTS * 2**attempt)
            except BaseException:
                await self.stop()
                raise
        raise AssertionError

    async def _running(self) -> Player:
        """Return a player that can begin a game, restarted if need be. Raises EngineFault."""
        player = self._player
        if player is not None:
            is_sound = player.is_in_step()
            if is_sound and not player.is_spent:
                return player
            if not is_sound:
                self._told(f"the engine {await player.death(LAST_BREATH) or 'is out of step'}")
        await self.stop()
        player = Player(self._configuration, LIMITS)
        self._player = player
        player.start(self._open_channel, self._nursery)
        await player.shake_hands()
        return player


def _all_turns(table: SeatedGame, end: GameEnd) -> Sequence[tuple[Colour, str]]:
    """Return the turns of a game that is over, as far as the `end` message completes them."""
    try:
        return table.caught_up(end.number or 0, end.turns).turns
    except WireError:
        return table.turns
