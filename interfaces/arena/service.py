"""A running arena: its clock, its disk, its connections, and how it stops and goes on."""

from __future__ import annotations

import platform
import sqlite3
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import trio
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from oddly.arena import MAX_FROM_ENGINE
from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.client.keys import KeyFileError, own_key
from oddly.arena.effects import Batch, OrderDone, Send
from oddly.arena.house import HouseError, enter_house
from oddly.arena.keeping import obey
from oddly.arena.limits import ArenaLimits
from oddly.arena.orders import NotNowError, OrderError
from oddly.arena.pool import RatedPool
from oddly.arena.registry import Registry
from oddly.arena.store.keeping_rows import known_game, new_names, pending_orders
from oddly.arena.store.store import ArenaStore
from oddly.arena.wire.proof import public_key
from oddly.interfaces.arena.arena_clock import TICK, ArenaClock
from oddly.interfaces.arena.endpoint import POLICY, RESTART, Addresses, Endpoint, Mailbox
from oddly.interfaces.arena.health import health_route
from oddly.interfaces.arena.house_engines import (
    SECRET_FILE,
    House,
    address_of,
    play_for_house,
)
from oddly.interfaces.arena.writing import WriterThread
from oddly.interfaces.serving.http_server import await_signals, keep_serving, server_config
from oddly.interfaces.serving.listening import allow_many_connections
from oddly.interfaces.serving.visitors import seen_through
from oddly.referee.justice.outcome import failure_text
from oddly.safe_files import UnusableFileError
from oddly.safe_files.sqlite_file import reason
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.openings.random_openings import RandomOpenings
from oddly.tournaments.results.schedule import NO_OPENINGS

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable, Sequence

    import anycorn
    from starlette.routing import BaseRoute

    from oddly.arena import Message
    from oddly.arena.orders import KeeperOrder, KnownGame
    from oddly.interfaces.arena.settings_file import ArenaConfiguration, PoolSettings

    Watcher = Callable[[Batch], None]

T = TypeVar("T")
DRAWS_EVERY = 1.0
ORDERS_EVERY = 0.5
ROUNDS_AHEAD = 2
"""Openings that are drawn before a pair needs them."""
READ_TIMEOUT = 45
"""Seconds after which a connection from which nothing comes is closed."""
GOODBYE = 0.3


class ArenaFailure(Exception):
    """The arena cannot go on, as on a full disk. The message is one sentence."""


class ArenaService:
    """An arena at the rim: what its parts say to each other."""

    def __init__(self, arena: Arena, store: ArenaStore, writer: WriterThread) -> None:
        self.arena = arena
        self.store = store
        self.clock = ArenaClock(store.heartbeat)
        self.watchers: list[Watcher] = []
        """What gets each batch when its rows are on the disk and its messages on their way."""
        self.chores: list[Callable[[], Awaitable[None]]] = []
        """What else runs as long as the arena, such as counting for its pages."""
        self._writer = writer
        self._mailboxes: dict[int, Mailbox] = {}
        self._changed = trio.Event()
        self._lazy = Batch()
        self._obeyed: set[int] = set()
        """The orders that are answered; the answer may not be on the disk yet."""

    def open(self, address: str, host: str, mailbox: Mailbox) -> int:
        """Begin a session; return its number."""
        session = self.arena.open(address, host, self.clock.now())
        self._mailboxes[session] = mailbox
        self._changed.set()
        return session

    def excess(self, session: int, size: int) -> str:
        """Count bytes; return why they are too many, or nothing."""
        return self.arena.admits(session, size, self.clock.now())

    def hear(self, session: int, message: Message) -> None:
        """Take a message."""
        self.arena.hear(session, message, self.clock.now())
        self._changed.set()

    def refuse(self, session: int, code: str, reason: str, again: float | None) -> None:
        """Refuse a session."""
        self.arena.refuse(session, code, reason, again)
        self._changed.set()

    def closed(self, session: int) -> None:
        """Take note that a connection is gone."""
        self._mailboxes.pop(session, None)
        self.arena.closed(session)

    async def keep_time(self) -> None:
        """Let the arena look at its clock, many times a second."""
        while True:
            self.arena.tick(self.clock.now())
            self._changed.set()
            await trio.sleep(TICK)

    async def obey_orders(self) -> None:
        """Carry out what the keeper orders, as it is written into the arena's file."""
        while True:
            await trio.sleep(ORDERS_EVERY)
            for order in await self._use_disk(self._orders):
                # Not with the orders: one before it may have ruled on the same game.
                game = await self._use_disk(partial(self._game, order.name))
                try:
                    answer, is_refused = obey(self.arena, order, game, self.clock.now()), False
                except OrderError as error:
                    answer, is_refused = str(error), True
                except NotNowError:
                    continue
                self.arena.write(OrderDone(order.number, answer, is_refused))
                self._changed.set()
                self._obeyed.add(order.number)

    def _orders(self) -> list[KeeperOrder]:
        orders = pending_orders(self.store.file.connection)
        return [order for order in orders if order.number not in self._obeyed]

    def _game(self, name: str) -> KnownGame | None:
        return known_game(self.store.file.connection, name)

    async def work(self, stop: trio.Event) -> None:
        """Write and send what the arena wants, batch by batch, until the end.

        What happens while one batch is written is in the next. Raises ArenaFailure.
        """
        while True:
            is_last = stop.is_set()
            await self._do(self.arena.take())
            if is_last:
                self._lazy.beats = True
                await self._do(Batch())
                return
            await self._changed.wait()
            self._changed = trio.Event()

    async def _do(self, batch: Batch) -> None:
        if batch.must_be_written or self._lazy.beats:
            batch.writes = [*self._lazy.writes, *batch.writes]
            self._lazy = Batch()
            now = self.clock.now()
            await self._use_disk(lambda: self.store.write(batch, now))
            self._writer.later(lambda: self._file(batch))
        else:
            self._lazy.writes += batch.writes
        for each in batch.out:
            mailbox = self._mailboxes.get(each.session)
            if mailbox is None:
                continue
            if isinstance(each, Send):
                mailbox.put(each.message.encoded())
            else:
                mailbox.close(POLICY)
        if batch.out or batch.asks:
            self.arena.sent(batch, self.clock.now())
        for watcher in [*self.watchers]:
            try:
                watcher(batch)
            except Exception as error:
                self.watchers.remove(watcher)
                report(f"a watcher failed and is told nothing more: {failure_text(error)}")

    async def _use_disk(self, work: Callable[[], T]) -> T:
        """Return what `work` does in the thread that owns the files. Raises ArenaFailure."""
        try:
            return await self._writer.run(work)
        except (sqlite3.Error, UnusableFileError) as error:
            said = reason(error) if isinstance(error, sqlite3.Error) else str(error)
            raise ArenaFailure(
                f"cannot use {self.store.folder}: {said}; all games go on when the arena is "
                "started again"
            ) from None

    def _file(self, batch: Batch) -> None:
        """Put finished games into their ledgers. If that fails, the next start does it."""
        try:
            self.store.file_games(batch)
        except (sqlite3.Error, UnusableFileError):
            return

    def say_goodbye(self) -> None:
        """Close all connections, since the arena restarts."""
        for mailbox in self._mailboxes.values():
            mailbox.close(RESTART)


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


