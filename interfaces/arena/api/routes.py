"""The routes of `/api/v1`, each with its description for the OpenAPI document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from starlette.responses import Response

from oddly.interfaces.arena.api import answers
from oddly.interfaces.arena.api.handlers import Api
from oddly.interfaces.arena.api.openapi import JSON, openapi_of
from oddly.interfaces.arena.pages.site_route import QueryParameter, SiteRoute
from oddly.interfaces.viewer.archive_search import MAX_PAGE, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from oddly.interfaces.arena.pages.site import ArenaSite

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
    QueryParameter("engine", "only games of this engine", TEXT),
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
        SiteRoute(ROOT + path, summary, api.handler(handler), answer, query)
        for path, summary, handler, answer, query in table
    ]


def with_openapi(site: ArenaSite, routes: Sequence[SiteRoute]) -> list[SiteRoute]:
    """Return routes together with the route of the document that describes them all."""
    settings = site.arena.settings

    async def send(request: Request) -> Response:
        return Response(text, media_type=JSON)

    own = SiteRoute(f"{ROOT}/openapi.json", "This description", send, JSON)
    text = json.dumps(openapi_of(settings.name, settings.address, [*routes, own]))
    return [*routes, own]
