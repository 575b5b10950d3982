"""The page of an engine: who it is, its rating over time, and what it did in each pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from oddly.interfaces.arena.pages.charts import hours_chart, rating_chart
from oddly.interfaces.arena.pages.ladder import slug_of
from oddly.interfaces.arena.pages.site import UNREADABLE
from oddly.interfaces.arena.pages.visit_pages import challenges_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.arena.registry import RegisteredEngine
    from oddly.interfaces.arena.pages.site import ArenaSite

OPPONENTS, OPENINGS = 100, 10
"""The maximum of rows in a table."""
STATES = {"rests": "rests, since a newer version plays", "retired": "is retired"}


class EnginePage:
    """Draws the page of an engine."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def engine(self, request: Request) -> Response:
        """Send the page of an engine."""
        site, arena = self._site, self._site.arena
        it = arena.registry.by_slug(request.path_params["slug"])
        if it is None:
            return site.drawn.nothing(request, "No such engine", "No engine has this address.")
        try:
            pools = [await self._pool(name, it) for name in arena.pools if self._played(name, it)]
        except UNREADABLE as error:
            return site.drawn.nothing(request, "This engine cannot be shown", f"{error}.", 503)
        playing = arena.play.playing.get(it.name)
        online = "It is online." if it.name in arena.sessions.online else "It is away."
        owner = arena.registry.owner(it.owner)
        return site.drawn.page(
            request,
            "engine.html",
            it=it,
            pools=pools,
            state=online if it.state.value == "plays" else f"It {STATES[it.state.value]}.",
            banned=owner.banned,
            game=playing.id if playing else "",
            **challenges_of(site, it.name),
            versions=arena.registry.family(it.family),
        )

    def _played(self, pool: str, it: RegisteredEngine) -> bool:
        return bool(self._site.arena.pools[pool].games[it.name])

    async def _pool(self, name: str, it: RegisteredEngine) -> dict[str, Any]:
        """Return what the page says about a pool. Raises LedgerError or sqlite3.Error."""
        disk, pool = self._site.disk, self._site.arena.pools[name]
        points = await trio.to_thread.run_sync(disk.ratings, name, it.name)
        profile, is_complete = await trio.to_thread.run_sync(
            disk.profile, name, it.name, OPPONENTS, OPENINGS
        )
        rank = next((row.rank for row in self._site.ladder(name) if row.name == it.name), 0)
        return {
            "pool": name,
            "rank": rank,
            "rating": pool.rating(it.name),
            "chart": rating_chart(points),
            "profile": profile,
            "is_complete": is_complete,
            "met": [(each, slug_of(self._site.arena, each.opponent)) for each in profile.met],
            "more": profile.opponents - len(profile.met),
            "hours": hours_chart(profile.hours),
            "thought": f"{profile.seconds / 3600:,.1f} h",
        }
