"""Serves an arena, and stops it so that its games go on after a restart.

`/healthz` tells the machine's monitoring whether it writes and plays, and `/metrics` what it does,
for Prometheus. Counters grow as long as the process runs; the other numbers are current.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

import trio
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import choose_encoder
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from oddly.arena.effects import Batch, Begun, EngineJoined, EngineRefused, Finished, TurnCounted
from oddly.arena.sessions import Addresses, is_here
from oddly.games.installation import VERSION
from oddly.games.wording import counted
from oddly.interfaces.arena.endpoint import Endpoint
from oddly.interfaces.arena.event_log import LogEntry, note, report, watch
from oddly.interfaces.arena.making import House, furnish, make_arena, open_store, play_for_house
from oddly.interfaces.arena.pages.answers import SitePages, arena_application
from oddly.interfaces.arena.service import ArenaFailure, ArenaService, WriterThread
from oddly.interfaces.serving.applications import seen_through
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.interfaces.serving.listening import (
    Certificate,
    CertificateError,
    allow_many_connections,
    listen,
)
from oddly.safe_files import UnusableFileError

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Iterator, Sequence

    import anycorn
    from starlette.requests import Request

    from oddly.arena.arena import Arena
    from oddly.interfaces.arena.settings_file import ArenaConfiguration
    from oddly.interfaces.serving.applications import Network


DRAWS_EVERY = 1.0
ROUNDS_AHEAD = 2
"""Openings that are drawn before a pair needs them."""
READ_TIMEOUT = 45
"""Seconds after which a silent connection is closed."""
GOODBYE = 0.3
UNREAD, STALLED = 65_536, 20.0
"""Bytes that may wait for a reader, and seconds after which one that reads nothing is dropped."""


class _Doors(NamedTuple):
    """Where an arena listens."""

    public: socket.socket
    certificate: Certificate | None
    house: socket.socket
    """The public socket, or one without TLS for the arena's own engines."""


async def serve_arena(
    configuration: ArenaConfiguration,
    listener: socket.socket,
    ready: Callable[[ArenaService], None] = lambda _: None,
    pages: Callable[[ArenaService], SitePages] = lambda _: SitePages(()),
) -> None:
    """Serve until SIGINT or SIGTERM; running games go on at the next start.

    `pages` are served beside the endpoint. Raises ArenaFailure or UnusableFileError.
    """
    allow_many_connections()
    writer = WriterThread()
    try:
        store = await writer.run(lambda: open_store(configuration))
        try:
            with _doors(configuration, listener) as doors:
                address = configuration.table.address or _address(doors)
                arena = await writer.run(lambda: make_arena(configuration, store, address))
                house = await writer.run(lambda: furnish(configuration, arena, doors.house))
                service = ArenaService(arena, store, writer)
                with service.closing:
                    await _serve(service, configuration, doors, house, ready, pages)
        finally:
            with trio.CancelScope(shield=True):
                await writer.run(lambda: store.__exit__(None, None, None))
    except BaseExceptionGroup as group:
        raise _first_failure(group) from None
    finally:
        writer.stop()


@contextmanager
def _doors(configuration: ArenaConfiguration, listener: socket.socket) -> Iterator[_Doors]:
    """Yield all doors. Raises UnusableFileError if the certificate cannot be used."""
    if configuration.certificate is None:
        yield _Doors(listener, None, listener)
        return
    try:
        certificate = Certificate(configuration.certificate)
    except CertificateError as error:
        raise UnusableFileError(str(error)) from None
    with listen("127.0.0.1", 0, unread=UNREAD, stalled=STALLED) as inner:
        yield _Doors(listener, certificate, inner)


