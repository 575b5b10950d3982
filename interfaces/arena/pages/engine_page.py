"""The page of an engine: who it is, its rating over time, and its results in each pool.

A badge is a small picture of its rating in a pool, for its author's README.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import trio
from starlette.responses import Response

from oddly.games import xml_text
from oddly.interfaces.arena.pages.charts import hours_chart, rating_chart
from oddly.interfaces.arena.pages.game_pages import SVG
from oddly.interfaces.arena.pages.site import UNREADABLE, ArenaSite, slug_of
from oddly.interfaces.arena.pages.visit_pages import challenges_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from oddly.arena.registry import RegisteredEngine


OPPONENTS, OPENINGS = 100, 10
"""The maximum number of rows in a table."""
STATES = {"rests": "rests, since a newer version plays", "retired": "is retired"}
KEPT = {"cache-control": "public, max-age=300"}
"""How long a site that shows badges may keep one."""


class EnginePages:
    """Draws the pages of engines, and their badges."""

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

    async def badge(self, request: Request) -> Response:
        """Send the badge of an engine in a pool."""
        arena = self._site.arena
        it = arena.registry.by_slug(request.path_params["slug"])
        pool = arena.pools.get(request.path_params["pool"])
        if it is None or pool is None:
            said = "No such engine" if it is None else "No such pool"
            return self._site.drawn.nothing(request, said, "There is no such badge.")
        rating = pool.rating(it.name)
        if not rating.games:
            return Response(badge(pool.name, "not rated yet", UNSURE), 200, KEPT, SVG)
        mark = "?" if rating.provisional else ""
        text = f"{rating.elo:z.0f}{mark} ± {rating.error:.0f} Elo"
        colour = UNSURE if rating.provisional else SURE
        return Response(badge(pool.name, text, colour, it.name), 200, KEPT, SVG)


HEIGHT, EDGE, LETTER = 20, 6, 6.6
"""In pixels; a letter is as wide as the average letter of the widest common fonts."""
LABEL, SURE, UNSURE = "#3d3d3d", "#0b5394", "#6d6a62"
NAMESPACE = "http://www.w3.org/2000/svg"


def badge(label: str, value: str, colour: str, name: str = "") -> str:
    """Return a badge of two parts as SVG. Nothing in it is fetched or styled from elsewhere."""
    label, value = xml_text(label), xml_text(value)
    left, right = (round(LETTER * len(text)) + 2 * EDGE for text in (label, value))
    size = {"width": str(left + right), "height": str(HEIGHT)}
    told = f"{xml_text(name)} in {label}: {value}" if name else f"{label}: {value}"
    look = {"xmlns": NAMESPACE, **size, "role": "img", "aria-label": told,
            "font-family": "Verdana, 'DejaVu Sans', sans-serif", "font-size": "11"}  # fmt: skip
    root = ET.Element("svg", look)
    ET.SubElement(root, "title").text = told
    for x, width, fill, text in ((0, left, LABEL, label), (left, right, colour, value)):
        box = {"x": str(x), "width": str(width), "height": str(HEIGHT), "fill": fill}
        ET.SubElement(root, "rect", box)
        place = {"x": str(x + EDGE), "y": "14", "fill": "#ffffff", "lengthAdjust":
                 "spacingAndGlyphs", "textLength": str(width - 2 * EDGE)}  # fmt: skip
        ET.SubElement(root, "text", place).text = text
    return ET.tostring(root, "unicode")
