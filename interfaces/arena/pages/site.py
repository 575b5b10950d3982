"""What all pages of an arena share: the arena, its files, its templates and its ladders.

A ladder is the ranking in a pool, as tables show it. The templates escape every text, and have
nothing inline. Each address of the site is declared with its handler, answer and parameters.
"""

from __future__ import annotations

import sqlite3
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import trio
from starlette.responses import PlainTextResponse, Response

from oddly.arena.names import skeleton
from oddly.interfaces.arena.pages.answers import FRESH, Answers
from oddly.interfaces.arena.pages.reading import Disk
from oddly.interfaces.arena.pages.shown import SpectatedGame, finished_game, running_game
from oddly.interfaces.serving.applications import FOR_GOOD, name_with_digest, tagged
from oddly.interfaces.viewer.viewer import templates_of, viewer_files
from oddly.tournaments import LedgerError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pydantic import BaseModel
    from starlette.requests import Request

    from oddly.arena.arena import Arena
    from oddly.arena.pool import RatedPool
    from oddly.interfaces.arena.service import ArenaService

    SiteHandler = Callable[..., Awaitable[Any]]


KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
         "svg": "image/svg+xml"}  # fmt: skip
HTML_IN_UTF_8 = "text/html; charset=utf-8"
MAX_DEPTH = 10
TRY_AGAIN = "10"
"""Seconds after which files that cannot be read are asked for again."""
PICTURE = "png" if find_spec("resvg_py") else "svg"


class ArenaTemplates:
    """The templates, with the files that they name."""

    def __init__(self, arena: str, address: str) -> None:
        self._arena, self._address = arena, address
        self._templates = templates_of("oddly.interfaces.arena")
        folder = files("oddly.interfaces.arena") / "static"
        found = {each.name: each.read_bytes() for each in folder.iterdir()}
        found["viewer.css"] = viewer_files()["viewer.css"].encode()
        self._names = {name: name_with_digest(name, data) for name, data in found.items()}
        self._files = {self._names[name]: data for name, data in found.items()}

    def page(
        self, request: Request, template: str, status: int = 200, **values: object
    ) -> Response:
        """Return the page of a template.

        Besides `values`, a template has `arena`, `url`, `address` (of the arena), `root` (the way
        to the front page), `picture` (the format of this machine's board pictures), and `file`,
        which returns the path of a file that a browser may keep for good.
        """
        path = str(request.scope["path"])
        depth = path.count("/") - 1
        root = "../" * depth or "./"
        if depth > MAX_DEPTH:
            # No page of ours: the way back would be longer than the page.
            root = f"{self._address}/"
        body = self._templates.get_template(template).render(
            arena=self._arena,
            url=self._address + path,
            address=self._address,
            root=root,
            picture=PICTURE,
            file=lambda name: f"{root}static/{self._names[name]}",
            **values,
        )
        return Response(body, status, {"content-type": HTML_IN_UTF_8})

    def nothing(self, request: Request, heading: str, sentence: str, status: int = 404) -> Response:
        """Return a page that says why there is nothing at an address."""
        page = self.page(request, "nothing.html", status, heading=heading, sentence=sentence)
        if status == 503:
            page.headers["retry-after"] = TRY_AGAIN
        return page

    def refuse(self, request: Request, sentence: str) -> Response:
        """Return a page that says what is wrong with its address."""
        return self.nothing(request, "This address cannot be read", sentence, 400)

    async def file(self, request: Request) -> Response:
        """Send a file, which a browser may keep for good."""
        name = request.path_params["name"]
        if name not in self._files:
            return self.nothing(request, "No such file", "There is no file of this name.")
        kind = KINDS[name.rpartition(".")[2]]
        return tagged(request, self._files[name], kind, FOR_GOOD)


class LadderRow(NamedTuple):
    """An engine in a pool."""

    rank: int
    name: str
    slug: str
    owner: str
    elo: float
    error: float
    """Half the 95 % interval."""
    games: int
    won: int
    drawn: int
    lost: int
    is_provisional: bool
    is_online: bool


