"""The pages of games: a game, running or over, TV, and the archive with its search.

A game's board is also a picture. TV shows the running game of the strongest engines on a large
board, and others in a grid. The archive has all finished games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from starlette.responses import PlainTextResponse, Response

from oddly.games import did_you_mean, one_line
from oddly.games.drawing.png import NoPngError
from oddly.games.wording import counted
from oddly.interfaces.arena.pages.answers import AskedError, asked_of, whole_number
from oddly.interfaces.arena.pages.feed import MAX_GAMES
from oddly.interfaces.arena.pages.shown import drawn, on_air
from oddly.interfaces.arena.pages.site import (
    UNREADABLE,
    ArenaSite,
    QueryParameter,
    not_now,
    slug_of,
)
from oddly.interfaces.viewer.archive_search import FIELDS, MAX_PAGE, AskedGames, pages_of
from oddly.interfaces.viewer.viewer import MAX_TURNS, board_file, board_png

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request

    from oddly.arena.game import ArenaGame
    from oddly.games import Position
    from oddly.interfaces.arena.pages.reading import ArchivedGames


SVG, PNG = "image/svg+xml", "image/png"
TURN = QueryParameter(
    "turn",
    "the number of turns after which the game is shown; by default all",
    {"type": "integer", "minimum": 0, "maximum": MAX_TURNS},
)


class GamePages:
    """Draws the pages of games, and TV."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def game(self, request: Request) -> Response:
        """Send a game, running or over, at one of its turns."""
        site = self._site
        turn = whole_number(asked_of(request, ("turn",)), "turn", 0, MAX_TURNS)
        try:
            shown = await site.game(request.path_params["id"])
        except UNREADABLE as error:
            return site.drawn.nothing(request, "This game cannot be shown", f"{error}.", 503)
        if shown is None:
            return site.drawn.nothing(request, "No such game", "No game has this address.")
        game = drawn(shown, turn)
        at, last = game["at"], game["last"]
        steps = [("Start", 0), ("Back", at - 1), ("On", at + 1), ("End", last)]
        inside = [(name, to if 0 <= to <= last and to != at else None) for name, to in steps]
        return site.drawn.page(request, "game.html", game=game, steps=inside)

    async def board(self, request: Request) -> Response:
        """Send the last position of a game as a picture."""
        found = await self._last(request)
        if isinstance(found, Response):
            return found
        return Response(board_file(*found), media_type=SVG)

    async def preview(self, request: Request) -> Response:
        """Send the last position as PNG, which every site that previews pages can show."""
        found = await self._last(request)
        if isinstance(found, Response):
            return found
        try:
            picture = await trio.to_thread.run_sync(board_png, *found)
        except NoPngError as error:
            return PlainTextResponse(f"{error}.\n", 503)
        return Response(picture, media_type=PNG)

    async def _last(self, request: Request) -> tuple[Position, str] | Response:
        """Return the last position of a game, with the turn before it; an answer if it has none."""
        try:
            shown = await self._site.game(request.path_params["id"])
        except UNREADABLE as error:
            return not_now(f"The game cannot be read: {error}.")
        if shown is None:
            return Response(status_code=404)
        return shown.positions[-1], shown.turns[-1].turn if shown.turns else ""

    async def tv(self, request: Request) -> Response:
        """Send the boards of TV as they are now; a script moves them turn by turn."""
        now = self._site.service.clock.now()
        games = [on_air(game, now) for game in self._chosen()]
        return self._site.drawn.page(
            request,
            "tv.html",
            large=games[0] if games else None,
            others=games[1:],
            ids=[game["id"] for game in games],
        )

    def _chosen(self) -> list[ArenaGame]:
        """Return the games whose engines rank highest in their pools, the best first."""
        ranks = {
            (pool, row.name): row.rank
            for pool in self._site.arena.pools
            for row in self._site.ladder(pool)
        }
        running = [*self._site.arena.play.games.values()]
        last = 1 + len(ranks)

        def places(game: ArenaGame) -> tuple[int, float]:
            found = [ranks.get((game.plan.pool, name), last) for name in game.players]
            return sum(found), game.began

        return sorted(running, key=places)[:MAX_GAMES]


