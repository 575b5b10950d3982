"""The pages with ratings: the front page, the ladder of each pool, and the page of an engine.

An engine's page says who it is, and has its rating over time and its results in each pool. Its
charts are SVG that takes its colours from the style sheet. A badge is a small picture of an
engine's rating in a pool, for its author's README.
"""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import trio
from markupsafe import Markup
from starlette.responses import Response

from oddly.games import xml_text
from oddly.games.drawing.charts import axis
from oddly.games.untrusted_text import csv_cell
from oddly.games.wording import counted
from oddly.interfaces.arena.pages.answers import asked_of, page_number
from oddly.interfaces.arena.pages.game_pages import SVG
from oddly.interfaces.arena.pages.site import UNREADABLE, ArenaSite, slug_of
from oddly.interfaces.arena.pages.visit_pages import challenges_of
from oddly.interfaces.viewer.viewer import title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from oddly.arena.registry import RegisteredEngine
    from oddly.interfaces.arena.pages.reading import RatingThen
    from oddly.interfaces.arena.pages.site import LadderRow


ON_A_PAGE = 100
ON_THE_FRONT = 50
CSV_HEAD = ("rank", "engine", "owner", "elo", "error_95", "games", "won", "drawn", "lost",
            "provisional")  # fmt: skip


class PoolPages:
    """Draws the front page and the ladders."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def front(self, request: Request) -> Response:
        """Send the front page."""
        site, arena = self._site, self._site.arena
        pools = []
        for name in arena.pools:
            rows = site.ladder(name)
            games = sum(row.games for row in rows) // 2
            leader = site.leader(name)
            pools.append({"name": name, "leader": leader, "engines": len(rows), "games": games})
        running = [*arena.play.games.values()]
        games_shown = [
            {"id": each.id, "players": each.players, "pool": each.plan.pool,
             "turn": len(each.turns) + 1}
            for each in running[:ON_THE_FRONT]
        ]  # fmt: skip
        address = site.address.replace("http", "ws", 1)
        return site.drawn.page(
            request,
            "front.html",
            pools=pools,
            games=games_shown,
            in_all=len(running),
            online=len(arena.sessions.online),
            command=f'oddly join {address}/arena --name "my engine" -- ./my-engine',
        )

    async def pool(self, request: Request) -> Response:
        """Send the ladder of a pool, page by page."""
        site, name = self._site, request.path_params["pool"]
        if name not in site.arena.pools:
            return site.drawn.nothing(request, "No such pool", "This arena has no such pool.")
        rows, facts = site.ladder(name), site.arena.pools[name].facts
        page, last = page_number(asked_of(request, ("page",)), len(rows), ON_A_PAGE)
        return site.drawn.page(
            request,
            "pool.html",
            pool=name,
            title=title(facts.game),
            time=str(facts.control),
            rows=rows[(page - 1) * ON_A_PAGE : page * ON_A_PAGE],
            leader=site.leader(name),
            in_all=len(rows),
            drawn=any(row.drawn for row in rows),
            before=page - 1 if page > 1 else 0,
            after=page + 1 if page < last else 0,
        )

    async def ratings(self, request: Request) -> Response:
        """Send the ratings of a pool as CSV, as they are now."""
        site, name = self._site, request.path_params["pool"]
        if name not in site.arena.pools:
            return site.drawn.nothing(request, "No such pool", "This arena has no such pool.")
        return Response(ratings_csv(site.ladder(name)), media_type="text/csv")


def ratings_csv(rows: Sequence[LadderRow]) -> str:
    """Return the ratings of a pool as CSV, the best first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    for row in rows:
        who = (row.rank, csv_cell(row.name), csv_cell(row.owner), row.elo, row.error)
        writer.writerow((*who, row.games, row.won, row.drawn, row.lost, int(row.is_provisional)))
    return text.getvalue()


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


BADGE_HEIGHT, EDGE, LETTER = 20, 6, 6.6
"""In pixels; a letter is as wide as the average letter of the widest common fonts."""
LABEL, SURE, UNSURE = "#3d3d3d", "#0b5394", "#6d6a62"
NAMESPACE = "http://www.w3.org/2000/svg"


def badge(label: str, value: str, colour: str, name: str = "") -> str:
    """Return a badge of two parts as SVG. Nothing in it is fetched or styled from elsewhere."""
    label, value = xml_text(label), xml_text(value)
    left, right = (round(LETTER * len(text)) + 2 * EDGE for text in (label, value))
    size = {"width": str(left + right), "height": str(BADGE_HEIGHT)}
    told = f"{xml_text(name)} in {label}: {value}" if name else f"{label}: {value}"
    look = {"xmlns": NAMESPACE, **size, "role": "img", "aria-label": told,
            "font-family": "Verdana, 'DejaVu Sans', sans-serif", "font-size": "11"}  # fmt: skip
    root = ET.Element("svg", look)
    ET.SubElement(root, "title").text = told
    for x, width, fill, text in ((0, left, LABEL, label), (left, right, colour, value)):
        box = {"x": str(x), "width": str(width), "height": str(BADGE_HEIGHT), "fill": fill}
        ET.SubElement(root, "rect", box)
        place = {"x": str(x + EDGE), "y": "14", "fill": "#ffffff", "lengthAdjust":
                 "spacingAndGlyphs", "textLength": str(width - 2 * EDGE)}  # fmt: skip
        ET.SubElement(root, "text", place).text = text
    return ET.tostring(root, "unicode")


