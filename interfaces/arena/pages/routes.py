"""The pages of an arena by their addresses: front page, ladders, engines, games."""

from __future__ import annotations

import csv
import io
import sqlite3
from typing import TYPE_CHECKING

import trio
from starlette.responses import Response
from starlette.routing import Route

from oddly.games.untrusted_text import csv_cell
from oddly.interfaces.arena.pages.drawn import ArenaTemplates, rating_chart, with_headers
from oddly.interfaces.arena.pages.feed import Feed
from oddly.interfaces.arena.pages.ladder import LadderRow, ladder_of, opponents_of
from oddly.interfaces.arena.pages.reading import Disk
from oddly.interfaces.arena.pages.shown import SpectatedGame, drawn, finished_game, running_game
from oddly.interfaces.viewer.drawn_board import board_file
from oddly.interfaces.viewer.words import title
from oddly.tournaments import LedgerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from oddly.interfaces.arena.service import ArenaService

ON_A_PAGE = 100
ON_THE_FRONT = 50
FRESH = 1.0
"""Seconds for which a ladder is not made anew."""
CSV_HEAD = ("rank", "engine", "owner", "elo", "error_95", "games", "won", "drawn", "lost",
            "provisional")  # fmt: skip


def page_routes(service: ArenaService) -> Sequence[BaseRoute]:
    """Return the routes of all pages of an arena."""
    pages = ArenaPages(service)
    service.watchers.append(pages.feed.heed)
    return [
        Route("/", pages.front),
        Route("/pools/{pool}", pages.pool),
        Route("/pools/{pool}/ratings.csv", pages.ratings),
        Route("/engines/{slug}", pages.engine),
        Route("/games/{id}", pages.game),
        Route("/games/{id}/board.svg", pages.board),
        Route("/live", pages.feed),
        Route("/static/{name}", pages.drawn.file),
    ]


