"""Makes an arena from its file and its folder, and keeps its own engines in it.

Each of its own engines dials in as a guest does, and is always restarted.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.arena.arena import Arena, ArenaSettings, HouseError, enter_house
from oddly.arena.client.connection import PATH, ArenaAddress
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity, KeyFileError, own_key
from oddly.arena.client.joining import Joining
from oddly.arena.client.machine import ClientMachine
from oddly.arena.pool import RatedPool
from oddly.arena.registry import Registry
from oddly.arena.sessions import ArenaLimits
from oddly.arena.store.rows import new_names
from oddly.arena.store.store import ArenaStore
from oddly.arena.wire.proof import public_key
from oddly.games import did_you_mean, one_line
from oddly.interfaces.arena.event_log import report
from oddly.referee import EngineFault
from oddly.referee.bridge.address import BridgeAddress, BridgeTarget
from oddly.referee.justice.outcome import VoidGame
from oddly.safe_files import UnusableFileError
from oddly.tournaments.ledger.ledger_file import utc_now
from oddly.tournaments.openings.openings import RandomOpenings
from oddly.tournaments.results.schedule import NO_OPENINGS

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    from oddly.arena.pool import PoolFacts
    from oddly.interfaces.arena.settings_file import ArenaConfiguration, HouseEngine
    from oddly.tournaments.results.schedule import Opening


def open_store(configuration: ArenaConfiguration) -> ArenaStore:
    """Open the arena's store; make its folder if it is missing. Raises UnusableFileError."""
    try:
        configuration.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"cannot make the folder {configuration.folder}: {error.strerror}"
        raise UnusableFileError(said) from None
    name, pools = configuration.table.name, configuration.pools
    return ArenaStore(configuration.folder, name, pools, platform.node())


def make_arena(configuration: ArenaConfiguration, store: ArenaStore, address: str) -> Arena:
    """Return the arena in its stored state, with its running games. Raises UnusableFileError."""
    table, file = configuration.table, store.file
    registry = Registry(configuration.policy, configuration.limits, own_games=table.own_games)
    registry.load(file.owners(), file.engines())
    registry.invitations = file.invitations()
    registry.was_renamed(new_names(file.connection))
    seed, met, results = file.seed(), file.rounds_by_pair(), file.results()
    openings = file.openings({each.name: each.opening_turns for each in configuration.pools})
    pools = []
    for each in configuration.pools:
        pool = _pool(each, seed, registry, openings[each.name])
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


def _pool(
    facts: PoolFacts, seed: int, registry: Registry, played: Mapping[int, Opening]
) -> RatedPool:
    """Return a pool, with the openings `played` in its rounds.

    Its anchors may have other names now than in the file.
    """
    anchors = {registry.present_name(name): elo for name, elo in facts.anchors.items()}
    facts = facts._replace(seed=seed, anchors=anchors)
    if not facts.opening_turns:
        return RatedPool(facts, NO_OPENINGS)
    book = RandomOpenings(facts.game, facts.opening_turns, seed, played, begins_plain=True)
    return RatedPool(facts, book)


def furnish(
    configuration: ArenaConfiguration, arena: Arena, listener: socket.socket
) -> House | None:
    """Register the house and its engines, if it has any. Raises UnusableFileError.

    Anchors that no engine is are reported.
    """
    house = _enter(configuration, arena, listener) if configuration.engines else None
    engines = [engine.name for engine in arena.registry.engines.values()]
    for pool in arena.pools.values():
        for name in pool.facts.anchors:
            if name not in engines:
                said = f"the anchor {one_line(name)!r} of the pool {pool.name!r} is no engine here"
                report(f"{said} yet{did_you_mean(name, engines)}")
    return house


def _enter(configuration: ArenaConfiguration, arena: Arena, listener: socket.socket) -> House:
    path, owner = configuration.folder / SECRET_FILE, configuration.table.house
    try:
        secret = own_key(path).secret
        names = [engine.configuration.name for engine in configuration.engines]
        enter_house(arena.registry, owner, public_key(secret), names, utc_now())
    except (KeyFileError, HouseError) as error:
        raise UnusableFileError(str(error)) from None
    host = next(iter(configuration.table.hosts), None)
    return House(owner, secret, address_of(listener, host))


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
