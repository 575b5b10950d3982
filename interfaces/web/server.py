"""The server of the page: what answers at each address, from the start until Ctrl-C."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import trio
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute

from oddly.engines.levels import levels
from oddly.game_records.sgf_writing import sgf_game
from oddly.games import GAMES, GameError, check_board_size, create_game, setting_text, settings_of
from oddly.games.drawing.geometry import geometry_of
from oddly.interfaces.human_play.sentences import level_text, what_the_ratings_say
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.interfaces.serving.listening import allow_many_connections
from oddly.interfaces.viewer.viewer import viewer_files
from oddly.interfaces.web.analysis import Analyst
from oddly.interfaces.web.analysis_routes import AnalysisPages, learning_routes
from oddly.interfaces.web.broadcast import Broadcast
from oddly.interfaces.web.lobby import GameRequestError, Lobby
from oddly.interfaces.web.security import AccessMiddleware
from oddly.interfaces.web.websockets import FULL, Outbox, serve_websocket

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import anycorn
    from starlette.requests import Request
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from oddly.games import Game
    from oddly.interfaces.web.access_policy import AccessPolicy
    from oddly.interfaces.web.game_store import GamesFile, GameStore
    from oddly.interfaces.web.installed_engines import InstalledEngine, WarmingUp
    from oddly.interfaces.web.security import Bounds


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
    # A tournament on this machine has precedence.
    with suppress(OSError):
        os.nice(NICENESS)
    allow_many_connections()
    async with trio.open_nursery() as outer:
        await outer.start(await_signals, stop)
        async with trio.open_nursery() as inner:
            play = Lobby(inner, opponents, bounds, file, store)
            watch = Broadcast(watched)
            analyst = Analyst(hinting, inner, bounds)
            page = Page(play, watch, analyst, warming, bounds)
            inner.start_soon(warming.run)
            inner.start_soon(watch.follow)
            inner.start_soon(play.look_after)
            async with trio.open_nursery() as serving:
                app = page.application(access)
                serving.start_soon(keep_serving, app, listener, _config(bounds), stop)
                ready()
                await stop.wait()
                page.close()
            await analyst.stop()
            inner.cancel_scope.cancel()
        outer.cancel_scope.cancel()


def _config(bounds: Bounds) -> anycorn.Config:
    # Browsers answer pings, so a silent one is gone.
    config = server_config(read_timeout=3 * PING)
    config.websocket_ping_interval = PING
    config.websocket_max_message_size = 2 * bounds.message
    return config


NO_SUCH_GAME = 4404
"""The code that closes a WebSocket to a game that does not exist."""

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Page:
    """The handlers of all addresses."""

    def __init__(
        self, play: Lobby, watch: Broadcast, analyst: Analyst, warming: WarmingUp, bounds: Bounds
    ) -> None:
        self.warming = warming
        self.analyst = analyst
        self.play = play
        self.watch = watch
        self.bounds = bounds
        self.sockets = 0
        self.static = load_static()
        self.facts = self._facts()

    def application(self, access: AccessPolicy) -> ASGIApp:
        """Return the page behind its access control."""
        routes = [
            Route("/", self.index),
            Route("/static/{name}", self.file),
            Route("/api/facts", self.send_facts),
            Route("/api/boards/{shape}/{size:int}", self.board),
            Route("/api/games", self.open_game, methods=["POST"]),
            Route("/api/games/list", self.list_games, methods=["POST"]),
            Route("/api/games/{key}/sgf", self.sgf),
            Route("/api/watch/games/{name}", self.replay),
            *learning_routes(),
            *AnalysisPages(self.analyst).routes(),
            WebSocketRoute("/ws/play/{key}", self.play_socket),
            WebSocketRoute("/ws/watch", self.watch_socket),
        ]
        app = Starlette(routes=routes)
        return AccessMiddleware(app, access, self.bounds.body, self.play.has)

    async def index(self, request: Request) -> Response:
        """Send the page."""
        return self._static("index.html")

    async def file(self, request: Request) -> Response:
        """Send a script, a style sheet or a picture."""
        return self._static(request.path_params["name"])

    async def send_facts(self, request: Request) -> Response:
        """Send the games, the engines, and whether there is a tournament to watch."""
        now = {"watched": self.watch.path is not None, "warming": self.warming.now}
        return JSONResponse({**self.facts, **now})

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

    async def open_game(self, request: Request) -> Response:
        """Open a game and send the secret key to it."""
        try:
            game = self.play.open(await request.body())
        except GameRequestError as error:
            return _sentence(str(error), error.status)
        return JSONResponse({"id": game.links[0].key}, 201)

    async def list_games(self, request: Request) -> Response:
        """Send what a list shows of the games whose keys the browser has."""
        try:
            return JSONResponse({"games": self.play.listed(await request.body())})
        except GameRequestError as error:
            return _sentence(str(error), error.status)

    async def sgf(self, request: Request) -> Response:
        """Send a game so far as an SGF file."""
        try:
            kept = self.play.kept(request.path_params["key"])
        except GameRequestError as error:
            return _sentence(str(error), error.status)
        if kept is None:
            return _sentence("There is no such game.", 404)
        file = f"{kept.record.game.name}.sgf"
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(sgf_game(kept), media_type="application/x-go-sgf", headers=headers)

    async def replay(self, request: Request) -> Response:
        """Send a finished game of the tournament, position by position."""
        found = self.watch.replay(request.path_params["name"])
        return JSONResponse(found) if found else _sentence("There is no such game.", 404)

    async def play_socket(self, websocket: WebSocket) -> None:
        """Send a game as it goes on, and act on clicks."""
        await websocket.accept()
        try:
            found = self.play.find(websocket.path_params["key"])
        except GameRequestError as error:
            await websocket.close(NO_SUCH_GAME if error.status == 404 else FULL, str(error)[:120])
            return
        if found is None:
            await websocket.close(NO_SUCH_GAME)
            return
        game, link = found
        outbox = Outbox()

        def hear(message: dict[str, Any]) -> None:
            game.hear(outbox, message)

        if await self._has_place(websocket):
            game.join(outbox, link)
            try:
                await serve_websocket(websocket, outbox, self.bounds, hear)
            finally:
                game.leave(outbox)
                self.sockets -= 1

    async def watch_socket(self, websocket: WebSocket) -> None:
        """Send the tournament as it goes on."""
        await websocket.accept()
        outbox = Outbox()
        if await self._has_place(websocket):
            self.watch.join(outbox)
            try:
                await serve_websocket(websocket, outbox, self.bounds, lambda _: None)
            finally:
                self.watch.outboxes.discard(outbox)
                self.sockets -= 1

    def close(self) -> None:
        """Close the connection to every browser."""
        for outbox in [*self.watch.outboxes]:
            outbox.close()
        self.play.close()
        self.analyst.close()

    async def _has_place(self, websocket: WebSocket) -> bool:
        """Whether there is a place for a WebSocket; the caller must release it."""
        if self.sockets >= self.bounds.sockets:
            await websocket.close(FULL)
            return False
        self.sockets += 1
        return True

    def _static(self, name: str) -> Response:
        if name not in self.static:
            return _sentence("There is no such page.", 404)
        kind = KINDS["." + name.rpartition(".")[2]]
        headers = {"content-type": kind, "cache-control": "no-cache"}
        return Response(self.static[name], headers=headers)

    def _facts(self) -> dict[str, Any]:
        opponents = self.play.opponents.values()
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
    sizes = game.sizes()
    steps = {after - before for before, after in pairwise(sizes)}
    return {
        "name": game.name,
        "title": game.title,
        "shape": game.board.shape,
        "size": game.quick_size or game.size,
        "usual": game.size,
        "levels": [{"number": level.number, "text": level_text(level)} for level in levels(game)],
        "ratings_say": what_the_ratings_say(game),
        "low": sizes[0],
        "high": sizes[-1],
        "step": steps.pop() if len(steps) == 1 else 1,
        "settings": {
            name: {
                "label": info.label,
                "kind": info.kind.__name__,
                "value": setting_text(info.default),
                "choices": list(info.choices.items()) or _SWITCH * (info.kind is bool),
            }
            for name, info in settings_of(type(game)).items()
        },
    }


_SWITCH = [("false", "no"), ("true", "yes")]
CACHED = "private, max-age=86400"


def load_static() -> dict[str, bytes]:
    """Return the files of the page by name. Requests for other names fail."""
    folder = files("oddly.interfaces.web") / "static"
    found = {
        file.name: file.read_bytes()
        for file in folder.iterdir()
        if "." + file.name.rpartition(".")[2] in KINDS
    }
    return {name: text.encode() for name, text in viewer_files().items()} | found


def _sentence(text: str, status: int) -> PlainTextResponse:
    return PlainTextResponse(json.dumps({"sentence": text}), status, media_type="application/json")
