"""How a bot learns that it is its turn: the site calls the bot, and the bot asks the site.

What the site calls is a webhook: here are the answers to it, and how its body is read. The sweep
asks for the games in which it is our turn, whatever webhooks came.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Protocol

import trio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.game_records.abstract_play_turns import GAMES_BY_ID
from oddly.interfaces.bot.admission import SignatureError
from oddly.interfaces.bot.outbox import TurnOutbox, TurnStage, TurnTask, delay_before
from oddly.interfaces.bot.site_view import (
    Challenge,
    GameView,
    ListedGame,
    SiteReply,
    SiteViewError,
    TurnRequest,
    WebhookError,
    read_games,
    read_metas,
    read_webhook,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.bot.admission import Admission, SignatureCheck
    from oddly.interfaces.bot.bot_file import BotSettings
    from oddly.interfaces.bot.site_client import SiteClient
    from oddly.interfaces.text.line_writer import Journal

    Receive = Callable[[list[tuple[str, str]], bytes, float], "Answer"]

    class Service(Protocol):
        """Where a sweep reports our turns."""

        us: str
        """Our id at the site."""
        outbox: TurnOutbox
        admission: Admission

        def take(self, request: TurnRequest, now: float, deadline: float | None) -> bool:
            """Note that it is our turn."""

        def keep_games(self) -> None:
            """Keep the games that were listed."""

        def note_contact(self, what: str) -> None:
            """Keep when the site answered."""

        def wake(self) -> None:
            """Have the bot's tasks look for work again."""

        async def look(self, gameid: str, meta: str) -> GameView | None:
            """Return how a game stands."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The HTTP status, a sentence for the log, and the turn to think about, if any."""

    status: HTTPStatus
    sentence: str
    request: TurnRequest | None = None
    challenge: Challenge | None = None
    """The challenge that was accepted."""


class Reception:
    """Answers webhooks.

    `objection` returns why a challenge is declined or a turn cannot be thought about, or None;
    `take` notes a turn at a Unix second and returns whether it is news.
    """

    def __init__(
        self,
        check: SignatureCheck,
        objection: Callable[[Challenge | TurnRequest, float], str | None],
        take: Callable[[TurnRequest, float], bool],
    ) -> None:
        self._check = check
        self._objection = objection
        self._take = take

    def answer(
        self, headers: Sequence[tuple[str, str]], body: bytes, now: float, *, is_full: bool = False
    ) -> Answer:
        """Return the answer to a POST with these headers, names in lower case, and raw body.

        `now` is in Unix seconds; `is_full` says that no more turns can wait.
        """
        try:
            self._check.check(headers, body, now)
        except SignatureError as error:
            return Answer(HTTPStatus.UNAUTHORIZED, f"refused: {error}")
        try:
            asked = read_webhook(body)
        except WebhookError as error:
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {error}")
        if objection := self._objection(asked, now):
            return Answer(HTTPStatus.BAD_REQUEST, f"refused: {objection}")
        if isinstance(asked, Challenge):
            said = f"a challenge to {asked.game}: accepted"
            return Answer(HTTPStatus.OK, said, challenge=asked)
        where = asked.where
        if is_full:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{where}: too many turns wait")
        if not self._take(asked, now):
            return Answer(HTTPStatus.ACCEPTED, f"{where}: answered before")
        return Answer(HTTPStatus.ACCEPTED, f"{where}: our turn at {asked.game}", asked)


LARGEST_BODY = 131_072
"""Bytes of a webhook: many times the longest game."""
BODY_PATIENCE = 3.0
"""Seconds in which a body must arrive; the site is answered within five."""
CLOSE = {"connection": "close"}


