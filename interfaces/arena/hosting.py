"""An arena that is served: it listens, and stops so that it goes on when it is started again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from oddly.arena import MAX_FROM_ENGINE
from oddly.interfaces.arena.endpoint import Addresses, Endpoint
from oddly.interfaces.arena.health import health_route
from oddly.interfaces.arena.house_engines import play_for_house
from oddly.interfaces.arena.making import furnish, make_arena, open_store
from oddly.interfaces.arena.service import ArenaFailure, ArenaService, report
from oddly.interfaces.arena.writing import WriterThread
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.interfaces.serving.listening import allow_many_connections
from oddly.interfaces.serving.visitors import seen_through

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

    import anycorn
    from starlette.routing import BaseRoute

    from oddly.arena.arena import Arena
    from oddly.interfaces.arena.house_engines import House
    from oddly.interfaces.arena.settings_file import ArenaConfiguration

DRAWS_EVERY = 1.0
ROUNDS_AHEAD = 2
"""Openings that are drawn before a pair needs them."""
READ_TIMEOUT = 45
"""Seconds after which a connection from which nothing comes is closed."""
GOODBYE = 0.3


async def serve_arena(
    configuration: ArenaConfiguration,
    listener: socket.socket,
    ready: Callable[[ArenaService], None] = lambda _: None,
    routes: Callable[[ArenaService], Sequence[BaseRoute]] = lambda _: (),
) -> None:
    """Serve until SIGINT or SIGTERM; running games go on when it is started again.

    `routes` gives pages beside the endpoint. Raises ArenaFailure or UnusableFileError.
    """
    allow_many_connections()
    writer = WriterThread()
    try:
        store = await writer.run(lambda: open_store(configuration))
        try:
            address = configuration.table.address or _address(listener)
            arena = await writer.run(lambda: make_arena(configuration, store, address))
            house = await writer.run(lambda: furnish(configuration, arena, listener))
            service = ArenaService(arena, store, writer)
            await _serve(service, configuration, listener, house, ready, routes)
        finally:
            with trio.CancelScope(shield=True):
                await writer.run(lambda: store.__exit__(None, None, None))
    except BaseExceptionGroup as group:
        raise _first_failure(group) from None
    finally:
        writer.stop()


async def _serve(
    service: ArenaService,
    configuration: ArenaConfiguration,
    listener: socket.socket,
    house: House | None,
    ready: Callable[[ArenaService], None],
    routes: Callable[[ArenaService], Sequence[BaseRoute]],
) -> None:
    stop, no_more_work, no_more_requests = trio.Event(), trio.Event(), trio.Event()
    table = configuration.table
    endpoint = Endpoint(service, Addresses(table.connections, table.connections_per_address))
    own = (WebSocketRoute("/arena", endpoint.serve), health_route(service.arena))
    app = seen_through(Starlette(routes=[*own, *routes(service)]), configuration.proxies)
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, stop)
        nursery.start_soon(draw_openings, service.arena)
        nursery.start_soon(keep_serving, app, listener, _config(), no_more_requests)
        async with trio.open_nursery() as working:
            working.start_soon(service.work, no_more_work)
            nursery.start_soon(service.keep_time)
            nursery.start_soon(service.obey_orders)
            for chore in service.chores:
                nursery.start_soon(chore)
            if house is not None:
                for engine in configuration.engines:
                    nursery.start_soon(play_for_house, engine, house, report)
            ready(service)
            await stop.wait()
            service.arena.drain()
            no_more_work.set()
        service.say_goodbye()
        await trio.sleep(GOODBYE)
        no_more_requests.set()
        nursery.cancel_scope.cancel()


async def draw_openings(arena: Arena) -> None:
    """Have the openings of the next rounds drawn before a pair needs them."""
    while True:
        for pool in arena.pools.values():
            number = max(pool.met.values(), default=0) + ROUNDS_AHEAD
            preparation = pool.book.preparation(number)
            if preparation is not None:
                await trio.to_thread.run_sync(preparation, abandon_on_cancel=True)
        await trio.sleep(DRAWS_EVERY)


def _config() -> anycorn.Config:
    config = server_config(read_timeout=READ_TIMEOUT)
    config.websocket_max_message_size = MAX_FROM_ENGINE
    return config


def _address(listener: socket.socket) -> str:
    host, port, *_ = listener.getsockname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _first_failure(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the failure in a group that is meant for people; else the group."""
    for error in group.exceptions:
        found = _first_failure(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, ArenaFailure):
            return found
    return group
