"""The server of the page: what answers at each address, from the start until Ctrl-C."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import trio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from oddly.engines.levels import level_list, levels
from oddly.games import (
    GAMES,
    Game,
    GameError,
    check_board_size,
    create_game,
    setting_text,
    settings_of,
)
from oddly.games.drawing.picture import geometry_of
from oddly.interfaces.human_play.lesson import course
from oddly.interfaces.human_play.sentences import what_the_list_says
from oddly.interfaces.serving.applications import NearRedirects, tagged
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.interfaces.serving.listening import allow_many_connections
from oddly.interfaces.web.access_policy import AccessPolicy, is_guest, refusal
from oddly.interfaces.web.analysis import Analyst, analysis_route
from oddly.interfaces.web.broadcast import Broadcast
from oddly.interfaces.web.exhibition import ExhibitionRoutes, Exhibitions
from oddly.interfaces.web.game_request import GameRequestError
from oddly.interfaces.web.lobby import Lobby
from oddly.interfaces.web.page_files import DrawnPages, PageFiles, load_static
from oddly.interfaces.web.play_routes import PlayRoutes, refuse
from oddly.interfaces.web.practice import learning_routes
from oddly.interfaces.web.security import AccessMiddleware
from oddly.interfaces.web.watch_routes import WatchRoutes
from oddly.interfaces.web.websockets import Places

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import anycorn
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from oddly.interfaces.web.bounds import Bounds
    from oddly.interfaces.web.game_request import InstalledEngine, WarmingUp
    from oddly.interfaces.web.game_store import GameStore
    from oddly.interfaces.web.stored_games import GamesFile


NICENESS = 5
PING = 20
"""Seconds between two pings."""


async def serve(
    listener: socket.socket,
    access: AccessPolicy,
    watched: Path | None,
    opponents: Mapping[str, InstalledEngine],
    hinting: InstalledEngine,
    file: GamesFile,
    store: GameStore,
    bounds: Bounds,
    warming: WarmingUp,
    ready: Callable[[], None],
) -> None:
    """Serve the page until SIGINT or SIGTERM, then close all games and stop all engines."""
    stop = trio.Event()
    # A tournament on this machine takes precedence.
    with suppress(OSError):
        os.nice(NICENESS)
    allow_many_connections()
    async with trio.open_nursery() as outer:
        await outer.start(await_signals, stop)
        async with trio.open_nursery() as inner:
            lobby = Lobby(inner, opponents, bounds, file, store)
            broadcast = Broadcast(watched)
            analyst = Analyst(hinting, inner, bounds)
            page = Page(lobby, broadcast, analyst, warming, bounds, access)
            inner.start_soon(_warm_up, warming, analyst)
            inner.start_soon(broadcast.follow)
            inner.start_soon(lobby.look_after)
            async with trio.open_nursery() as serving:
                app = page.application()
                serving.start_soon(keep_serving, app, listener, _config(bounds), stop)
                ready()
                await stop.wait()
                page.close()
            await analyst.stop()
            inner.cancel_scope.cancel()
        outer.cancel_scope.cancel()


async def _warm_up(warming: WarmingUp, analyst: Analyst) -> None:
    """Compile, then have the analysis engine load the result, before anybody waits for it."""
    if warming.games:
        # What reads a database imports Numba, which would hold up everybody's games. A failure here
        # recurs where one is read.
        with suppress(ImportError):
            for name in ("database", "opening_database"):
                await trio.to_thread.run_sync(import_module, f"oddly.engines.database.{name}")
    await warming.run()
    if warming.games:
        analyst.prepare(create_game(warming.games[0]))


def _config(bounds: Bounds) -> anycorn.Config:
    # Browsers answer pings, so a silent one is gone.
    config = server_config(read_timeout=3 * PING)
    config.websocket_ping_interval = PING
    config.websocket_max_message_size = 2 * bounds.message
    return config


class Page:
    """The handlers of all addresses."""

    def __init__(
        self,
        lobby: Lobby,
        broadcast: Broadcast,
        analyst: Analyst,
        warming: WarmingUp,
        bounds: Bounds,
        access: AccessPolicy,
    ) -> None:
        self.warming = warming
        self.analyst = analyst
        self.lobby = lobby
        self.broadcast = broadcast
        self.bounds = bounds
        self.access = access
        self.spectators = Places(bounds.spectators)
        self.files = PageFiles(load_static())
        self.facts = self._facts()

    def application(self) -> ASGIApp:
        """Return the page behind its access control."""
        games = PlayRoutes(self.lobby, self.access, self.bounds, self.spectators)
        exhibitions, pages = Exhibitions(self.lobby), DrawnPages(self.files)
        watching = WatchRoutes(self.broadcast, exhibitions, pages, self.bounds, self.spectators)

        async def index(request: Request) -> Response:
            return self.files.page(request, games.plain(request))

        compressed = [
            Route("/", index),
            Route("/static/{name}", self.file),
            Route("/api/facts", self.send_facts),
            Route("/api/boards/{shape}/{size:int}", self.board),
            *watching.routes(),
            *ExhibitionRoutes(exhibitions, self.access, self.bounds, pages).routes(),
            *learning_routes(),
            *games.routes(),
        ]
        routes = [
            analysis_route(self.analyst),
            *games.socket_routes(),
            *watching.socket_routes(),
            Mount("/", routes=compressed, middleware=[Middleware(GZipMiddleware)]),
        ]
        app = Starlette(
            routes=routes,
            exception_handlers={404: no_such_page, 405: no_such_method, GameRequestError: refuse},
        )
        return AccessMiddleware(NearRedirects(app), self.access, self.bounds, self._has)

    def _has(self, name: str) -> bool:
        """Return whether an address names a game, of the tournament or on the page."""
        return self.lobby.has(name) or self.broadcast.has(name)

    async def file(self, request: Request) -> Response:
        """Send a script, a style sheet or a picture."""
        found = self.files.file(request, request.path_params["name"])
        return found or await no_such_page(request)

    async def send_facts(self, request: Request) -> Response:
        """Send the games, the engines, and what the browser may do here."""
        guest = is_guest(request)
        now = {
            "watched": self.broadcast.path is not None and not guest,
            "warming": self.warming.now,
            "guest": guest,
            "may_open": self.access.lets_open(is_guest=guest),
        }
        return tagged(request, json.dumps({**self.facts, **now}).encode(), "application/json")

    async def board(self, request: Request) -> Response:
        """Send the geometry of an empty board."""
        shape, size = request.path_params["shape"], request.path_params["size"]
        try:
            if shape not in ("hexhex", "square"):
                return _sentence(f"There is no board {shape[:20]!r}.", 404)
            check_board_size("a board", shape, size)
        except GameError as error:
            return _sentence(f"{error}.", 404)
        return JSONResponse(geometry_of(shape, size).as_json(), headers={"cache-control": CACHED})

    def close(self) -> None:
        """Close the connection to every browser."""
        self.broadcast.close()
        self.lobby.close()
        self.analyst.close()

    def _facts(self) -> dict[str, Any]:
        opponents = self.lobby.opponents.values()
        games = [_game_facts(create_game(name)) for name in GAMES]
        return {
            "engines": [
                {"id": engine.id, "summary": engine.summary, "levels": engine.has_levels}
                for engine in opponents
            ],
            "games": games,
            "seconds": list(self.bounds.seconds),
        }


def _game_facts(game: Game) -> dict[str, Any]:
    """Return what the form to open a game shows."""
    settings = settings_of(type(game))
    return {
        "name": game.name,
        "title": game.title,
        "shape": game.board.shape,
        "size": game.quick_size or game.size,
        "usual": game.size,
        "levels": [
            {"number": level.number, "text": f"Level {level.number}, {level.name}"}
            for level in levels(game)
        ],
        "list": _list_facts(game),
        "sample": _sample(game.name),
        **_size_facts(game.sizes()),
        "boards": {
            shape: _size_facts(sizes)
            for name, info in settings.items()
            for shape in info.choices
            if name == "board" and (sizes := game.sizes(**{info.field: shape}))
        },
        "settings": {
            name: {
                "label": info.label,
                "kind": info.kind.__name__,
                "value": setting_text(info.default),
                "choices": list(info.choices.items()) or _SWITCH * (info.kind is bool),
            }
            for name, info in settings.items()
        },
    }


def _size_facts(sizes: Sequence[int]) -> dict[str, int]:
    """Return what a field for the size allows."""
    steps = {after - before for before, after in pairwise(sizes)}
    return {"low": sizes[0], "high": sizes[-1], "step": steps.pop() if len(steps) == 1 else 1}


def _sample(name: str) -> str:
    """Return a few turns of a game with their board, as a list of turns has them; empty if none."""
    taught = course(name)
    return f"# {taught.pictured}\n{' '.join(map(str, taught.turns[:4]))}" if taught else ""


def _list_facts(game: Game) -> dict[str, Any] | None:
    """Return how strong the levels are on the usual board; None if that was not measured."""
    found = level_list(game)
    if found is None:
        return None
    return {
        "ratings": [str(found.of(level.number)) for level in levels(game)],
        "says": what_the_list_says(found),
    }


async def no_such_page(request: Request, error: Exception | None = None) -> Response:
    """Say that nothing is at an address."""
    return refusal(request.scope, "There is no such page.", 404)


async def no_such_method(request: Request, error: Exception) -> Response:
    """Say which methods an address knows."""
    headers = getattr(error, "headers", None) or {}
    known = " and ".join(sorted(headers.get("Allow", "").split(", ")))
    answer = refusal(request.scope, f"This address knows only {known}.", 405)
    answer.headers.update(headers)
    return answer


_SWITCH = [("false", "no"), ("true", "yes")]
CACHED = "private, max-age=86400"


def _sentence(text: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(json.dumps({"sentence": text}), status, media_type="application/json")