class _BodyError(Exception):
    """A body that is not read to its end."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(
    receive: Receive, journal: Journal, name: str, health: Callable[[], dict[str, Any]]
) -> Starlette:
    """Return the application. `receive` answers headers, body and the time in Unix seconds.

    Its sentence is written to the log; the site gets it only with a refusal. `/healthz` answers
    what `health` returns, with 503 unless `ok` is true.
    """

    async def healthz(_: Request) -> Response:
        facts = health()
        return JSONResponse(facts, HTTPStatus.OK if facts["ok"] else HTTPStatus.SERVICE_UNAVAILABLE)

    async def ping(_: Request) -> Response:
        return JSONResponse({"operational": True, "name": name})

    async def webhook(request: Request) -> Response:
        try:
            body = await _body(request)
        except _BodyError as error:
            journal.say(f"refused: {error}")
            return JSONResponse({"message": str(error)}, error.status, CLOSE)
        headers = [(k.decode("latin-1"), v.decode("latin-1")) for k, v in request.headers.raw]
        answer = receive(headers, body, time.time())
        journal.say(answer.sentence)
        is_accepted = answer.status < HTTPStatus.BAD_REQUEST
        facts = {"accepted": True} if is_accepted else {"message": answer.sentence}
        return JSONResponse(facts, answer.status)

    return Starlette(
        routes=[
            Route("/", ping, methods=["GET"]),
            Route("/", webhook, methods=["POST"]),
            Route("/healthz", healthz, methods=["GET"]),
        ]
    )


async def _body(request: Request) -> bytes:
    """Return the raw body. Raises _BodyError if it is too large or too slow."""
    too_large = _BodyError(
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST_BODY} bytes are read"
    )
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and (len(announced) > 9 or int(announced) > LARGEST_BODY):
        raise too_large
    body = bytearray()
    with trio.move_on_after(BODY_PATIENCE) as scope:
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_BODY:
                    raise too_large
        except ClientDisconnect:
            raise _BodyError(HTTPStatus.BAD_REQUEST, "the body broke off") from None
    if scope.cancelled_caught:
        raise _BodyError(
            HTTPStatus.REQUEST_TIMEOUT, f"the body did not come within {BODY_PATIENCE:g} s"
        )
    return bytes(body)


DAY = 86_400.0
"""Seconds after which the site is asked again which games it has."""


class NoAnswerError(Exception):
    """The site did not answer a query. The message is one sentence."""


class Sweeper:
    """Sweeps at the start and then every `sweep` seconds, or sooner after a failure.

    `last` is when a sweep last succeeded, by trio's clock, which nobody sets.
    """

    def __init__(self, service: Service, site: SiteClient, settings: BotSettings) -> None:
        self._service = service
        self._site = site
        self._interval = settings.bot.sweep
        self._played = metas_of(settings)
        self._metas: frozenset[str] = frozenset()
        self._learned = -math.inf
        self.last: float | None = None

    async def run(self, clock: Callable[[], float], say: Callable[[str], None]) -> None:
        """Sweep until cancelled."""
        said, failures = "", 0
        while True:
            try:
                await self.sweep(clock, say)
            except NoAnswerError as error:
                problem = f"no sweep: {error}"
            except Exception as error:
                problem = f"no sweep: {type(error).__name__}: {error}"
            else:
                problem = ""
            if problem != said:
                say(problem or "the sweeps succeed again")
            said = problem
            failures = failures + 1 if problem else 0
            wait = delay_before(failures, None) if problem else self._interval
            await trio.sleep(min(wait, self._interval))

    async def sweep(self, clock: Callable[[], float], say: Callable[[str], None]) -> None:
        """Sweep once. Raises NoAnswerError if the site does not answer a query."""
        service = self._service
        asked = clock()
        await self._learn_metas(trio.current_time(), say)
        games: list[ListedGame] = []
        for meta in sorted(self._metas):
            games += await self._games(meta)
        service.admission.learn(games, asked)
        service.keep_games()
        service.note_contact("sweep")
        service.outbox.site_is_back(clock())
        service.wake()
        self.last = trio.current_time()
        for game in to_look_at(games, service.outbox, asked):
            view = await service.look(game.gameid, game.meta)
            request = None if view is None else view.request
            if view and request and service.take(request, clock(), view.deadline):
                say(f"{request.where}: our turn, as the sweep found")
        for task in unlisted(games, service.outbox.tasks.values()):
            view = await service.look(task.request.gameid, task.request.meta)
            if view is not None and (view.is_over or len(view.texts) > task.request.plies):
                service.outbox.close(task.request, "the game is over or has gone on")

    async def _learn_metas(self, now: float, say: Callable[[str], None]) -> None:
        """Ask the site which games it has, unless it was asked within a day."""
        if now < self._learned + DAY:
            return
        try:
            known = read_metas((await self._ask("meta_games")).value)
        except SiteViewError as error:
            raise NoAnswerError(str(error)) from None
        metas = self._played & known
        if metas != self._metas:
            missing = sorted(self._played - known)
            lacks = f"; it has no {' and no '.join(missing)}" if missing else ""
            say(f"the site has {', '.join(sorted(metas)) or 'none of our games'}{lacks}")
        self._metas, self._learned = metas, now

    async def _games(self, meta: str) -> list[ListedGame]:
        reply = await self._ask("games", metaGame=meta, type="current")
        try:
            return read_games(reply.value, self._service.us)
        except SiteViewError as error:
            raise NoAnswerError(str(error)) from None

    async def _ask(self, query: str, **pars: object) -> SiteReply:
        reply = await self._site.ask(query, **pars)
        if not reply.is_good:
            raise NoAnswerError(f"{query}: {reply.sentence}")
        return reply


def metas_of(settings: BotSettings) -> frozenset[str]:
    """Return the site's ids of the games that an engine plays."""
    return frozenset(
        meta
        for meta, boards in GAMES_BY_ID.items()
        if any(engine.plays(game) for engine in settings.engines for game in boards.values())
    )


def to_look_at(games: Sequence[ListedGame], outbox: TurnOutbox, now: float) -> list[ListedGame]:
    """Return the games in which it is our turn and nobody has told us, the most urgent first."""
    ours = [g for g in games if g.is_our_turn and outbox.wants(g.gameid, g.plies, now)]
    return sorted(ours, key=lambda game: game.left)


def unlisted(games: Iterable[ListedGame], tasks: Iterable[TurnTask]) -> list[TurnTask]:
    """Return the turns to think about in games that the site no longer lists."""
    listed = {game.gameid for game in games}
    return [t for t in tasks if t.stage is TurnStage.ASKED and t.request.gameid not in listed]