async def _serve(
    service: ArenaService,
    configuration: ArenaConfiguration,
    doors: _Doors,
    house: House | None,
    ready: Callable[[ArenaService], None],
    pages: Callable[[ArenaService], SitePages],
) -> None:
    stop, no_more_work, no_more_requests = trio.Event(), trio.Event(), trio.Event()
    service.watchers.append(watch)
    table = configuration.table
    endpoint = Endpoint(service, Addresses(table.connections, table.connections_per_address))
    own = (WebSocketRoute("/arena", endpoint.serve), health_route(service.arena))
    found = pages(service)
    application = arena_application(found._replace(routes=[*own, *found.routes]))
    app = seen_through(application, configuration.proxies)
    async with trio.open_nursery() as nursery:
        # If there is a certificate, SIGHUP reads it again.
        hangups_stop = doors.certificate is None
        await nursery.start(partial(await_signals, stop, hangups_stop=hangups_stop))
        nursery.start_soon(draw_openings, service.arena)
        context = None
        if doors.certificate is not None:
            context = doors.certificate.context
            await nursery.start(doors.certificate.obey_hangups, report)
            nursery.start_soon(doors.certificate.keep_reading, report)
            nursery.start_soon(keep_serving, app, doors.house, _config(), no_more_requests)
        nursery.start_soon(keep_serving, app, doors.public, _config(context), no_more_requests)
        async with trio.open_nursery() as working:
            working.start_soon(service.work, no_more_work)
            nursery.start_soon(service.keep_time)
            nursery.start_soon(service.obey_orders)
            for chore in service.chores:
                nursery.start_soon(chore)
            if house is not None:
                for engine in configuration.engines:
                    nursery.start_soon(play_for_house, engine, house, report)
            _note_start(service)
            ready(service)
            await stop.wait()
            service.arena.drain()
            no_more_work.set()
        service.say_goodbye()
        games = len(service.arena.play.games)
        go = "goes" if games == 1 else "go"
        said = f"the arena stops; {counted(games, 'game')} {go} on when it is started again"
        note(LogEntry("stopped", said, {"games": games}))
        await trio.sleep(GOODBYE)
        no_more_requests.set()
        nursery.cancel_scope.cancel()


def _note_start(service: ArenaService) -> None:
    address, games = service.arena.settings.address, len(service.arena.play.games)
    pools = [*service.arena.pools]
    go = "goes" if games == 1 else "go"
    said = f"the arena is at {address}/; {counted(games, 'game')} {go} on"
    facts = {"address": address, "games": games, "pools": pools, "version": VERSION}
    note(LogEntry("started", said, facts))


async def draw_openings(arena: Arena) -> None:
    """Draw the openings of the next rounds before a pair needs them.

    Where many are missing, all pools get some in turn.
    """
    while True:
        for pool in arena.pools.values():
            number = max(pool.met.values(), default=0) + ROUNDS_AHEAD
            preparation = pool.book.preparation(number)
            if preparation is not None:
                await trio.to_thread.run_sync(preparation, abandon_on_cancel=True)
        await trio.sleep(DRAWS_EVERY)


def _config(context: ssl.SSLContext | None = None) -> anycorn.Config:
    config = server_config(READ_TIMEOUT, context)
    config.websocket_permessage_deflate = False
    return config


