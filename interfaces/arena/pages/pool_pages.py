"""The front page, and the ladder of each pool."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from starlette.responses import Response

from oddly.games.untrusted_text import csv_cell
from oddly.interfaces.arena.pages.answers import asked_of, page_number
from oddly.interfaces.viewer.viewer import title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from oddly.interfaces.arena.pages.site import ArenaSite, LadderRow

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
