"""The engines of this server that people can play against, compiled while the page is up.

A game's engines start with the game, and stop when it is over.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from oddly.engines import ENGINES
from oddly.games import Turn, create_game
from oddly.protocol import parse_time_control
from oddly.referee import (
    EngineConfiguration,
    EngineFault,
    EngineSeat,
    Limits,
    ProgramError,
    Resources,
    find_program,
)
from oddly.referee.justice.outcome import VoidGame
from oddly.referee.program.configuration import split_words
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.interfaces.web.bounds import Bounds
    from oddly.protocol import Resign, TurnEvaluation


HUMAN = "human"
FRIEND = "friend"
"""A human who plays by a link of their own."""
LEVELLED = "rave"
"""Our engine that plays at levels."""
NOT_OFFERED = "misbehave"
"""Our engine for testing referees."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
LIMITS = Limits(handshake=120.0, setting_up=180.0, margin=1.1)
"""An engine may have to compile first."""


class EngineListError(ValueError):
    """A text that names no engine. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class InstalledEngine:
    """An engine: its id, what the page says about it and how this server starts it."""

    id: str
    summary: str
    command: tuple[str, ...]
    has_levels: bool = False
    """Whether it has an option `level`, as `rave` has."""
    is_compiled: bool = False
    """Whether it is one of ours that compile, with an option `while_compiling`."""

    def configuration(self, seconds: int, bounds: Bounds, level: int = 0) -> EngineConfiguration:
        """Return the engine with `seconds` for each turn, within the bounds of this server.

        At level 0 it plays as well as it can. Our own engines answer by the plain rules until
        they are compiled.
        """
        # It must know before it sets up the game, or it would wait: options come after that.
        words = ("--option", "while_compiling=plain") if self.is_compiled else ()
        options = {"level": str(level)} if level and self.has_levels else {}
        return EngineConfiguration(
            self.id,
            (*self.command, *words),
            parse_time_control(str(seconds)),
            options,
            resources=Resources(memory=bounds.memory, environment=ONE_THREAD),
        )


def installed_engines(more: Iterable[str] = ()) -> dict[str, InstalledEngine]:
    """Return our engines, then those of `NAME=COMMAND` texts. Raises EngineListError."""
    found = {
        name: InstalledEngine(
            name,
            entry.summary,
            find_program(("oddly", "engine", name)),
            name == LEVELLED,
            entry.is_compiled,
        )
        for name, entry in ENGINES.items()
        if name != NOT_OFFERED
    }
    for text in more:
        name, is_there, command = text.partition("=")
        name = name.strip()
        if not is_there or not name or not name.isprintable() or len(name) > 40:
            raise EngineListError(
                f"{text!r}: expected NAME=COMMAND, as in 'mine=./my-engine --fast'"
            )
        if name in found or name in (HUMAN, FRIEND):
            raise EngineListError(f"{text!r}: there is an engine {name!r} already")
        try:
            program = find_program(split_words(command))
        except ProgramError as error:
            raise EngineListError(f"{text!r}: {error}") from None
        found[name] = InstalledEngine(name, command.strip(), program)
    return found


def seat_for(configuration: EngineConfiguration, nursery: trio.Nursery) -> EngineSeat:
    """Return a seat for an engine. Each has its own seed, so that games differ."""
    return EngineSeat(configuration, nursery, seed=secrets.randbelow(1 << 31), limits=LIMITS)


class WarmingUp:
    """Compiles for one game after another, each in a process, unless this machine has done so."""

    def __init__(self, games: Iterable[str]) -> None:
        self.games = list(games)
        self.now = ""
        """The title of the game being compiled for; empty when all is done."""

    async def run(self) -> None:
        """Compile for all games. A failure here recurs, with a sentence, in a game."""
        try:
            for name in self.games:
                self.now = create_game(name).title
                with suppress(ProgramError, EngineFault, VoidGame):
                    await _compile(
                        find_program(("oddly", "warm", "--engine", LEVELLED, "--game", name))
                    )
        finally:
            self.now = ""


async def _compile(command: tuple[str, ...]) -> None:
    """Run a compiler like an engine, so that everything it starts ends with this server."""
    process = EngineProcess.start(command, LIMITS.stderr)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.attend)
        try:
            while await process.receive():
                pass
        finally:
            # Unfinished work starts anew next time.
            with trio.CancelScope(shield=True):
                await process.stop(grace=0)


class GameEngines:
    """The engines at the seats of a game; none until `begin`."""

    def __init__(self, configurations: Mapping[int, EngineConfiguration]) -> None:
        self._configurations = configurations
        self._seats: dict[int, EngineSeat] = {}
        self._ready: dict[int, trio.Event] = {}

    def begin(self, nursery: trio.Nursery, current: GameInProgress) -> None:
        """Take the seats; start the engines of an unfinished game before anybody waits for them."""
        for seat, configuration in self._configurations.items():
            self._seats[seat] = seat_for(configuration, nursery)
            self._ready[seat] = trio.Event()
            if current.is_over:
                self._ready[seat].set()
            else:
                nursery.start_soon(self._prepare, seat, current)

    async def choose(self, current: GameInProgress) -> tuple[Turn | Resign, TurnEvaluation | None]:
        """Return the turn of the engine to move, and what it expects of it. Raises EngineFault."""
        await self._ready[current.mover].wait()
        engine = self._seats[current.mover]
        try:
            turn, _ = await engine.choose(current.position, current.played)
        finally:
            # An answer may come in the very instant in which nobody wants it any more.
            await trio.lowlevel.checkpoint_if_cancelled()
        return turn, engine.turn_evaluation

    async def rest(self) -> None:
        """Stop all engines until one is asked again."""
        for ready in self._ready.values():
            await ready.wait()
        await self.stop()

    async def stop(self) -> None:
        """Stop all engines, started or not, at the same time: each has a grace period."""
        async with trio.open_nursery() as nursery:
            for engine in self._seats.values():
                nursery.start_soon(engine.stop)

    @property
    def are_running(self) -> bool:
        """Whether any engine has a process."""
        return any(engine.is_running for engine in self._seats.values())

    def text(self, seat: int) -> str:
        """Return the name and version of the engine at a seat for a record; empty if unknown."""
        return self._seats[seat].engine_text if seat in self._seats else ""

    async def _prepare(self, seat: int, current: GameInProgress) -> None:
        try:
            # A fault recurs when the engine is to move, and the page shows it then.
            with suppress(EngineFault):
                await self._seats[seat].follow(current.game, current.played)
        finally:
            self._ready[seat].set()
