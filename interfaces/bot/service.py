"""A running bot: the server, the engines that think about its turns, and how both stop."""

from __future__ import annotations

import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from oddly.game_records.abstract_play_turns import ends_there, follow, site_turn
from oddly.games import DropPosition, Ending, Move, Swap
from oddly.interfaces.bot.reception import AnsweredGames, Reception, application
from oddly.interfaces.bot.signatures import SignatureCheck
from oddly.interfaces.bot.site_client import SiteClient
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.protocol import Resign
from oddly.referee import EngineFault, EngineSeat, Limits

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from oddly.games import Colour, Game, Position, Turn
    from oddly.interfaces.bot.bot_file import BotEngine, BotSettings, Credentials
    from oddly.interfaces.bot.journal import Journal
    from oddly.interfaces.bot.reception import Answer, TurnRequest


READ_TIMEOUT = 10
"""Seconds after which a connection from which nothing comes is closed."""
MAX_WAITING = 1_000
"""Turns that are thought about, wait for an engine, or are being sent."""


class BotService:
    """The turns that a bot has to answer, each in a task of its own."""

    def __init__(
        self,
        thinker: Thinker,
        check: SignatureCheck,
        client: SiteClient,
        nursery: trio.Nursery,
        journal: Journal,
    ) -> None:
        self._thinker = thinker
        self._client = client
        self._nursery = nursery
        self._journal = journal
        self._answered = AnsweredGames()
        self._reception = Reception(
            check, lambda game: thinker.engine_for(game) is not None, self._answered
        )
        self._thinking: dict[str, trio.CancelScope] = {}
        self._waiting = 0

    def receive(self, headers: list[tuple[str, str]], body: bytes, now: float) -> Answer:
        """Return the answer to a webhook, and begin to think if it asks for a turn."""
        is_full = self._waiting >= MAX_WAITING
        answer = self._reception.answer(headers, body, now, is_full=is_full)
        if answer.request is not None:
            self._waiting += 1
            self._nursery.start_soon(self._attend, answer.request)
        return answer

    async def _attend(self, request: TurnRequest) -> None:
        """Choose a turn and send it. A bug in it costs this turn alone."""
        try:
            move = await self._choose(request)
            if move is not None and not await self._client.send(
                request, move, lambda: self._answered.is_newest(request)
            ):
                self._answered.give_up(request)
        except Exception as error:
            self._journal.say(f"game {request.gameid}: {type(error).__name__}: {error}")
            self._answered.give_up(request)
        finally:
            self._waiting -= 1

    async def _choose(self, request: TurnRequest) -> str | None:
        """Our turn, or None if there is none to send."""
        where = f"game {request.gameid}, after {request.plies} plies"
        older = self._thinking.get(request.gameid)
        if older is not None:
            # The game has gone on without it.
            older.cancel()
        with trio.CancelScope() as scope:
            self._thinking[request.gameid] = scope
            try:
                return await self._thinker.choose(request)
            except NothingToPlayError as error:
                self._journal.say(f"{where}: nothing to play: {error}")
            except EngineFault as fault:
                self._journal.say(f"{where}: no turn: {fault.reason}")
                self._answered.give_up(request)
            finally:
                if self._thinking.get(request.gameid) is scope:
                    del self._thinking[request.gameid]
        return None


@asynccontextmanager
async def running_bot(
    settings: BotSettings, credentials: Credentials, listener: socket.socket, journal: Journal
) -> AsyncIterator[None]:
    """Serve a bot on a listening socket while the body runs, then stop its engines."""
    stop = trio.Event()  # The server is stopped with its nursery.
    async with SiteClient(settings, credentials, journal) as client, trio.open_nursery() as outer:
        thinker = Thinker(settings, outer, journal)
        try:
            async with trio.open_nursery() as nursery:
                check = SignatureCheck(settings.key)
                service = BotService(thinker, check, client, nursery, journal)
                app = application(service.receive, journal, settings.bot.name)
                nursery.start_soon(keep_serving, app, listener, server_config(READ_TIMEOUT), stop)
                nursery.start_soon(thinker.look_after)
                try:
                    yield
                finally:
                    nursery.cancel_scope.cancel()
        finally:
            await thinker.stop()
            outer.cancel_scope.cancel()


async def serve_bot(
    settings: BotSettings,
    credentials: Credentials,
    listener: socket.socket,
    journal: Journal,
    ready: Callable[[], None],
) -> None:
    """Serve a bot until SIGINT or SIGTERM, then stop its engines."""
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, stop)
        async with running_bot(settings, credentials, listener, journal):
            ready()
            await stop.wait()
        nursery.cancel_scope.cancel()


LIMITS = Limits(handshake=120.0, setting_up=180.0, margin=2.0)
"""An engine may have to compile first; a second of lag costs nobody a game here."""
ATTEMPTS = 3
"""How often an engine may fail at one turn."""
BETWEEN_ATTEMPTS = 1.0
IDLE = 900.0
"""Seconds after which an engine that has nothing to do is stopped."""
RESIGN = "resign"


class NothingToPlayError(Exception):
    """A game in which there is no turn for us. The message is one sentence."""