ON_A_PAGE = 50
MAX_OFFERED = 200
"""Names that a field may suggest; an arena with more engines suggests none."""
ASKED = (*FIELDS, "pool", "page")


class ArchivePage:
    """Draws the archive."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def archive(self, request: Request) -> Response:
        """Send one page of the games that a search finds."""
        site = self._site
        try:
            asked, found = await search(site, request, ON_A_PAGE)
        except UNREADABLE as error:
            return site.drawn.nothing(request, "The archive cannot be read", f"{error}.", 503)
        names = sorted(found.engines, key=str.casefold)
        number = found.total
        text = f"{counted(number, 'game', ',')}{' found' if asked.is_search else ''}"
        if found.reached < number:
            text += f"; of all pools together, the last {found.reached:,} are listed: choose a pool"
        return site.drawn.page(
            request,
            "archive.html",
            asked=asked.fields,
            is_search=asked.is_search,
            pools=[*site.arena.pools],
            games=found.titles,
            engines=names if len(names) <= MAX_OFFERED else [],
            results=asked.results,
            rows=[
                (game, [slug_of(site.arena, name) for name in game.players]) for game in found.games
            ],
            found_text=text,
            pages=pages_of(asked, found.reached, ON_A_PAGE),
        )


async def search(
    site: ArenaSite, request: Request, on_a_page: int, *, only: bool = False
) -> tuple[AskedGames, ArchivedGames]:
    """Return what an address asks for, and the games found.

    With `only`, an address may have no other parameters. Raises AskedError, LedgerError and
    sqlite3.Error.
    """
    given = asked_of(request, ASKED, only=only)
    whole_number(given, "page", 1, MAX_PAGE)
    asked = AskedGames.of(_with_present_names(site, given), ("pool",))
    pool = asked.fields["pool"]
    if pool and pool not in site.arena.pools:
        near = _near(pool, site.arena.pools)
        raise AskedError(f"There is no pool {one_line(pool, 60)!r} in this arena{near}")
    pools = [pool] if pool else [*site.arena.pools]
    if asked.problem:
        raise AskedError(asked.problem)
    first = on_a_page * (asked.page - 1)
    found = await trio.to_thread.run_sync(
        site.disk.search, pools, asked.search, first, on_a_page, limiter=site.search_limiter
    )
    if not found.games:
        _say_what_is_unknown(site, asked, found)
        if first:
            last = max(1, -(-found.reached // on_a_page))
            raise AskedError(f"There is no page {asked.page:,}: the last is {last:,}.")
    return asked, found


def _with_present_names(site: ArenaSite, given: dict[str, str]) -> dict[str, str]:
    """Return the search with engines' names as they are now, and as they are spelled here."""
    found = dict(given)
    for field in ("engine", "opponent"):
        if field in given:
            found[field] = site.arena.registry.present_name(given[field])
    return found


def _say_what_is_unknown(site: ArenaSite, asked: AskedGames, found: ArchivedGames) -> None:
    """Raise AskedError for an engine or a game that is not in the pools."""
    registered = {engine.name for engine in site.arena.registry.engines.values()}
    engines = registered.union(found.engines)
    for field, noun, known in (("engine", "engine", engines), ("opponent", "engine", engines),
                               ("game", "game", found.titles)):  # fmt: skip
        text = asked.fields[field]
        if text and text not in known:
            raise AskedError(f"There is no {noun} {one_line(text, 60)!r} here{_near(text, known)}")


def _near(text: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that suggests a name for a misspelt one."""
    alike = [name for name in known if name[:1].casefold() == text[:1].casefold()][:MAX_OFFERED]
    return did_you_mean(text, alike) or "."
