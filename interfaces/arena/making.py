"""Makes an arena from its file and its folder, to serve it or to carry out its keeper's orders.

The keeper may give orders whether the arena runs or not. The arena's own engines dial in as guests
do, and are always restarted.
"""

from __future__ import annotations

import platform
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.arena.arena import Arena, ArenaSettings, HouseError, enter_house
from oddly.arena.client.connection import PATH, ArenaAddress
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity, KeyFileError, own_key
from oddly.arena.client.joining import Joining
from oddly.arena.client.machine import ClientMachine
from oddly.arena.limits import ArenaLimits
from oddly.arena.orders import KeeperOrder, NotNowError, OrderError
from oddly.arena.pool import RatedPool
from oddly.arena.registry import Registry
from oddly.arena.rulings import obey
from oddly.arena.store.ruling_rows import (
    ArenaRuling,
    answer_to,
    give_order,
    known_game,
    new_names,
    rulings,
)
from oddly.arena.store.schema import KIND
from oddly.arena.store.store import FILE, ArenaStore
from oddly.arena.wire.message import public_key
from oddly.referee import EngineFault
from oddly.referee.bridge.address import BridgeAddress, BridgeTarget
from oddly.referee.justice.outcome import VoidGame
from oddly.safe_files import UnusableFileError
from oddly.safe_files.sqlite_file import is_sqlite_file, lock, reason, unlock
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.openings.openings import RandomOpenings
from oddly.tournaments.results.schedule import NO_OPENINGS

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from pathlib import Path

    from oddly.interfaces.arena.settings_file import ArenaConfiguration, HouseEngine, PoolSettings


FIRST_PAUSE, MAX_PAUSE = 10.0, 3600.0
"""Seconds before an engine that gave up is restarted, doubled each time."""
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - where to dial instead
SECRET_FILE = "house.key"


class House(NamedTuple):
    """Who the house is, and where its engines dial."""

    owner: str
    secret: bytes
    address: ArenaAddress


def address_of(listener: socket.socket, host: str | None) -> ArenaAddress:
    """Return the address that an arena's own engines dial; `host` is the host that they sign."""
    name, port, *_ = listener.getsockname()
    name = EVERYWHERE.get(name, name)
    shown = f"[{name}]" if ":" in name else name
    target = BridgeTarget(BridgeAddress(name, port), False, PATH, None)
    return ArenaAddress(target, (host or f"{shown}:{port}").lower())


async def play_for_house(engine: HouseEngine, house: House, told: Callable[[str], None]) -> None:
    """Keep an engine at the arena until cancelled; `told` hears about its problems."""
    pause, name = FIRST_PAUSE, engine.configuration.name
    while True:
        games, problem = await _visit(engine, house, told)
        pause = FIRST_PAUSE if games else min(MAX_PAUSE, 2 * pause)
        told(f"the engine {name!r}: {problem or 'it left'}; it is started again in {pause:g} s")
        await trio.sleep(pause)


async def _visit(engine: HouseEngine, house: House, told: Callable[[str], None]) -> tuple[int, str]:
    """Let an engine play until it has to leave; return its number of games, and why it left."""
    name = engine.configuration.name
    who = Identity(
        name, name, house.owner, house.secret, house.address.host, engine.about, pools=engine.pools
    )
    async with trio.open_nursery() as nursery:
        program = ArenaEngine(
            engine.configuration, nursery, lambda why: told(f"the engine {name!r}: {why}")
        )
        try:
            called = await program.start()
        except (EngineFault, VoidGame) as fault:
            return 0, f"it does not start: {fault.reason}"
        machine = ClientMachine(who, called)
        problem = await Joining(machine, program, house.address, lambda _: None).run()
        nursery.cancel_scope.cancel()
    return machine.games, problem


def open_store(configuration: ArenaConfiguration) -> ArenaStore:
    """Open the arena's store; make its folder if it is missing. Raises UnusableFileError."""
    try:
        configuration.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"cannot make the folder {configuration.folder}: {error.strerror}"
        raise UnusableFileError(said) from None
    facts = [pool.facts for pool in configuration.pools]
    return ArenaStore(configuration.folder, configuration.table.name, facts, platform.node())


def make_arena(configuration: ArenaConfiguration, store: ArenaStore, address: str) -> Arena:
    """Return the arena in its stored state, with its running games. Raises UnusableFileError."""
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
        seed,
    )
    arena = Arena(settings, pools, registry)
    arena.play.leaders = file.leaders()
    arena.restore(file.running(), file.unheard(), store.heartbeat, file.allowances())
    return arena


def furnish(
    configuration: ArenaConfiguration, arena: Arena, listener: socket.socket
) -> House | None:
    """Register the house and its engines, if it has any. Raises UnusableFileError."""
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


def _pool(settings: PoolSettings, seed: int) -> RatedPool:
    facts = settings.facts._replace(seed=seed)
    if not settings.opening_turns:
        return RatedPool(facts, NO_OPENINGS)
    book = RandomOpenings(facts.game, settings.opening_turns, seed, begins_plain=True)
    return RatedPool(facts, book)


PATIENCE = 15.0
"""Seconds to wait for the answer of an arena that runs, or for its file."""
LOOKS = 150
"""The number of looks for an answer: counted, since a machine may sleep meanwhile."""
LOOK_EVERY = PATIENCE / LOOKS


def carry_out(configuration: ArenaConfiguration, order: KeeperOrder) -> str:
    """Have an order carried out, and return a sentence on what was done.

    Raises OrderError, NotNowError if the arena does it later, and UnusableFileError.
    """
    path = _file(configuration)
    try:
        unlock(lock(path, KIND.noun))
    except UnusableFileError:
        return _asked_of_arena(path, order)
    with open_store(configuration) as store:
        arena, now = make_arena(configuration, store, ""), store.heartbeat
        game = known_game(store.file.connection, order.name)
        answer = obey(arena, order, game, now)
        try:
            batch = arena.take()
            store.write(batch, now)
            store.file_games(batch)
        except sqlite3.Error as error:
            raise UnusableFileError(f"cannot write {path}: {reason(error)}") from None
    return answer


def _asked_of_arena(path: Path, order: KeeperOrder) -> str:
    """Give the order to the running arena."""
    try:
        number = give_order(path, order)
        for _ in range(LOOKS):
            if (answer := answer_to(path, number)) is not None:
                if answer.is_refused:
                    raise OrderError(answer.text)
                return answer.text
            time.sleep(LOOK_EVERY)
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot write {path}: {reason(error)}") from None
    raise NotNowError("the arena has the order, and carries it out when a game is over")


def all_rulings(configuration: ArenaConfiguration) -> list[ArenaRuling]:
    """Return all rulings in their order. Raises UnusableFileError."""
    path = _file(configuration)
    try:
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, timeout=PATIENCE, uri=True)) as connection:
            return rulings(connection)
    except sqlite3.Error as error:
        raise UnusableFileError(f"cannot read {path}: {reason(error)}") from None


def _file(configuration: ArenaConfiguration) -> Path:
    path = configuration.folder / FILE
    if not is_sqlite_file(path):
        raise UnusableFileError(f"there is no arena in {configuration.folder}: start it first")
    return path
