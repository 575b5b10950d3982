"""The pages of an arena by their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from oddly.interfaces.arena.pages.archive_page import ArchivePage
from oddly.interfaces.arena.pages.download_pages import DownloadedFile, Downloads
from oddly.interfaces.arena.pages.engine_page import EnginePage
from oddly.interfaces.arena.pages.feed import Feed
from oddly.interfaces.arena.pages.game_pages import GamePages
from oddly.interfaces.arena.pages.nightly import FOLDER, NightlyFiles
from oddly.interfaces.arena.pages.pool_pages import PoolPages
from oddly.interfaces.arena.pages.site import ArenaSite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.routing import BaseRoute

    from oddly.interfaces.arena.pages.answers import Handler
    from oddly.interfaces.arena.service import ArenaService


def page_routes(service: ArenaService) -> Sequence[BaseRoute]:
    """Return the routes of all pages of an arena."""
    site = ArenaSite(service)
    feed = Feed(service)
    service.watchers.append(feed.heed)
    files = NightlyFiles(service.store.folder / FOLDER, site.disk.ledgers, site.disk.open)
    downloads = Downloads(site, files)
    service.chores += [site.keep_counting, downloads.keep_writing]
    pools, engine, games = PoolPages(site), EnginePage(site), GamePages(site)
    pages: dict[str, Handler] = {
        "/": pools.front,
        "/pools/{pool}": pools.pool,
        "/pools/{pool}/ratings.csv": pools.ratings,
        "/archive": ArchivePage(site).archive,
        "/downloads": downloads.page,
        "/engines/{slug}": engine.engine,
        "/games/{id}": games.game,
        "/games/{id}/board.svg": games.board,
    }
    return [
        *(Route(path, site.answers.to(made, site.drawn.refuse)) for path, made in pages.items()),
        Route("/downloads/{name}", DownloadedFile(downloads)),
        Route("/live", feed),
        Route("/static/{name}", site.drawn.file),
    ]
