"""The engines that think about a bot's turns, and what they may not play on the site."""

from __future__ import annotations

import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.game_records.abstract_play_turns import ends_there, follow, site_turn
from oddly.games import Colour, DropPosition, Ending, Game, Move, Position, Swap, Turn
from oddly.games.turns import player_after
from oddly.interfaces.bot.outbox import RESIGN
from oddly.protocol import Resign
from oddly.referee import EngineFault, EngineSeat, Limits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Sequence

    from oddly.interfaces.bot.bot_file import BotEngine, BotSettings
    from oddly.interfaces.bot.site_view import TurnRequest
    from oddly.interfaces.text.line_writer import Journal


LIMITS = Limits(handshake=120.0, setting_up=180.0, margin=2.0)
"""An engine may have to compile first; a second of lag costs nobody a game here."""
ATTEMPTS = 3
"""Attempts of an engine at one turn."""
BETWEEN_ATTEMPTS = 1.0
IDLE = 900.0
"""Seconds after which an idle engine is stopped."""


class NothingToPlayError(Exception):
    """A game in which there is no turn for us. The message is one sentence."""


class _IdleSeat(NamedTuple):
    """An engine that waits for its next turn, and since when, by trio's clock."""

    since: float
    engine: BotEngine
    seat: EngineSeat


class Thinker:
    """Chooses turns. Engines stay for the next turn, no more of them than may think at once."""

    def __init__(self, settings: BotSettings, nursery: trio.Nursery, journal: Journal) -> None:
        self._engines = settings.engines
        self._most = settings.bot.games_at_once
        self._nursery = nursery
        self._journal = journal
        self._idle: list[_IdleSeat] = []
        self._seats: set[EngineSeat] = set()

    def engine_for(self, game: Game) -> BotEngine | None:
        """Return the first engine that plays a game, if there is one."""
        return next((engine for engine in self._engines if engine.plays(game)), None)

    async def choose(self, request: TurnRequest, refused: Collection[str] = ()) -> str:
        """Return our turn as the site writes it, or `resign`.

        `refused` are turns that the site did not take.

        Raises NothingToPlayError if the game is over or its turns are not legal, and EngineFault if
        the engine fails several times.
        """
        position, turns = await trio.to_thread.run_sync(_replay, request)
        engine = self.engine_for(request.game)
        if engine is None:
            raise NothingToPlayError(f"no engine here plays {request.game}")
        turn = await self._persistently(request, engine, position, turns, refused)
        return RESIGN if turn is None else site_turn(request.game, turn)

    async def _persistently(
        self,
        request: TurnRequest,
        engine: BotEngine,
        position: Position,
        turns: Sequence[tuple[Colour, Turn]],
        refused: Collection[str],
    ) -> Turn | None:
        """Return the turn of an engine that may fail a few times; None if it resigns."""
        for _ in range(1, ATTEMPTS):
            try:
                async with self._seat_of(engine) as seat:
                    return await self._turn_of(seat, position, turns, refused)
            except EngineFault as fault:
                self._journal.say(f"game {request.gameid}: {engine.name}: {fault.reason}")
                await trio.sleep(BETWEEN_ATTEMPTS)
        async with self._seat_of(engine) as seat:
            return await self._turn_of(seat, position, turns, refused)

    async def stop(self) -> None:
        """Stop every engine."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for seat in self._seats:
                    nursery.start_soon(seat.stop)
        self._idle.clear()

    async def look_after(self) -> None:
        """Stop engines that have long been idle, until cancelled."""
        while True:
            await trio.sleep(IDLE / 4)
            # The first has been idle for longest; others may be taken while it stops.
            while self._idle and self._idle[0].since < trio.current_time() - IDLE:
                await self._dismiss(self._idle.pop(0).seat)

    @asynccontextmanager
    async def _seat_of(self, engine: BotEngine) -> AsyncIterator[EngineSeat]:
        """Yield an idle seat of this engine, or a new one in place of another engine's."""
        idle = next((each for each in reversed(self._idle) if each.engine is engine), None)
        if idle is not None:
            self._idle.remove(idle)
            seat = idle.seat
        else:
            if len(self._seats) >= self._most and self._idle:
                await self._dismiss(self._idle.pop(0).seat)
            seed = secrets.randbelow(1 << 31)
            seat = EngineSeat(engine.configuration, self._nursery, seed=seed, limits=LIMITS)
            self._seats.add(seat)
        try:
            yield seat
        except BaseException:
            await self._dismiss(seat)
            raise
        self._idle.append(_IdleSeat(trio.current_time(), engine, seat))

    async def _dismiss(self, seat: EngineSeat) -> None:
        self._seats.discard(seat)
        await seat.stop()

    async def _turn_of(
        self,
        seat: EngineSeat,
        position: Position,
        turns: Sequence[tuple[Colour, Turn]],
        refused: Collection[str],
    ) -> Turn | None:
        """Return the engine's turn, or another one if that loses on the site or was refused there.

        None if the engine resigns. Raises EngineFault.
        """
        turn, _ = await seat.choose(position, turns)
        if isinstance(turn, Resign):
            return None
        if not loses_there(position, turn) and site_turn(position.game, turn) not in refused:
            return turn
        # The engine may take the turn for a draw, and does not know what the site refused.
        other = await trio.to_thread.run_sync(
            instead, position, await self._candidates(seat, position, turns), refused
        )
        return other or turn

    async def _candidates(
        self, seat: EngineSeat, position: Position, turns: Sequence[tuple[Colour, Turn]]
    ) -> list[Turn]:
        """Return the engine's other good turns, the best first; none if it cannot say."""
        patience = seat.configuration.time.main_seconds + LIMITS.margin
        try:
            evaluation = await seat.evaluate(DropPosition(position), turns, patience)
        except EngineFault:
            return []
        ranked = sorted(evaluation.candidates, key=lambda c: c.share, reverse=True)
        return turns_among(candidate.action for candidate in ranked)