class Thinker:
    """Chooses turns. `games_at_once` engines may run at a time; games wait for one in turn."""

    def __init__(self, settings: BotSettings, nursery: trio.Nursery, journal: Journal) -> None:
        self._engines = settings.engines
        self._places = trio.CapacityLimiter(settings.bot.games_at_once)
        self._nursery = nursery
        self._journal = journal
        self._idle: list[tuple[float, BotEngine, EngineSeat]] = []
        self._seats: set[EngineSeat] = set()

    def engine_for(self, game: Game) -> BotEngine | None:
        """Return the first engine that plays a game, if there is one."""
        return next((engine for engine in self._engines if engine.plays(game)), None)

    async def choose(self, request: TurnRequest) -> str:
        """Return our turn as the site writes it, or `resign`.

        Raises NothingToPlayError if the game is over or its turns are not legal, and EngineFault if
        the engine fails several times.
        """
        async with self._places:
            position, turns = await trio.to_thread.run_sync(_replay, request)
            engine = self.engine_for(request.game)
            if engine is None:
                raise NothingToPlayError(f"no engine here plays {request.game}")
            turn = await self._persistently(request, engine, position, turns)
        return RESIGN if turn is None else site_turn(request.game, turn)

    async def _persistently(
        self,
        request: TurnRequest,
        engine: BotEngine,
        position: Position,
        turns: Sequence[tuple[Colour, Turn]],
    ) -> Turn | None:
        """The turn of an engine that may fail a few times; None if it resigns."""
        for _ in range(1, ATTEMPTS):
            try:
                async with self._seat_of(engine) as seat:
                    return await self._turn_of(seat, position, turns)
            except EngineFault as fault:
                self._journal.say(f"game {request.gameid}: {engine.name}: {fault.reason}")
                await trio.sleep(BETWEEN_ATTEMPTS)
        async with self._seat_of(engine) as seat:
            return await self._turn_of(seat, position, turns)

    async def stop(self) -> None:
        """Stop every engine."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for seat in self._seats:
                    nursery.start_soon(seat.stop)
        self._idle.clear()

    async def look_after(self) -> None:
        """Stop engines that have long had nothing to do, until cancelled."""
        while True:
            await trio.sleep(IDLE / 4)
            old = [place for place in self._idle if place[0] < trio.current_time() - IDLE]
            for place in old:
                self._idle.remove(place)
                await self._dismiss(place[2])

    @asynccontextmanager
    async def _seat_of(self, engine: BotEngine) -> AsyncIterator[EngineSeat]:
        """Give an idle engine of this kind to the body, or a new one in the place of another."""
        seat = None
        for place in reversed(self._idle):
            if place[1] is engine:
                self._idle.remove(place)
                seat = place[2]
                break
        if seat is None:
            if len(self._seats) >= self._places.total_tokens and self._idle:
                await self._dismiss(self._idle.pop(0)[2])
            seed = secrets.randbelow(1 << 31)
            seat = EngineSeat(engine.configuration, self._nursery, seed=seed, limits=LIMITS)
            self._seats.add(seat)
        try:
            yield seat
        except BaseException:
            await self._dismiss(seat)
            raise
        self._idle.append((trio.current_time(), engine, seat))

    async def _dismiss(self, seat: EngineSeat) -> None:
        self._seats.discard(seat)
        await seat.stop()

    async def _turn_of(
        self, seat: EngineSeat, position: Position, turns: Sequence[tuple[Colour, Turn]]
    ) -> Turn | None:
        """The engine's turn; None if it resigns. Raises EngineFault."""
        turn, _ = await seat.choose(position, turns)
        if isinstance(turn, Resign):
            return None
        if not loses_there(position, turn):
            return turn
        # The engine may take the turn for a draw.
        other = await trio.to_thread.run_sync(
            instead, position, await self._candidates(seat, position, turns)
        )
        return other or turn

    async def _candidates(
        self, seat: EngineSeat, position: Position, turns: Sequence[tuple[Colour, Turn]]
    ) -> list[Turn]:
        """What else the engine thinks well of, the best first; nothing if it cannot say."""
        patience = seat.configuration.time.main_seconds + LIMITS.margin
        try:
            evaluation = await seat.evaluate(DropPosition(position), turns, patience)
        except EngineFault:
            return []
        ranked = sorted(evaluation.candidates, key=lambda c: c.share, reverse=True)
        return turns_among(candidate.action for candidate in ranked)


def _replay(request: TurnRequest) -> tuple[Position, list[tuple[Colour, Turn]]]:
    """The position to think about and the turns that lead there. Raises NothingToPlayError."""
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


def instead(position: Position, candidates: Iterable[Turn]) -> Turn | None:
    """Return the best turn that brings no position back; None if every legal turn does.

    `candidates` are what the engine thinks well of, the best first. Without any that is legal and
    safe, a turn that wins is taken, or else the one that the rules of thumb of the game like best.
    """
    safe = [turn for turn in position.legal_turns() if not loses_there(position, turn)]
    if not safe:
        return None
    for turn in candidates:
        if turn in safe:
            return turn
    mover = position.to_move

    def worth(turn: Turn) -> tuple[bool, int]:
        after = position.play(turn)
        won = after.result is not None and after.result.winner is mover
        return won, position.game.score(after.group_counts, mover) or 0

    return max(safe, key=worth)


def turns_among(actions: Iterable[object]) -> list[Turn]:
    """Return the actions that are whole turns."""
    return [action for action in actions if isinstance(action, Move | Swap)]
