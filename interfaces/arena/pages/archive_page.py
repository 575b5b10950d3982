"""The archive of all finished games, with a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from oddly.games import did_you_mean, one_line
from oddly.games.wording import counted
from oddly.interfaces.arena.pages.answers import AskedError, asked_of, whole_number
from oddly.interfaces.arena.pages.site import UNREADABLE, ArenaSite, slug_of
from oddly.interfaces.viewer.archive_search import FIELDS, MAX_PAGE, AskedGames, pages_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.interfaces.arena.pages.reading import ArchivedGames

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