def _replay(request: TurnRequest) -> tuple[Position, list[tuple[Colour, Turn]]]:
    """Return the position to think about and the turns before it. Raises NothingToPlayError."""
    position = request.game.start()
    turns: list[tuple[Colour, Turn]] = []
    try:
        for turn, after in follow(position, request.texts):
            turns.append((position.to_move, turn))
            position = after
    except ValueError as error:
        raise NothingToPlayError(f"its turns are not legal: {error}") from None
    if ends_there(position):
        raise NothingToPlayError("it is over")
    return position, turns


def loses_there(position: Position, turn: Turn) -> bool:
    """Return whether a turn brings a position back, which loses on the site."""
    result = position.play(turn).result
    return result is not None and result.ending is Ending.REPETITION


def instead(
    position: Position, candidates: Iterable[Turn], refused: Collection[str] = ()
) -> Turn | None:
    """Return the best turn that brings no position back and was not refused; None if none is left.

    `candidates` are the engine's good turns, the best first. If none is legal and safe, a winning
    turn is taken, or else the one that the game's rules of thumb like best.
    """
    safe = [
        turn
        for turn in position.legal_turns()
        if not loses_there(position, turn)
        and not (refused and site_turn(position.game, turn) in refused)
    ]
    if not safe:
        return None
    for turn in candidates:
        if turn in safe:
            return turn

    def worth(turn: Turn) -> tuple[bool, int]:
        after = position.play(turn)
        side = player_after(turn, position.to_move)
        won = after.result is not None and after.result.winner is side
        return won, position.game.score(after.group_counts, side) or 0

    return max(safe, key=worth)


def turns_among(actions: Iterable[object]) -> list[Turn]:
    """Return the actions that are whole turns."""
    return [action for action in actions if isinstance(action, Move | Swap)]
