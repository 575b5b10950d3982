"""The addresses of an arena's site: pages for people, and answers for programs.

The OpenAPI document lists all of them, with the schemas of their answers. At an unknown address,
people read how to go on, and programs get JSON.
"""

from __future__ import annotations

import inspect
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from oddly.games import did_you_mean
from oddly.games.installation import VERSION
from oddly.interfaces.arena.api_answers import ApiProblem
from oddly.interfaces.arena.api_handlers import (
    JSON,
    PAGE,
    ROOT,
    SEARCH,
    api_routes,
    problem,
)
from oddly.interfaces.arena.pages.answers import OF_ALL, SitePages
from oddly.interfaces.arena.pages.downloads import FOLDER, Downloads, NightlyFiles
from oddly.interfaces.arena.pages.feed import ATOM, GAMES, Feed, News
from oddly.interfaces.arena.pages.game_pages import PNG, SVG, TURN, ArchivePage, GamePages
from oddly.interfaces.arena.pages.rating_pages import EnginePages, PoolPages
from oddly.interfaces.arena.pages.site import ArenaSite, ArenaTemplates, SiteRoute
from oddly.interfaces.arena.pages.visit_pages import TAPS, VisitPages
from oddly.tournaments.toml.schema import WithoutTitles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pydantic import BaseModel
    from starlette.requests import Request

    from oddly.arena.registry import Registry
    from oddly.interfaces.arena.pages.answers import Handler
    from oddly.interfaces.arena.service import ArenaService


SLUG = "{slug}"
LONGEST = 40
"""Parts of an address with more characters get no suggestion."""


def say_missing(
    drawn: ArenaTemplates, request: Request, error: Exception, paths: Sequence[str]
) -> Response:
    """Say that an address has no page, or none for the method. `paths` has every page's path."""
    asked = str(request.scope["path"])
    headers: Mapping[str, str] = {}
    if isinstance(error, HTTPException) and error.status_code == 405:
        headers = error.headers or {}
        known = " and ".join(sorted(headers.get("Allow", "GET").split(", ")))
        sentence, status = f"This address knows only {known}.", 405
    else:
        sentence, status = f"No page has this address{_near(asked, paths) or '.'}", 404
    if asked == ROOT or asked.startswith(f"{ROOT}/"):
        answer = problem(f"{sentence} {ROOT}/openapi.json lists all addresses.", status)
    else:
        answer = drawn.nothing(request, "No such page", sentence, status)
    answer.headers.update(headers)
    return answer


def _near(asked: str, paths: Sequence[str]) -> str:
    """Return a question that suggests a similar address; empty if there is none."""
    known = [path.strip("/").split("/") for path in paths]
    for number, part in enumerate(asked.strip("/").split("/")):
        known = [path for path in known if len(path) > number]
        fit = [path for path in known if path[number] == part or path[number].startswith("{")]
        if not fit:
            here = {path[number] for path in known}
            return did_you_mean(part, sorted(here)) if len(part) <= LONGEST else ""
        known = fit
    return ""


def at_present_address(registry: Registry, path: str, handler: Handler) -> Handler:
    """Return a handler that redirects addresses with a former name of an engine."""
    after = path.partition(SLUG)[2]
    to = "../" * after.count("/") + SLUG + after

    async def answer(request: Request) -> Response:
        asked = request.path_params["slug"]
        engine = registry.called(asked)
        if engine is None or engine.slug == asked:
            return await handler(request)
        parts = {name: quote(part) for name, part in request.path_params.items()}
        query = f"?{request.url.query}" if request.url.query else ""
        found = to.format_map({**parts, "slug": engine.slug}) + query
        # Not kept by browsers, because the engine may get its old name back.
        return RedirectResponse(found, 308, OF_ALL | {"cache-control": "no-cache"})

    return answer


def site_pages(service: ArenaService) -> SitePages:
    """Return all pages of an arena."""
    site = ArenaSite(service)
    routes = site_routes(site)

    def refuse(request: Request, sentence: str) -> Response:
        is_api = str(request.scope["path"]).startswith(ROOT)
        return problem(sentence, 400) if is_api else site.drawn.refuse(request, sentence)

    async def missing(request: Request, error: Exception) -> Response:
        return say_missing(site.drawn, request, error, [each.path for each in routes])

    def answering(route: SiteRoute) -> Handler:
        names, handler = [parameter.name for parameter in route.query], route.handler
        if SLUG in route.path:
            handler = at_present_address(service.arena.registry, route.path, handler)
        return site.answers.to(handler, refuse, names) if route.is_kept else handler

    return SitePages(
        [
            Route(
                each.path,
                answering(each),
                # A route with an application of its own has no methods.
                methods=[each.method] if inspect.isroutine(each.handler) else None,
            )
            for each in routes
        ],
        missing,
    )


