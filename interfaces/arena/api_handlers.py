"""The handlers of `/api/v1` and their routes: what the pages show, as JSON.

Each route has a description for the OpenAPI document.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import trio
from starlette.responses import Response

from oddly.arena.store.rows import rulings
from oddly.interfaces.arena import api_answers as answers
from oddly.interfaces.arena.pages.answers import OF_ALL, AskedError, asked_of, page_number
from oddly.interfaces.arena.pages.game_pages import search
from oddly.interfaces.arena.pages.rating_pages import OPENINGS, OPPONENTS
from oddly.interfaces.arena.pages.site import (
    TRY_AGAIN,
    UNREADABLE,
    ArenaSite,
    QueryParameter,
    SiteRoute,
)
from oddly.interfaces.viewer.archive_search import MAX_PAGE, WORDS
from oddly.interfaces.viewer.viewer import title

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from starlette.requests import Request

    from oddly.arena.registry import RegisteredEngine
    from oddly.games import Game
    from oddly.interfaces.arena.api_answers import ApiAnswer
    from oddly.interfaces.arena.pages.answers import Handler
    from oddly.referee import PlayedTurn


JSON = "application/json"
ON_A_PAGE = 100
MAX_RUNNING = 500
MAX_LEADS = 100


class MissingError(Exception):
    """There is nothing at an address. The message is one sentence."""


class Api:
    """Answers requests from programs."""

    def __init__(self, site: ArenaSite) -> None:
        self._site, self._arena = site, site.arena

    def handler(
        self,
        made: Any,  # noqa: ANN401 - any coroutine that returns an answer
        *,
        asks: bool,
    ) -> Handler:
        """Return a handler that sends the answer of `made` to a request, or says what is wrong.

        Without `asks`, its address has no parameters.
        """

        async def handle(request: Request) -> Response:
            try:
                if not asks:
                    asked_of(request, (), only=True)
                answer: ApiAnswer = await made(request)
            except MissingError as error:
                return problem(str(error), 404)
            except AskedError as error:
                return problem(str(error), 400)
            except UNREADABLE as error:
                return problem(f"the arena cannot read its files: {error}", 503)
            return Response(answer.model_dump_json(), media_type=JSON)

        return handle

    async def arena(self, request: Request) -> answers.ApiArena:
        """Return the state of the arena."""
        arena, settings = self._arena, self._arena.settings
        return answers.ApiArena(
            name=settings.name,
            address=settings.address,
            engines=len(arena.registry.engines),
            online=len(arena.sessions.online),
            running=len(arena.play.games),
            pools=[*arena.pools],
            openapi=f"{settings.address}/api/v1/openapi.json",
        )

    async def pools(self, request: Request) -> answers.ApiPools:
        """Return all pools."""
        return answers.ApiPools(pools=[self._pool(name) for name in self._arena.pools])

    async def pool(self, request: Request) -> answers.ApiPool:
        """Return one pool. Raises MissingError."""
        return self._pool(self._pool_name(request))

    async def ladder(self, request: Request) -> answers.ApiLadder:
        """Return the ladder of a pool. Raises AskedError or MissingError."""
        name = self._pool_name(request)
        rows = self._site.ladder(name)
        page, last = page_number(asked_of(request, ("page",), only=True), len(rows), ON_A_PAGE)
        return answers.ApiLadder(
            pool=name,
            page=page,
            pages=last,
            total=len(rows),
            engines=[answers.ApiRow.model_validate(row) for row in _part(rows, page)],
        )

    async def engines(self, request: Request) -> answers.ApiEngines:
        """Return all engines. Raises AskedError."""
        rows = [*self._arena.registry.engines.values()]
        page, last = page_number(asked_of(request, ("page",), only=True), len(rows), ON_A_PAGE)
        return answers.ApiEngines(
            page=page,
            pages=last,
            total=len(rows),
            engines=[answers.ApiEngineName(**self._facts(it)) for it in _part(rows, page)],
        )

    async def engine(self, request: Request) -> answers.ApiEngine:
        """Return an engine. Raises MissingError."""
        it = self._engine(request)
        played = [name for name, pool in self._arena.pools.items() if pool.games[it.name]]
        return answers.ApiEngine(
            **self._facts(it),
            program=it.program,
            about=it.about,
            created=it.created,
            seen=it.seen,
            versions=[each.slug for each in self._arena.registry.family(it.family)],
            pools=[await self._in_pool(name, it) for name in played],
        )

    async def ratings(self, request: Request) -> answers.ApiRatings:
        """Return an engine's ratings over time. Raises MissingError."""
        it, pool = self._engine(request), self._pool_name(request)
        found = await trio.to_thread.run_sync(self._site.disk.ratings, pool, it.name)
        points = [answers.ApiRatingThen.model_validate(each) for each in found]
        return answers.ApiRatings(engine=it.slug, pool=pool, ratings=points)

    async def games(self, request: Request) -> answers.ApiGames:
        """Return finished games. Raises AskedError, LedgerError and sqlite3.Error."""
        asked, found = await search(self._site, request, ON_A_PAGE, only=True)
        return answers.ApiGames(
            page=asked.page,
            pages=max(1, -(-found.reached // ON_A_PAGE)),
            total=found.total,
            reached=found.reached,
            games=[answers.ApiFoundGame.model_validate(each) for each in found.games],
        )

    async def running(self, request: Request) -> answers.ApiRunning:
        """Return the games that are played now."""
        games = [*self._arena.play.games.values()]
        return answers.ApiRunning(
            total=len(games),
            games=[
                answers.ApiRunningGame(
                    id=game.id, pool=game.plan.pool, players=game.players, turns=len(game.turns)
                )
                for game in games[:MAX_RUNNING]
            ],
        )

    async def game(self, request: Request) -> answers.ApiGame:
        """Return a game, running or over. Raises MissingError."""
        name = request.path_params["id"]
        game = self._arena.play.games.get(name)
        if game is not None:
            clocks = game.times_left(self._site.service.clock.now()).clocks
            return self._game(
                name, game.plan.pool, game.plan.scheduled.game, game.turns,
                time=str(game.plan.control), players=game.players, programs=game.plan.programs,
                opening=game.opening, clocks=clocks, outcome=None,
            )  # fmt: skip
        found = await trio.to_thread.run_sync(self._site.disk.game, name)
        if found is None:
            raise MissingError("No game has this id.")
        record, how = found.record, found.record.outcome
        outcome = answers.ApiOutcome(
            winner=how.winner,
            score=how.score,
            ending=how.termination.value,
            reason=how.reason,
            is_void=how.is_void or bool(found.annulled),
            annulled=found.annulled or None,
        )
        return self._game(
            name, found.pool, record.game, record.turns, time=found.time, players=record.players,
            programs=record.engines, opening=record.opening, clocks=None, outcome=outcome,
        )  # fmt: skip

    async def rulings(self, request: Request) -> answers.ApiRulings:
        """Return all rulings. Raises sqlite3.Error."""

        def read() -> list[answers.ApiRuling]:
            with closing(self._site.disk.open()) as file:
                return [
                    answers.ApiRuling(moment=each.moment, **each.ruled._asdict())
                    for each in rulings(file)
                ]

        return answers.ApiRulings(rulings=await trio.to_thread.run_sync(read))

    async def leads(self, request: Request) -> answers.ApiLeads:
        """Return who took the lead of a pool. Raises sqlite3.Error."""
        found = await trio.to_thread.run_sync(self._site.disk.leads, MAX_LEADS)
        return answers.ApiLeads(leads=[answers.ApiLead.model_validate(each) for each in found])

    def _pool_name(self, request: Request) -> str:
        name = str(request.path_params["pool"])
        if name not in self._arena.pools:
            raise MissingError("This arena has no such pool.")
        return name

    def _pool(self, name: str) -> answers.ApiPool:
        pool, rows = self._arena.pools[name], self._site.ladder(name)
        leader = self._site.leader(name)
        rules = pool.facts.game
        return answers.ApiPool(
            name=name,
            title=title(rules),
            game=rules.name,
            size=rules.size,
            settings=dict(rules.settings),
            time=str(pool.facts.control),
            engines=len(rows),
            games=sum(row.games for row in rows) // 2,
            leader=None if leader is None else answers.ApiLeader.model_validate(leader),
        )

    def _engine(self, request: Request) -> RegisteredEngine:
        it = self._arena.registry.by_slug(request.path_params["slug"])
        if it is None:
            raise MissingError("No engine has this address.")
        return it

    def _facts(self, it: RegisteredEngine) -> dict[str, Any]:
        playing = self._arena.play.playing.get(it.name)
        return {
            "name": it.name,
            "slug": it.slug,
            "family": it.family,
            "owner": it.owner,
            "state": it.state.value,
            "is_online": it.name in self._arena.sessions.online,
            "game": None if playing is None else playing.id,
        }

    async def _in_pool(self, pool: str, it: RegisteredEngine) -> answers.ApiEngineInPool:
        profile, is_complete = await trio.to_thread.run_sync(
            self._site.disk.profile, pool, it.name, OPPONENTS, OPENINGS
        )
        rank = next((row.rank for row in self._site.ladder(pool) if row.name == it.name), None)
        rating = self._arena.pools[pool].rating(it.name)
        return answers.ApiEngineInPool(
            pool=pool,
            rank=rank,
            elo=rating.elo,
            error=rating.error,
            games=rating.games,
            is_provisional=rating.provisional,
            is_complete=is_complete,
            as_black=answers.ApiScore.model_validate(profile.as_black),
            as_white=answers.ApiScore.model_validate(profile.as_white),
            opponents=[answers.ApiMet.model_validate(each) for each in profile.met],
            own_openings=[answers.ApiOpening.model_validate(each) for each in profile.own],
            given_openings=[answers.ApiOpening.model_validate(each) for each in profile.given],
            endings={ending.value: games for ending, games in profile.endings},
            faults={fault.value: games for fault, games in profile.faults},
            hours=list(profile.hours),
            turns=profile.turns,
            seconds=profile.seconds,
        )

    def _game(
        self,
        name: str,
        pool: str,
        rules: Game,
        turns: Sequence[PlayedTurn],
        **facts: Any,  # noqa: ANN401
    ) -> answers.ApiGame:
        return answers.ApiGame(
            id=name,
            pool=pool,
            game=rules.name,
            size=rules.size,
            settings=dict(rules.settings),
            turns=[
                answers.ApiTurn(
                    colour=str(turn.colour),
                    turn=turn.turn,
                    seconds=round(turn.seconds, 6),
                    evaluation=_evaluation(turn),
                )
                for turn in turns
            ],
            **facts,
        )


def problem(sentence: str, status: int) -> Response:
    """Return the answer that says what is wrong."""
    text = answers.ApiProblem(error=sentence).model_dump_json()
    again = {"retry-after": TRY_AGAIN} if status == 503 else {}
    return Response(text, status, OF_ALL | again, JSON)


def _part(rows: Sequence[Any], page: int) -> Sequence[Any]:
    return rows[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]


def _evaluation(turn: PlayedTurn) -> answers.ApiEvaluation | None:
    said = turn.evaluation
    return None if said is None else answers.ApiEvaluation.model_validate(said)


ROOT = "/api/v1"
TEXT = {"type": "string"}
TURNS = {"type": "integer", "minimum": 0, "maximum": 9_999_999}
PAGE = QueryParameter(
    "page",
    "the number of the page; 1 is the first",
    {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": 1},
)
SEARCH = (
    QueryParameter("pool", "only games of this pool", TEXT),
    QueryParameter("engine", "only games of this engine, under all names it has had", TEXT),
    QueryParameter("opponent", "only its games against this engine", TEXT),
    QueryParameter("game", "only this game, as titles have it", TEXT),
    QueryParameter(
        "result",
        "; ".join(f"{word}: {meaning}" for word, meaning in WORDS.items()),
        {"type": "string", "enum": list(WORDS)},
    ),
    QueryParameter("from", "the least number of turns", TURNS),
    QueryParameter("to", "the greatest number of turns", TURNS),
    PAGE,
)


def api_routes(site: ArenaSite) -> list[SiteRoute]:
    """Return the routes of all answers."""
    api = Api(site)
    table = (
        ("", "The arena now", api.arena, answers.ApiArena, ()),
        ("/pools", "All pools", api.pools, answers.ApiPools, ()),
        ("/pools/{pool}", "A pool", api.pool, answers.ApiPool, ()),
        ("/pools/{pool}/ladder", "The ladder of a pool", api.ladder, answers.ApiLadder, (PAGE,)),
        ("/engines", "All engines", api.engines, answers.ApiEngines, (PAGE,)),
        ("/engines/{slug}", "An engine", api.engine, answers.ApiEngine, ()),
        ("/engines/{slug}/ratings/{pool}", "An engine's ratings over time", api.ratings,
         answers.ApiRatings, ()),
        ("/games", "Finished games that are looked for", api.games, answers.ApiGames, SEARCH),
        ("/games/{id}", "A game, running or over", api.game, answers.ApiGame, ()),
        ("/running", "The games that are played now", api.running, answers.ApiRunning, ()),
        ("/rulings", "The rulings of the keeper", api.rulings, answers.ApiRulings, ()),
        ("/leads", "Who took the lead of a pool", api.leads, answers.ApiLeads, ()),
    )  # fmt: skip
    return [
        SiteRoute(ROOT + path, summary, api.handler(handler, asks=bool(query)), answer, query)
        for path, summary, handler, answer, query in table
    ]