def open_store(configuration: ArenaConfiguration) -> ArenaStore:
    """Open all that the arena remembers. Raises UnusableFileError."""
    try:
        configuration.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"cannot make the folder {configuration.folder}: {error.strerror}"
        raise UnusableFileError(said) from None
    facts = [pool.facts for pool in configuration.pools]
    return ArenaStore(configuration.folder, configuration.table.name, facts, platform.node())


def make_arena(configuration: ArenaConfiguration, store: ArenaStore, address: str) -> Arena:
    """Return the arena as the store has it, with its games going on. Raises UnusableFileError."""
    table, file = configuration.table, store.file
    registry = Registry(configuration.policy, configuration.limits, own_games=table.own_games)
    registry.load(file.owners(), file.engines())
    registry.invitations = file.invitations()
    registry.was_renamed(new_names(file.connection))
    seed, met, results = file.seed(), file.met(), file.results()
    pools = []
    for each in configuration.pools:
        pool = _pool(each, seed)
        pool.load(results.get(pool.name, ()))
        pool.met.update({pair: rounds for (name, pair), rounds in met.items() if name == pool.name})
        pools.append(pool)
    settings = ArenaSettings(
        table.name,
        address.rstrip("/"),
        tuple(table.hosts),
        table.gather,
        table.house_games,
        ArenaLimits(table.bytes_per_second, table.engines_per_address),
    )
    arena = Arena(settings, pools, registry)
    arena.play.leaders = file.leaders()
    arena.restore(file.running(), file.unheard(), store.heartbeat)
    return arena


def furnish(
    configuration: ArenaConfiguration, arena: Arena, listener: socket.socket
) -> House | None:
    """Register the house and its engines, if it has some. Raises UnusableFileError."""
    if not configuration.engines:
        return None
    path, owner = configuration.folder / SECRET_FILE, configuration.table.house
    try:
        secret = own_key(path).secret
        names = [engine.configuration.name for engine in configuration.engines]
        enter_house(arena.registry, owner, public_key(secret), names, utc_now())
    except (KeyFileError, HouseError) as error:
        raise UnusableFileError(str(error)) from None
    host = next(iter(configuration.table.hosts), None)
    return House(owner, secret, address_of(listener, host))


def report(sentence: str) -> None:
    """Tell the keeper something, if somebody reads it."""
    with suppress(OSError):
        print(f"oddly: arena: {sentence}", file=sys.stderr, flush=True)


def _pool(settings: PoolSettings, seed: int) -> RatedPool:
    facts = settings.facts._replace(seed=seed)
    if not settings.opening_turns:
        return RatedPool(facts, NO_OPENINGS)
    book = RandomOpenings(facts.game, settings.opening_turns, seed, begins_plain=True)
    return RatedPool(facts, book)


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
