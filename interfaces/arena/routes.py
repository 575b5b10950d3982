"""The addresses of an arena's site: pages for people, and answers for programs.

At an unknown address, people read how to go on, and programs get JSON.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse
from starlette.routing import Route

from oddly.games import did_you_mean
from oddly.interfaces.arena.api.handlers import (
    OF_ALL,
    PAGE,
    ROOT,
    SEARCH,
    api_routes,
    problem,
    with_openapi,
)
from oddly.interfaces.arena.pages.answers import SitePages
from oddly.interfaces.arena.pages.archive_page import ArchivePage
from oddly.interfaces.arena.pages.downloads import FOLDER, Downloads, NightlyFiles
from oddly.interfaces.arena.pages.engine_page import EnginePages
from oddly.interfaces.arena.pages.feed import ATOM, GAMES, Feed, News
from oddly.interfaces.arena.pages.game_pages import PNG, SVG, TURN, GamePages
from oddly.interfaces.arena.pages.pool_pages import PoolPages
from oddly.interfaces.arena.pages.site import ArenaSite, ArenaTemplates, SiteRoute
from oddly.interfaces.arena.pages.visit_pages import TAPS, VisitPages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response

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
    if isinstance(error, HTTPException) and error.status_code == 405:
        known = " and ".join(sorted((error.headers or {}).get("Allow", "GET").split(", ")))
        sentence, status = f"This address knows only {known}.", 405
    else:
        sentence, status = f"No page has this address{_near(asked, paths) or '.'}", 404
    if asked == ROOT or asked.startswith(f"{ROOT}/"):
        return problem(f"{sentence} {ROOT}/openapi.json lists all addresses.", status)
    return drawn.nothing(request, "No such page", sentence, status)


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