class ArenaPages:
    """Draws the pages."""

    def __init__(self, service: ArenaService) -> None:
        self._service, self._arena = service, service.arena
        settings = self._arena.settings
        self.drawn = ArenaTemplates(settings.name, settings.address)
        self.feed = Feed(service)
        self._disk = Disk(service.store.folder, self._arena.pools)
        self._ladders: dict[str, tuple[float, list[LadderRow]]] = {}

    def ladder(self, pool: str) -> list[LadderRow]:
        """Return the rows of a pool, at most a second old. Raises KeyError."""
        made, rows = self._ladders.get(pool, (-FRESH, []))
        now = trio.current_time()
        if pool not in self._ladders or now - made > FRESH:
            rows = ladder_of(self._arena, self._arena.pools[pool])
            self._ladders[pool] = now, rows
        return rows

    async def front(self, request: Request) -> Response:
        """Send the front page."""
        pools = []
        for name in self._arena.pools:
            rows = self.ladder(name)
            games = sum(row.games for row in rows) // 2
            first = rows[0] if rows else None
            pools.append({"name": name, "first": first, "engines": len(rows), "games": games})
        running = [*self._arena.play.games.values()]
        games_shown = [
            {"id": each.id, "players": each.players, "pool": each.plan.pool,
             "turn": len(each.turns) + 1}
            for each in running[:ON_THE_FRONT]
        ]  # fmt: skip
        address = self._arena.settings.address.replace("http", "ws", 1)
        return self.drawn.page(
            request,
            "front.html",
            pools=pools,
            games=games_shown,
            in_all=len(running),
            online=len(self._arena.sessions.online),
            command=f'oddly join {address}/arena --name "my engine" -- ./my-engine',
        )

    async def pool(self, request: Request) -> Response:
        """Send the ladder of a pool, page by page."""
        name = request.path_params["pool"]
        if name not in self._arena.pools:
            return self.drawn.nothing(request, "No such pool", "This arena has no such pool.")
        rows, facts = self.ladder(name), self._arena.pools[name].facts
        last = max(1, -(-len(rows) // ON_A_PAGE))
        page = min(last, max(1, _number(request.query_params.get("page", "")) or 1))
        return self.drawn.page(
            request,
            "pool.html",
            pool=name,
            title=title(facts.game),
            time=str(facts.control),
            rows=rows[(page - 1) * ON_A_PAGE : page * ON_A_PAGE],
            first=rows[0] if rows else None,
            in_all=len(rows),
            drawn=any(row.drawn for row in rows),
            before=page - 1 if page > 1 else 0,
            after=page + 1 if page < last else 0,
        )

    async def ratings(self, request: Request) -> Response:
        """Send the ratings of a pool as CSV."""
        name = request.path_params["pool"]
        if name not in self._arena.pools:
            return self.drawn.nothing(request, "No such pool", "This arena has no such pool.")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(CSV_HEAD)
        for row in self.ladder(name):
            who = (row.rank, csv_cell(row.name), csv_cell(row.owner), row.elo, row.error)
            writer.writerow(
                (*who, row.games, row.won, row.drawn, row.lost, int(row.is_provisional))
            )
        return with_headers(Response(text.getvalue(), media_type="text/csv"))

    async def engine(self, request: Request) -> Response:
        """Send the page of an engine."""
        it = self._arena.registry.by_slug(request.path_params["slug"])
        if it is None:
            return self.drawn.nothing(request, "No such engine", "No engine has this address.")
        parts = []
        for name, pool in self._arena.pools.items():
            if pool.games[it.name]:
                points = await trio.to_thread.run_sync(self._disk.ratings, name, it.name)
                met = opponents_of(self._arena, pool, it.name)
                parts.append(
                    {"pool": name, "rating": pool.rating(it.name), "chart": rating_chart(points),
                     "met": met[:ON_A_PAGE], "more": max(0, len(met) - ON_A_PAGE)}
                )  # fmt: skip
        playing = self._arena.play.playing.get(it.name)
        online = "It is online." if it.name in self._arena.sessions.online else "It is away."
        return self.drawn.page(
            request,
            "engine.html",
            it=it,
            pools=parts,
            state=online if it.state.value == "plays" else f"It {_STATES[it.state.value]}.",
            game=playing.id if playing else "",
            versions=self._arena.registry.family(it.family),
        )

    async def game(self, request: Request) -> Response:
        """Send a game, running or over, at one of its turns."""
        try:
            shown = await self._shown(request.path_params["id"])
        except (LedgerError, sqlite3.Error) as error:
            return self.drawn.nothing(request, "This game cannot be shown", f"{error}", 503)
        if shown is None:
            return self.drawn.nothing(request, "No such game", "No game has this address.")
        game = drawn(shown, _number(request.query_params.get("turn", "")))
        at, last = game["at"], game["last"]
        steps = [("Start", 0), ("Back", at - 1), ("On", at + 1), ("End", last)]
        inside = [(name, to if 0 <= to <= last and to != at else None) for name, to in steps]
        return self.drawn.page(request, "game.html", game=game, steps=inside)

    async def board(self, request: Request) -> Response:
        """Send the last position of a game as a picture."""
        try:
            shown = await self._shown(request.path_params["id"])
        except (LedgerError, sqlite3.Error):
            shown = None
        if shown is None:
            return with_headers(Response(status_code=404))
        last = shown.turns[-1].turn if shown.turns else ""
        picture = board_file(shown.positions[-1], last)
        return with_headers(Response(picture, media_type="image/svg+xml"))

    async def _shown(self, identity: str) -> SpectatedGame | None:
        """Return a game. Raises LedgerError or sqlite3.Error."""
        running = self._arena.play.games.get(identity)
        if running is not None:
            return running_game(running, self._service.clock.now())
        found = await trio.to_thread.run_sync(self._disk.game, identity)
        return None if found is None else finished_game(identity, *found)


_STATES = {"rests": "rests, since a newer version plays", "retired": "is retired"}


def _number(text: str) -> int | None:
    """Return a whole number from 0; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