WIDTH, LEFT, RIGHT = 640, 52, 8
HEIGHT, FOOT = 240, 30
WIDEST = 400.0
"""Larger errors, in Elo, are cut off: the first games would flatten the rest of the chart."""
BARS = 110


def rating_chart(points: Sequence[RatingThen]) -> Markup:
    """Return ratings over time with their 95 % bands; empty for fewer than two.

    An hour has one point, its last rating.
    """
    if len(points) < 2:
        return Markup()
    first, last = points[0], points[-1]
    told = (
        f"Rating from {_day(first)} to {_day(last)}: at the end {last.elo:z.0f} Elo, "
        f"plus or minus {last.error:.0f}, after {counted(last.games, 'game', ',')}"
    )
    root = _root(HEIGHT, told)
    settled = [each for each in points if each.error <= WIDEST] or points
    low = min(each.elo - min(each.error, WIDEST) for each in settled)
    high = max(each.elo + min(each.error, WIDEST) for each in settled)
    up = axis(low, high, HEIGHT - FOOT, 10)
    moments = [_moment(each) for each in points]
    span = max(1.0, moments[-1] - moments[0])

    def places(sign: int) -> list[str]:
        found = []
        for each, moment in zip(points, moments, strict=True):
            x = LEFT + (moment - moments[0]) / span * (WIDTH - LEFT - RIGHT)
            value = min(up.high, max(up.low, each.elo + sign * each.error))
            found.append(f"{x:.1f},{up.at(value):.1f}")
        return found

    for tick in up.ticks:
        y = f"{up.at(tick):.1f}"
        line = {"class": "grid", "x1": str(LEFT), "x2": str(WIDTH - RIGHT), "y1": y, "y2": y}
        ET.SubElement(root, "line", line)
        _text(root, LEFT - 6, up.at(tick) + 4, f"{tick:g}", "end")
    band = [*places(1), *reversed(places(-1))]
    ET.SubElement(root, "polygon", {"class": "band", "points": " ".join(band)})
    ET.SubElement(root, "polyline", {"class": "middle", "points": " ".join(places(0))})
    for x, each, anchor in ((LEFT, first, "start"), (WIDTH - RIGHT, last, "end")):
        _text(root, x, HEIGHT - 8, f"{_day(each)}, {counted(each.games, 'game', ',')}", anchor)
    return _markup(root)


def hours_chart(hours: Sequence[int]) -> Markup:
    """Return a bar for each hour of the day, with its games; empty if there are none."""
    most = max(hours, default=0)
    if not most:
        return Markup()
    busiest = hours.index(most)
    root = _root(BARS, f"Games by the hour in which they ended: most at {busiest} UTC, {most:,}")
    step, foot = (WIDTH - LEFT - RIGHT) / len(hours), BARS - 20
    for hour, games in enumerate(hours):
        height = games / most * (foot - 8)
        bar = {"class": "bar", "x": f"{LEFT + hour * step + 1:.1f}", "y": f"{foot - height:.1f}",
               "width": f"{step - 2:.1f}", "height": f"{height:.1f}"}  # fmt: skip
        ET.SubElement(ET.SubElement(root, "g"), "rect", bar)
        if hour % 6 == 0:
            _text(root, LEFT + (hour + 0.5) * step, BARS - 5, f"{hour}", "middle")
    _text(root, LEFT - 6, 14, f"{most:,}", "end")
    _text(root, WIDTH - RIGHT, BARS - 5, "hour, UTC", "end")
    return _markup(root)


def _root(height: int, told: str) -> ET.Element:
    look = {"viewBox": f"0 0 {WIDTH} {height}", "class": "chart", "role": "img", "font-size": "12"}
    root = ET.Element("svg", look)
    ET.SubElement(root, "title").text = told
    return root


def _text(root: ET.Element, x: float, y: float, text: str, anchor: str) -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
    ET.SubElement(root, "text", place).text = text


def _markup(root: ET.Element) -> Markup:
    # The library that writes XML escapes every text in it.
    return Markup(ET.tostring(root, "unicode"))  # noqa: S704


def _moment(point: RatingThen) -> float:
    return datetime.fromisoformat(f"{point.hour}:00").replace(tzinfo=UTC).timestamp()


def _day(point: RatingThen) -> str:
    return point.hour[:10]