def site_routes(site: ArenaSite) -> list[SiteRoute]:
    """Return all routes of an arena's site, with their descriptions."""
    service = site.service
    feed = Feed(service)
    service.watchers.append(feed.watch)
    files = NightlyFiles(service.store.folder / FOLDER, site.disk.ledgers, site.disk.open)
    downloads = Downloads(site, files)
    service.closing.callback(site.disk.close)
    service.chores += [site.keep_counting, downloads.keep_writing]
    pools, engine, games = PoolPages(site), EnginePages(site), GamePages(site)
    archive = ArchivePage(site)
    pages = [
        SiteRoute("/", "Pools, leaders and running games", pools.front),
        SiteRoute("/pools/{pool}", "The ladder of a pool", pools.pool, query=(PAGE,)),
        SiteRoute("/pools/{pool}/ratings.csv", "The ratings now", pools.ratings, "text/csv"),
        SiteRoute("/tv", "Running games, moving turn by turn", games.tv),
        SiteRoute("/archive", "Finished games that are looked for", archive.archive, query=SEARCH),
        SiteRoute("/downloads", "The files that everybody may have", downloads.page),
        SiteRoute("/engines/{slug}", "An engine", engine.engine),
        SiteRoute("/games/{id}", "A game, running or over", games.game, query=(TURN,)),
        SiteRoute("/games/{id}/board.svg", "Its last position", games.board, SVG),
        SiteRoute("/games/{id}/board.png", "The same, for previews", games.preview, PNG),
        SiteRoute("/badges/{slug}/{pool}.svg", "A rating as a badge", engine.badge, SVG),
        SiteRoute("/feed.atom", "New leaders and new engines", News(site).atom, ATOM),
    ]
    visits = VisitPages(site)
    turns = "The turns of running games as they are played"
    seat = "/games/{id}/seat"
    others = [
        SiteRoute(
            "/engines/{slug}/challenge",
            "Begin an unrated game against an engine",
            visits.challenge,
            method="POST",
            is_kept=False,
        ),
        SiteRoute(seat, "A visitor's own game", visits.seat, query=(TAPS,), is_kept=False),
        SiteRoute(seat, "Play a turn", visits.turn, method="POST", is_kept=False),
        SiteRoute("/downloads/{name}", "One of these files", downloads, "*/*", is_kept=False),
        SiteRoute("/live", turns, feed, "text/event-stream", (GAMES,), is_kept=False),
        SiteRoute("/static/{name}", "A style or script", site.drawn.file, "text/*", is_kept=False),
    ]
    return with_openapi(site, [*pages, *api_routes(site), *others])


def with_openapi(site: ArenaSite, routes: Sequence[SiteRoute]) -> list[SiteRoute]:
    """Return routes, with one for the document that describes them all."""
    settings = site.arena.settings

    async def send(request: Request) -> Response:
        return Response(text, media_type=JSON)

    own = SiteRoute(f"{ROOT}/openapi.json", "This description", send, JSON)
    text = json.dumps(openapi_of(settings.name, settings.address, [*routes, own]))
    return [*routes, own]


REFERENCE = "#/components/schemas/{model}"
PROBLEMS = {
    "400": "what the address asks for cannot be read",
    "404": "there is none",
    "503": "the files of the arena cannot be read now",
}
MOVED = "the engine has another name now: its present address"
PATH_PARTS = {
    "pool": "the name of a pool",
    "slug": "the part of an engine's address, as in its name: 'my-engine'",
    "id": "the id of a game",
    "name": "the name of a file",
}


def openapi_of(arena: str, address: str, routes: Iterable[SiteRoute]) -> dict[str, Any]:
    """Return the document, as plain values."""
    routes = [*routes]
    models: dict[type[BaseModel], None] = {ApiProblem: None}
    for each in routes:
        if not isinstance(each.answer, str):
            models[each.answer] = None
    _, made = models_json_schema(
        [(model, "serialization") for model in models],
        ref_template=REFERENCE,
        schema_generator=WithoutTitles,
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"The arena {arena}",
            "version": VERSION,
            "description": "Everybody may read everything here, at most as often as the limits "
            "of the arena allow. Answers are at most a second old. A later version may have more "
            "members.",
        },
        "servers": [{"url": address}],
        "paths": _paths(routes),
        "components": {"schemas": made["$defs"]},
    }


def _paths(routes: Iterable[SiteRoute]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in routes:
        found.setdefault(each.path, {})[each.method.lower()] = _operation(each)
    return found


def _operation(route: SiteRoute) -> dict[str, Any]:
    parts = re.findall(r"{(\w+)}", route.path)
    parameters = [
        {"name": name, "in": "path", "required": True, "description": PATH_PARTS[name],
         "schema": {"type": "string"}}
        for name in parts
    ] + [
        {"name": each.name, "in": "query", "description": each.description, "schema": each.schema}
        for each in route.query
    ]  # fmt: skip
    is_made = not isinstance(route.answer, str)
    content = (
        {route.answer: {}}
        if isinstance(route.answer, str)
        else {JSON: {"schema": _reference(route.answer)}}
    )
    answers: dict[str, Any] = {"200": {"description": route.summary, "content": content}}
    if is_made:
        problem = {JSON: {"schema": _reference(ApiProblem)}}
        answers |= {
            code: {"description": said, "content": problem} for code, said in PROBLEMS.items()
        }
    elif parts:
        answers["404"] = {"description": PROBLEMS["404"]}
    if "slug" in parts:
        answers["308"] = {"description": MOVED}
    return {
        "operationId": _identity(route),
        "summary": route.summary,
        "tags": ["api" if route.path.startswith("/api/") else "pages"],
        **({"parameters": parameters} if parameters else {}),
        "responses": answers,
    }


def _identity(route: SiteRoute) -> str:
    name = re.sub(r"\W+", "_", route.path).strip("_") or "front"
    return name if route.method == "GET" else f"{route.method.lower()}_{name}"


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=model.__name__)}
