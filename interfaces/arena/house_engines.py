"""The arena's own engines: each dials in as a guest does, and is always restarted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import trio

from oddly.arena.client.connection import PATH, ArenaAddress
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.identity import Identity
from oddly.arena.client.joining import Joining
from oddly.arena.client.machine import ClientMachine
from oddly.referee import EngineFault
from oddly.referee.bridge.handshake import BridgeAddress, BridgeTarget
from oddly.referee.justice.outcome import VoidGame

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from oddly.interfaces.arena.settings_file import HouseEngine

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
