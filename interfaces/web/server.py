"""The server: listening, serving until Ctrl-C, and stopping everything."""

from __future__ import annotations

import logging
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import anycorn
import trio
from anycorn.protocol.h11 import H11Protocol

from interfaces.web.adviser import Adviser
from interfaces.web.analysis import Analyst
from interfaces.web.application import Page
from interfaces.web.broadcast import Broadcast
from interfaces.web.lobby import Lobby

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from anycorn.typing import Framework
    from starlette.types import ASGIApp

    from interfaces.web.access_policy import AccessPolicy
    from interfaces.web.bounds import Bounds
    from interfaces.web.game_store import GameStore
    from interfaces.web.games_file import GamesFile
    from interfaces.web.installed_engines import InstalledEngine

BACKLOG = 256
FAREWELL = 0.25
"""Seconds for connections to close by themselves."""
BETWEEN_RESTARTS = 0.2
NICENESS = 5
PING = 20
"""Seconds between two pings."""
MAX_FILES = 65_536


def listen(host: str, port: int, bounds: Bounds) -> socket.socket:
    """Return a listening socket; port 0 means any free port. Raises OSError.

    The system drops a connection that receives nothing for `bounds.stalled` seconds, so a browser
    that does not read blocks nobody.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, bounds.unread)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            milliseconds = round(1000 * bounds.stalled)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


async def serve(
    listener: socket.socket,
    access: AccessPolicy,
    watched: Path | None,
    opponents: Mapping[str, InstalledEngine],
    hinting: InstalledEngine,
    file: GamesFile,
    store: GameStore,
    bounds: Bounds,
    ready: Callable[[], None],
) -> None:
    """Serve the page until SIGINT or SIGTERM, then close all games and stop all engines."""
    stop = trio.Event()
    # A tournament on this machine has precedence.
    with suppress(OSError):
        os.nice(NICENESS)
    allow_many_connections()
    refuse_http2()
    async with trio.open_nursery() as outer:
        await outer.start(_await_signals, stop)
        async with trio.open_nursery() as inner:
            configuration = hinting.configuration(max(bounds.seconds), bounds)
            adviser = Adviser(configuration, inner, bounds.hint)
            play = Lobby(inner, opponents, bounds, file, store, adviser)
            watch = Broadcast(watched)
            analyst = Analyst(hinting, inner, bounds)
            page = Page(play, watch, analyst, bounds)
            inner.start_soon(watch.follow)
            inner.start_soon(play.look_after)
            async with trio.open_nursery() as serving:
                serving.start_soon(_keep_serving, page.application(access), listener, bounds, stop)
                ready()
                await stop.wait()
                page.close()
            await adviser.stop()
            await analyst.stop()
            inner.cancel_scope.cancel()
        outer.cancel_scope.cancel()


def allow_many_connections() -> None:
    """Raise the limit of open files as far as the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def refuse_http2() -> None:
    """Keep anycorn from going over to HTTP/2 without TLS, for which it has no setting."""

    async def speak_http1(protocol: H11Protocol, request: object) -> None:
        """Treat the request as one of HTTP/1.1, which the application then refuses or answers."""

    H11Protocol._check_protocol = speak_http1  # type: ignore[method-assign,assignment]


async def _keep_serving(
    app: ASGIApp, listener: socket.socket, bounds: Bounds, stop: trio.Event
) -> None:
    """Restart the HTTP server if a request breaks it. Games survive that."""
    while not stop.is_set():
        # The server closes the socket that it gets.
        copy = listener.dup()
        try:
            await anycorn.serve(
                cast("Framework", app),
                _config(copy, bounds),
                shutdown_trigger=stop.wait,
                mode="asgi",
            )
        except Exception as error:
            with suppress(OSError):
                copy.close()
            print(f"oddly: the server began anew after {_causes(error)}", file=sys.stderr)
            await trio.sleep(BETWEEN_RESTARTS)


def _causes(error: BaseException) -> str:
    """Return the kinds of the innermost errors of a group, each once."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(dict.fromkeys(_causes(inner) for inner in error.exceptions))
    return type(error).__name__


def _config(listener: socket.socket, bounds: Bounds) -> anycorn.Config:
    config = anycorn.Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.alpn_protocols = ["http/1.1"]
    config.accesslog = None
    config.errorlog = _errors()
    config.graceful_timeout = FAREWELL
    # Browsers answer pings, so a silent one is gone.
    config.websocket_ping_interval = PING
    config.read_timeout = 3 * PING
    config.h11_max_incomplete_size = 16_384
    config.websocket_max_message_size = 2 * bounds.message
    config.max_app_queue_size = 4
    config.include_server_header = False
    return config


def _errors() -> logging.Logger:
    """Return a logger that prints only errors; `oddly serve` prints the address itself."""
    logger = logging.getLogger("oddly.web")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("oddly: %(message)s"))
        logger.addHandler(handler)
        logger.propagate = False
    logger.setLevel(logging.ERROR)
    return logger


async def _await_signals(
    stop: trio.Event, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Set `stop` at the first signal and exit at the second; the kernel then ends the engines."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        async for _ in signals:
            if stop.is_set():
                os._exit(1)
            stop.set()
