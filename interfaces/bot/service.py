"""A running bot: the server, the turns that it thinks about and sends, and how all of it stops."""

from __future__ import annotations

import sqlite3
import time
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import trio

from oddly.interfaces.bot.admission import Admission, SignatureCheck
from oddly.interfaces.bot.outbox import TurnOutbox, TurnStage, TurnTask, must_look
from oddly.interfaces.bot.reception import Answer, Reception, Sweeper, application
from oddly.interfaces.bot.site_client import SiteClient
from oddly.interfaces.bot.site_view import (
    GameView,
    SiteViewError,
    TurnRequest,
    read_game,
)
from oddly.interfaces.bot.thinker import NothingToPlayError, Thinker
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.referee import EngineFault

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable

    from oddly.interfaces.bot.bot_file import BotSettings, Credentials
    from oddly.interfaces.bot.outbox_file import OutboxFile
    from oddly.interfaces.text.line_writer import Journal

READ_TIMEOUT = 10
"""Seconds after which a silent connection is closed."""
MAX_WAITING = 1_000
"""Turns that are thought about, wait for an engine, or are being sent."""
AT_ONCE = 4
"""Turns that are being sent."""
MAX_NAP = 60.0
"""Maximum seconds between two checks of whether the machine is open."""
ROUNDED = 0.5
"""Hours by which the site may have rounded our clock up."""


