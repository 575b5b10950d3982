"""How `oddly join` runs: the engine, the arena, the terminal and Ctrl-C together."""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import trio

from oddly.arena.client.connection import ArenaAddress, connected
from oddly.arena.client.engine import ArenaEngine
from oddly.arena.client.events import ClientEvent, EngineFailed, EngineStarted, game_of
from oddly.arena.client.identity import Identity, NotWelcomeError
from oddly.arena.client.joining import UNTIL_HELLO, Joining
from oddly.arena.client.machine import ClientMachine
from oddly.arena.wire.messages import Hello
from oddly.interfaces.terminal.joining import sentence
from oddly.interfaces.text.line_writer import LineWriter
from oddly.protocol import NO_CLOCK
from oddly.referee import CheckOptions, EngineConfiguration, EngineFault, check_engine
from oddly.referee.bridge.handshake import BridgeError
from oddly.referee.check.checker import step_lines
from oddly.referee.justice.outcome import VoidGame
from oddly.referee.program.configuration import Isolation

if TYPE_CHECKING:
    from oddly.games import Game
    from oddly.interfaces.terminal.joining import LiveLine


class CannotJoinError(Exception):
    """An engine cannot join, or must leave. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Who joins where, with which program, and for how long."""

    who: Identity
    address: ArenaAddress
    program: tuple[str, ...]
    games: int | None = None
    until: float = math.inf
    """The time, as in `time.time`, after which no game begins."""
    check: bool = False
    wait: bool = False
    """Whether to take an arena that does not answer to be only away."""
    as_json: bool = False

    @property
    def configuration(self) -> EngineConfiguration:
        """The engine; each game brings its own clock."""
        return EngineConfiguration(self.who.name, self.program, NO_CLOCK)


class _EventLines:
    """Prints a line for each event, as a sentence or as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._lines = LineWriter("stdout")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.flush()

    def told(self, event: ClientEvent) -> None:
        line = json.dumps(event.as_json()) if self._as_json else sentence(event)
        if line:
            self._lines.write(line)

    async def attend(self) -> None:
        return


def play(visit: Visit) -> None:
    """Play until it is time to leave. Raises CannotJoinError."""
    if visit.check:
        trio.run(_check, visit)
    with _shown(visit) as shown:
        problem = trio.run(_play, visit, shown)
    if problem:
        raise CannotJoinError(problem)


def _shown(visit: Visit) -> _EventLines | LiveLine:
    if visit.as_json or not sys.stdout.isatty():
        return _EventLines(as_json=visit.as_json)
    from oddly.interfaces.terminal.joining import LiveLine

    return LiveLine(visit.who.name)


async def _play(visit: Visit, shown: _EventLines | LiveLine) -> str:
    """Play, and return why the engine had to leave; empty if it did not have to."""
    async with trio.open_nursery() as nursery:
        engine = ArenaEngine(
            visit.configuration, nursery, lambda why: shown.told(EngineFailed(why))
        )
        try:
            program = await engine.start()
        except (EngineFault, VoidGame) as fault:
            return f"the engine does not start: {fault.reason}"
        shown.told(EngineStarted(program))
        machine = ClientMachine(visit.who, program, visit.games)
        joining = Joining(machine, engine, visit.address, shown.told, waits=visit.wait)
        nursery.start_soon(shown.attend)
        nursery.start_soon(_rest_at, visit.until, joining)
        await nursery.start(_obey_signals, joining)
        problem = await joining.run()
        nursery.cancel_scope.cancel()
    return problem


async def _rest_at(until: float, joining: Joining) -> None:
    """Begin no more games after the time `until`."""
    while (left := until - time.time()) > 0:
        # The system clock may be changed.
        await trio.sleep(min(left, 60.0))
    joining.note("it is time to leave; the game that goes on is finished")
    joining.rest()


async def _obey_signals(
    joining: Joining, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Leave after the game at the first signal, resign it at the second, then leave at once."""
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        task_status.started()
        asked = 0
        async for _ in signals:
            asked += 1
            if joining.machine.table is None:
                joining.rest()
                if asked > 1:
                    joining.leave()
            elif asked == 1:
                joining.note("leaving after this game; another Ctrl-C resigns it")
                joining.rest()
            elif asked == 2:
                when = " when the arena is back" if joining.machine.is_away else ""
                joining.note(f"the game is resigned{when}; another Ctrl-C leaves it to its clock")
                joining.resign()
            else:
                joining.leave("left in a game, which is lost when its clock is over")


UNISOLATED = CheckOptions(isolation=Isolation.NONE)
"""An engine that joins an arena is not isolated."""


async def _check(visit: Visit) -> None:
    """Check the engine in each game of its pools. Raises CannotJoinError if it fails."""
    for game in await _games_to_check(visit):
        print(f"checking the engine in {game}", file=sys.stderr, flush=True)
        report = await check_engine(visit.program, game, UNISOLATED, lambda _: None)
        failed = [result for result in report.results if result.verdict == "fail"]
        if failed:
            print(step_lines(failed[0]), file=sys.stderr)
            steps = "a step" if len(failed) == 1 else f"{len(failed)} steps"
            raise CannotJoinError(
                f"the engine fails {steps} of the check in {game}; 'oddly check' has more"
            )


async def _games_to_check(visit: Visit) -> list[Game]:
    """Return the games of the arena's pools that the engine plays. Raises CannotJoinError."""
    try:
        async with connected(visit.address) as connection:
            with trio.fail_after(UNTIL_HELLO):
                hello = await connection.receive()
    except (BridgeError, trio.TooSlowError) as error:
        raise CannotJoinError(str(error) or "the arena is silent") from None
    if not isinstance(hello, Hello):
        raise CannotJoinError("the other side is not an arena: it sends no greeting")
    games, problem = await _playable_games(visit, hello)
    if problem:
        raise CannotJoinError(problem)
    return games


async def _playable_games(visit: Visit, hello: Hello) -> tuple[list[Game], str]:
    """Return the first board of each game that the engine plays, or what is wrong."""
    found: dict[str, Game] = {}
    problem = ""
    async with trio.open_nursery() as nursery:
        engine = ArenaEngine(visit.configuration, nursery, lambda _: None)
        try:
            for offer in visit.who.wanted(hello):
                if not await engine.refusal(offer, is_named=bool(visit.who.pools)):
                    game = game_of(offer)
                    found.setdefault(game.name, game)
        except (EngineFault, VoidGame) as fault:
            problem = f"the engine does not start: {fault.reason}"
        except NotWelcomeError as error:
            problem = str(error)
        finally:
            await engine.stop()
        nursery.cancel_scope.cancel()
    return list(found.values()), problem
