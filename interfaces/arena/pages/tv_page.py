"""TV: the running game of the strongest engines on a large board, and others in a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.interfaces.arena.pages.feed import MAX_GAMES
from oddly.interfaces.arena.pages.shown import on_air

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.arena.game import ArenaGame
    from oddly.interfaces.arena.pages.site import ArenaSite


class TvPage:
    """Draws the boards."""

    def __init__(self, site: ArenaSite) -> None:
        self._site = site

    async def tv(self, request: Request) -> Response:
        """Send the boards as they are now; a script moves them turn by turn."""
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
        """Return the games of the highest ranked engines of their pools, the best first."""
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