class BotService:
    """The turns that a bot has to make. `us` is its id at the site; `clock` gives Unix seconds."""

    def __init__(
        self,
        settings: BotSettings,
        us: str,
        thinker: Thinker,
        site: SiteClient,
        file: OutboxFile,
        journal: Journal,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.us = us
        self._settings = settings
        self._thinker = thinker
        self._site = site
        self._file = file
        self._journal = journal
        self._clock = clock
        self._is_kept = True
        self._changed = trio.Event()
        self._thinking: dict[str, tuple[TurnRequest, trio.CancelScope]] = {}
        self._sending: set[str] = set()
        self.outbox = TurnOutbox(lambda task: self.on_disk(lambda: file.keep(task)), file.tasks())
        self.outbox.resume(clock())
        bot = settings.bot
        self.admission = Admission(
            lambda game: thinker.engine_for(game) is not None,
            bot.games_per_opponent, bot.games_in_all, settings.hours,
        )  # fmt: skip
        self._reception = Reception(
            SignatureCheck(settings.key), self.admission.objection, self._take_webhook
        )
        self.sweeper = Sweeper(self, site, settings)

    def receive(self, headers: list[tuple[str, str]], body: bytes, now: float) -> Answer:
        """Return the answer to a webhook, and have a turn thought about if it asks for one."""
        is_full = sum(task.is_open for task in self.outbox.tasks.values()) >= MAX_WAITING
        answer = self._reception.answer(headers, body, now, is_full=is_full)
        if answer.challenge is not None:
            self.admission.accept(answer.challenge, now)
        if answer.status < 400:
            self.note_contact("webhook")
        return answer

    def take(self, request: TurnRequest, now: float, deadline: float | None) -> bool:
        """Note that it is our turn; return whether that is news."""
        if not self.outbox.ask(request, now, deadline):
            self.wake()
            return False
        if request.gameid in self._thinking:
            # The game has gone on without it.
            self._thinking[request.gameid][1].cancel()
        self.wake()
        return True

    def _take_webhook(self, request: TurnRequest, now: float) -> bool:
        if self.admission.has_gone_on(request):
            return False
        hours = request.hours
        left = None if hours is None else max(hours - ROUNDED, ROUNDED / 2) * 3600
        return self.take(request, now, None if left is None else now + left)

    def wake(self) -> None:
        """Have the bot's tasks look for work again."""
        self._changed.set()
        self._changed = trio.Event()

    def health(self) -> dict[str, Any]:
        """Return what `/healthz` says: nothing secret. `ok` is false if the last write failed."""
        stages = [task.stage for task in self.outbox.tasks.values()]
        swept = self.sweeper.last
        return {
            "ok": self._is_kept,
            "name": self._settings.bot.name,
            "thinking": len(self._thinking),
            "waiting": max(stages.count(TurnStage.ASKED) - len(self._thinking), 0),
            "unsent": stages.count(TurnStage.DECIDED) + stages.count(TurnStage.SENDING),
            "seconds_since_sweep": None if swept is None else round(trio.current_time() - swept),
        }

    async def run(self) -> None:
        """Think, send and sweep until cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep_thinking, nursery)
            nursery.start_soon(self._keep_sending, nursery)
            nursery.start_soon(self.sweeper.run, self._clock, self.say)

    async def _keep_thinking(self, nursery: trio.Nursery) -> None:
        most = self._settings.bot.games_at_once
        while True:
            changed, now = self._changed, self._clock()
            for task in self.outbox.to_think(now, self._opening(now)):
                if len(self._thinking) >= most:
                    break
                if task.request.gameid not in self._thinking:
                    scope = trio.CancelScope()
                    self._thinking[task.request.gameid] = (task.request, scope)
                    nursery.start_soon(self._think, task, scope)
            await _nap(changed, MAX_NAP)

    async def _think(self, task: TurnTask, scope: trio.CancelScope) -> None:
        """Choose a turn. A bug in it costs this turn alone."""
        request = task.request
        where = request.where
        try:
            with scope:
                move = await self._thinker.choose(request, task.refused)
                self.outbox.decide(request, move, self._clock())
        except NothingToPlayError as error:
            self.say(f"{where}: nothing to play: {error}")
            self.outbox.close(request, str(error))
        except EngineFault as fault:
            self.say(f"{where}: no turn: {fault.reason}")
            self.outbox.fail(request, fault.reason, self._clock())
        except Exception as error:
            self.say(f"{where}: {type(error).__name__}: {error}")
            self.outbox.fail(request, type(error).__name__, self._clock())
        finally:
            del self._thinking[request.gameid]
            self.wake()

    def _opening(self, now: float) -> float | None:
        """Return when the machine opens; None if it is open."""
        hours = self._settings.hours
        # Opening hours are in local time.
        moment = datetime.fromtimestamp(now)
        if hours is None or hours.is_open(moment):
            return None
        return hours.next_opening(moment).timestamp()

    async def _keep_sending(self, nursery: trio.Nursery) -> None:
        while True:
            changed, now = self._changed, self._clock()
            for task in self.outbox.to_send(now):
                if len(self._sending) >= AT_ONCE:
                    break
                if task.request.gameid not in self._sending:
                    self._sending.add(task.request.gameid)
                    nursery.start_soon(self._send, task)
            left = self.outbox.next_time() - now
            await _nap(changed, min(left, MAX_NAP) if left > 0 else MAX_NAP)

    async def _send(self, task: TurnTask) -> None:
        """Send a turn once, after a look at its game if needed. A bug delays this turn alone."""
        request = task.request
        try:
            if must_look(task, self._clock()):
                view = await self.look(request.gameid, request.meta)
                if not self.outbox.look(task, view, self._clock()):
                    self._tell(task)
                    return
            if self.outbox.begin(task, self._clock()):
                reply = await self._site.send(request, task.move)
                self.outbox.answer(task, reply, self._clock())
                if reply.status:
                    self.note_contact("site")
                self._tell(task)
        except Exception as error:
            self.say(f"game {request.gameid}: {type(error).__name__}: {error}")
            self.outbox.postpone(task, self._clock())
        finally:
            self._sending.discard(request.gameid)
            self.wake()

    def _tell(self, task: TurnTask) -> None:
        """Say what became of a turn."""
        where = f"game {task.request.gameid}, {task.move}"
        after = self.outbox.tasks[task.request.gameid]
        if after.request.plies != task.request.plies:
            self.say(f"{where}: the game has gone on")
        elif after.stage is TurnStage.ASKED:
            self.say(f"{where}: refused ({after.said}); thinking again")
        elif after.stage is TurnStage.REFUSED:
            self.say(f"{where}: refused ({after.said}), given up")
        elif after.is_open:
            wait = max(after.next_try - self._clock(), 0)
            why = f" ({after.said})" if after.said else ""
            self.say(f"{where}: not taken{why}; the next try is in {wait:.0f} s")
        else:
            self.say(f"{where}: {after.said}")

    async def look(self, gameid: str, meta: str) -> GameView | None:
        """Return how a game stands at the site; None if the site does not say."""
        reply = await self._site.ask("get_game", id=gameid, metaGame=meta, cbit=0)
        if not reply.is_good:
            return None
        try:
            view = read_game(reply.value, gameid, meta, self.us)
        except SiteViewError as error:
            self.say(f"game {gameid}: {error}")
            return None
        self.note_contact("site")
        return view

    def say(self, sentence: str) -> None:
        """Write a sentence to the log."""
        self._journal.say(sentence)

    def note_contact(self, what: str) -> None:
        """Keep the time of a contact with the site."""
        self.on_disk(lambda: self._file.note_contact(what, self._clock()))

    def keep_games(self) -> None:
        """Keep the games that the site listed."""
        self.on_disk(lambda: self._file.keep_games(self.admission.games))
        self.on_disk(self._file.forget_old)

    def on_disk(self, act: Callable[[], None]) -> None:
        """Write to the outbox. A write that fails stops no game."""
        try:
            act()
        except (sqlite3.Error, UnicodeError) as error:
            if self._is_kept:
                self.say(f"the outbox cannot be written: {error}; turns are lost if the bot stops")
            self._is_kept = False
        else:
            self._is_kept = True


async def _nap(changed: trio.Event, seconds: float) -> None:
    with trio.move_on_after(seconds):
        await changed.wait()


@asynccontextmanager
async def running_bot(
    settings: BotSettings,
    credentials: Credentials,
    listener: socket.socket,
    journal: Journal,
    file: OutboxFile,
) -> AsyncIterator[None]:
    """Serve a bot on a listening socket while the body runs, then stop its engines."""
    stop = trio.Event()  # The server is stopped with its nursery.
    async with SiteClient(settings, credentials, journal) as client, trio.open_nursery() as outer:
        thinker = Thinker(settings, outer, journal)
        try:
            async with trio.open_nursery() as nursery:
                service = BotService(
                    settings, credentials.client_id, thinker, client, file, journal
                )
                app = application(service.receive, journal, settings.bot.name, service.health)
                nursery.start_soon(keep_serving, app, listener, server_config(READ_TIMEOUT), stop)
                nursery.start_soon(thinker.look_after)
                nursery.start_soon(service.run)
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
    file: OutboxFile,
    ready: Callable[[], None],
) -> None:
    """Serve a bot until SIGINT or SIGTERM, then stop its engines."""
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, stop)
        async with running_bot(settings, credentials, listener, journal, file):
            ready()
            await stop.wait()
        nursery.cancel_scope.cancel()
