"""The page of a game, running or over, its board as a picture; and TV.

TV shows the running game of the strongest engines on a large board, and others in a grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from starlette.responses import PlainTextResponse, Response

from oddly.games.drawing.png import NoPngError
from oddly.interfaces.arena.pages.answers import asked_of, whole_number
from oddly.interfaces.arena.pages.feed import MAX_GAMES
from oddly.interfaces.arena.pages.shown import drawn, on_air
from oddly.interfaces.arena.pages.site import UNREADABLE, ArenaSite, QueryParameter
from oddly.interfaces.viewer.viewer import MAX_TURNS, board_file, board_png

if TYPE_CHECKING:
    from starlette.requests import Request

    from oddly.arena.game import ArenaGame
    from oddly.games import Position


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
