"""The server of the page: serving until Ctrl-C, and stopping everything."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

import trio

from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.interfaces.serving.listening import allow_many_connections
from oddly.interfaces.web.analysis import Analyst
from oddly.interfaces.web.application import Page
from oddly.interfaces.web.broadcast import Broadcast
from oddly.interfaces.web.lobby import Lobby

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import anycorn

    from oddly.interfaces.web.access_policy import AccessPolicy
    from oddly.interfaces.web.bounds import Bounds
    from oddly.interfaces.web.game_store import GamesFile, GameStore
    from oddly.interfaces.web.installed_engines import InstalledEngine, WarmingUp

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