def _address(doors: _Doors) -> str:
    host, port, *_ = doors.public.getsockname()
    scheme = "http" if doors.certificate is None else "https"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _first_failure(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first ArenaFailure in a group; otherwise the group."""
    for error in group.exceptions:
        found = _first_failure(error) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, ArenaFailure):
            return found
    return group


def health_route(arena: Arena) -> Route:
    """Return the route: 200 with the arena's state, or 503 while it begins no games."""

    async def health(request: Request) -> JSONResponse:
        counts = {
            "status": "draining" if arena.is_draining else "ok",
            "games": len(arena.play.games),
            "engines": len(arena.sessions.online),
            "connections": len(arena.sessions.by_number),
        }
        return JSONResponse(counts, 503 if arena.is_draining else 200)

    return Route("/healthz", health)


SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""The bounds of the histogram of write times."""
THINKING = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 20.0, 60.0, 300.0)
"""The bounds of the histogram of engines' thinking times."""


class ArenaMetrics:
    """Counts events batch by batch, and reads everything else when asked."""

    def __init__(self, service: ArenaService) -> None:
        self.registry = CollectorRegistry()
        self._service = service
        self._of_turns: dict[str, tuple[Counter, Histogram, Counter]] = {}
        """The metrics of each pool's turns."""
        for collector in (ProcessCollector, PlatformCollector):
            collector(registry=self.registry)
        self._count_things()
        self._read_things()

    def _count_things(self) -> None:
        registry = self.registry
        self._begun = Counter("oddly_games_begun", "games that began", ["pool"], registry=registry)
        self._ended = Counter(
            "oddly_games_ended", "games that ended", ["pool", "termination"], registry=registry
        )
        self._turns = Counter("oddly_turns", "turns that counted", ["pool"], registry=registry)
        self._thinking = Histogram(
            "oddly_turn_seconds", "what turns took", ["pool"], registry=registry, buckets=THINKING
        )
        self._credit = Counter(
            "oddly_lag_credit_seconds", "lag that was not charged", ["pool"], registry=registry
        )
        self._joined = Counter("oddly_joins", "engines' sides that joined", registry=registry)
        self._refused = Counter(
            "oddly_refusals", "connections that were refused", ["code"], registry=registry
        )
        self._written = Histogram(
            "oddly_write_seconds", "until rows are on the disk", registry=registry, buckets=SECONDS
        )

    def _read_things(self) -> None:
        arena, registry = self._service.arena, self.registry
        for name, meaning, read in (
            ("engines_online", "engines that are connected", lambda: len(arena.sessions.online)),
            ("engines_free", "engines that want a game", lambda: len(arena.free())),
            ("connections", "connections of engines", lambda: len(arena.sessions.by_number)),
            ("engines_registered", "engines with a name", lambda: len(arena.registry.engines)),
            ("draining", "1 while no games begin", lambda: float(arena.is_draining)),
        ):
            Gauge(f"oddly_{name}", meaning, registry=registry).set_function(read)
        self._running = Gauge("oddly_games_running", "games now", ["pool"], registry=registry)

    def watch(self, batch: Batch) -> None:
        """Count the events of a batch that is on the disk."""
        if self._service.last_write is not None:
            self._written.observe(self._service.last_write)
        for news in batch.news:
            if isinstance(news, EngineJoined):
                self._joined.inc()
            elif isinstance(news, EngineRefused):
                self._refused.labels(news.code).inc()
        for row in batch.writes:
            if isinstance(row, Begun):
                self._begun.labels(row.plan.pool).inc()
            elif isinstance(row, TurnCounted):
                self._count_turn(row)
            elif isinstance(row, Finished):
                self._ended.labels(row.pool, row.record.outcome.termination.value).inc()

    def _count_turn(self, row: TurnCounted) -> None:
        pool = row.pool
        if pool not in self._of_turns:
            each = self._turns.labels(pool), self._thinking.labels(pool), self._credit.labels(pool)
            self._of_turns[pool] = each
        turns, thinking, credit = self._of_turns[pool]
        turns.inc()
        thinking.observe(row.turn.wait.taken)
        credit.inc(row.turn.credit)

    def text(self, accepted: str) -> tuple[bytes, str]:
        """Return all metrics as text, and its media type, as a request's header `Accept` asks."""
        arena = self._service.arena
        running = dict.fromkeys(arena.pools, 0)
        for game in [*arena.play.games.values()]:
            running[game.plan.pool] += 1
        for pool, games in running.items():
            self._running.labels(pool).set(games)
        encode, kind = choose_encoder(accepted)
        return encode(self.registry), kind


def metrics_route(service: ArenaService, readers: Sequence[Network]) -> Route:
    """Return the route for this machine and `readers`; nobody else can tell that it exists."""
    metrics = ArenaMetrics(service)
    service.watchers.append(metrics.watch)

    async def answer(request: Request) -> Response:
        host = request.client.host if request.client else ""
        if not (is_here(host) or _is_of(host, readers)):
            raise HTTPException(404)
        content, kind = metrics.text(request.headers.get("accept", ""))
        return Response(content, media_type=kind)

    return Route("/metrics", answer)


def _is_of(host: str, networks: Sequence[Network]) -> bool:
    """Return whether an address, or an IPv6 address's subnet, is in a network."""
    try:
        address = ip_address(host.partition("/")[0])
    except ValueError:
        return False
    return any(address in network for network in networks)