def ladder_of(arena: Arena, pool: RatedPool) -> list[LadderRow]:
    """Return the engines with a game that counts, the highest rating first."""
    rows: list[LadderRow] = []
    for name, rating in pool.ratings().items():
        engine = arena.registry.engines.get(skeleton(name))
        if engine is None or not rating.games:
            continue
        won, drawn = pool.won[name], pool.drawn[name]
        rows.append(
            LadderRow(
                len(rows) + 1, name, engine.slug, engine.owner, rating.elo, rating.error,
                rating.games, won, drawn, rating.games - won - drawn, rating.provisional,
                name in arena.sessions.online,
            )
        )  # fmt: skip
    return rows


def slug_of(arena: Arena, name: str) -> str:
    """Return the slug of an engine; empty if no engine has that name.

    A renamed engine is found by its old name too.
    """
    engine = arena.registry.called(name)
    return "" if engine is None else engine.slug


COUNT_EVERY = 60.0
"""Seconds between two updates of the indexes without a request."""
SEARCHES = 8
"""The most searches of the archive at once; others wait."""
UNREADABLE = (LedgerError, sqlite3.Error)
"""Raised if a file of the arena cannot be read."""


def not_now(sentence: str) -> Response:
    """Return the answer to a program, without a page, that files cannot be read for the moment."""
    return PlainTextResponse(f"{sentence}\n", 503, {"retry-after": TRY_AGAIN})


class ArenaSite:
    """An arena as its pages see it."""

    def __init__(self, service: ArenaService) -> None:
        self.service, self.arena = service, service.arena
        settings = self.arena.settings
        self.drawn = ArenaTemplates(settings.name, settings.address)
        self.answers = Answers()
        self.disk = Disk(service.store.folder, self.arena.pools)
        # Searches that wait for the first count keep no other page from the disk.
        self.search_limiter = trio.CapacityLimiter(SEARCHES)
        self._ladders: dict[str, tuple[float, list[LadderRow]]] = {}

    @property
    def address(self) -> str:
        """The arena's public address, without a slash at the end."""
        return self.arena.settings.address

    def ladder(self, pool: str) -> Sequence[LadderRow]:
        """Return the rows of a pool, at most a second old. Raises KeyError."""
        made, rows = self._ladders.get(pool, (0.0, []))
        now = trio.current_time()
        if pool not in self._ladders or now - made > FRESH:
            rows = ladder_of(self.arena, self.arena.pools[pool])
            self._ladders[pool] = now, rows
        return rows

    def leader(self, pool: str) -> LadderRow | None:
        """Return the row of who leads a pool; None if nobody does yet. Raises KeyError."""
        name = self.arena.pools[pool].leader()
        return next((row for row in self.ladder(pool) if row.name == name), None)

    async def game(self, identity: str) -> SpectatedGame | None:
        """Return a game, running or over. Raises LedgerError or sqlite3.Error."""
        running = self.arena.play.games.get(identity)
        if running is not None:
            return running_game(running, self.service.clock.now())
        found = await trio.to_thread.run_sync(self.disk.game, identity)
        return None if found is None else finished_game(identity, found)

    async def keep_counting(self) -> None:
        """Keep the indexes up to date, so that no visitor has to wait for them."""
        while True:
            try:
                await trio.to_thread.run_sync(self.disk.count, abandon_on_cancel=True)
            except UNREADABLE:
                # The pages that need the file say so.
                pass
            await trio.sleep(COUNT_EVERY)


HTML = "text/html"


class QueryParameter(NamedTuple):
    """A parameter in the query of an address."""

    name: str
    description: str
    schema: dict[str, Any]


class SiteRoute(NamedTuple):
    """An address of the site, for a browser or for a program."""

    path: str
    summary: str
    handler: SiteHandler
    answer: type[BaseModel] | str = HTML
    """The class of a JSON answer, or the media type of another."""
    query: Sequence[QueryParameter] = ()
    method: str = "GET"
    is_kept: bool = True
    """Whether everyone who asks within a second gets the same answer."""
