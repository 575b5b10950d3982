"""A running bot: the server, the turns it thinks about, and the engines, until it is stopped."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from oddly.interfaces.bot.reception import AnsweredGames, Reception, application
from oddly.interfaces.bot.signatures import SignatureCheck
from oddly.interfaces.bot.site_client import SiteClient
from oddly.interfaces.bot.thinker import NothingToPlayError, Thinker
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.referee import EngineFault

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable

    from oddly.interfaces.bot.bot_file import BotSettings, Credentials
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
                app = application(service.receive, journal, settings.name)
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
