"""A request to open a game on the page, why one is refused, and the engines that it may ask for.

The terms of the game are its players, its clock, the level of its engine. The engines of this
server are compiled while the page is up; a game's engines start with the game, and stop when it is
over.
"""

from __future__ import annotations

import math
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

import trio
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from oddly.engines import ENGINES
from oddly.engines.levels import HIGHEST, NAMES
from oddly.games import Turn, create_game
from oddly.interfaces.human_play.recording import PeopleClock  # noqa: TC001 - pydantic reads it
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
from oddly.referee.justice.outcome import Termination, VoidGame
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
PEOPLE = (HUMAN, FRIEND)
"""Seats whose turns come from a browser."""


MAX_NAME = 24
Name = Annotated[str, Field(max_length=MAX_NAME)]
WHAT_A_NAME_IS = f"A name has up to {MAX_NAME} printable characters."


class Terms(BaseModel):
    """What both players know of a game besides its rules."""

    model_config = ConfigDict(strict=True, extra="forbid")

    level: Annotated[int, Field(ge=0, le=HIGHEST)] = 0
    """How well an engine with levels plays; 0 for as well as it can."""
    names: tuple[Name, Name] = ("", "")
    clock: PeopleClock | None = None

    @model_validator(mode="after")
    def _printable(self) -> Self:
        if not all(name.isprintable() for name in self.names):
            raise ValueError(WHAT_A_NAME_IS)
        return self

    def players(self, seats: tuple[str, str]) -> tuple[str, str]:
        """Return the names of both players, numbered if they are equal."""
        one, other = (self._player(seat, seats) for seat in (0, 1))
        return (one, other) if one != other else (f"{one} #1", f"{other} #2")

    def named(self, seat: int, name: str) -> Self:
        """Return the terms with a player renamed. Raises ValueError with a sentence."""
        if len(name) > MAX_NAME or not name.isprintable():
            raise ValueError(WHAT_A_NAME_IS)
        names = (name.strip(), self.names[1]) if seat == 0 else (self.names[0], name.strip())
        return self.model_copy(update={"names": names})

    def _player(self, seat: int, seats: tuple[str, str]) -> str:
        name = seats[seat]
        if name in PEOPLE:
            # Nobody is called a friend in a record.
            unnamed = f"player {seat + 1}" if FRIEND in seats else name
            return self.names[seat].strip() or unnamed
        return f"{name}, {NAMES[self.level - 1]}" if self.level else name


Word = Annotated[str, Field(max_length=40)]


class GameRequest(BaseModel):
    """A request to open a game. `turns` are those of a resumed game."""

    model_config = ConfigDict(strict=True, extra="forbid")

    game: Word
    size: int
    settings: Annotated[dict[Word, Word], Field(max_length=8)] = {}
    seats: tuple[Word, Word]
    seconds: int = 1
    terms: Terms = Terms()
    turns: list[Annotated[str, Field(max_length=16)]] = []
    exhibition: bool = False
    """Whether engines alone may play it."""

    def without_turns(self) -> str:
        """Return the request as JSON, without the turns, which are part of the game's state."""
        return self.model_dump_json(exclude={"turns"})

    def rematch(self, names: tuple[str, str], *, exchanged: bool) -> GameRequest:
        """Return the request for a rematch, with the seats exchanged or not."""
        seats = self.seats
        if exchanged:
            seats, names = (seats[1], seats[0]), (names[1], names[0])
        terms = self.terms.model_copy(update={"names": names})
        return self.model_copy(update={"seats": seats, "terms": terms, "turns": []})


GAME_NAMES = TypeAdapter(
    Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=200)]
)
"""Reads the ids or keys of games."""


class GameRequestError(Exception):
    """A game that cannot be opened. The message is one sentence, `status` the HTTP status."""

    def __init__(self, sentence: str, status: int = 422, game: str = "", wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status = status
        self.game = game
        """The id of a game that can be looked at instead."""
        self.wait = wait
        """The seconds after which the request may succeed; 0 if that is not known."""


def what_is_wrong(error: ValidationError) -> str:
    """Return a sentence on the first thing that is wrong with a request."""
    problem = error.errors(include_url=False, include_input=False)[0]
    if problem["type"] == "value_error":
        return str(problem["ctx"]["error"])
    place = ".".join(map(str, problem["loc"])) or "the request"
    return f"{place}: {problem['msg']}."


def too_many_openings(wait: float) -> str:
    """Return the sentence for an address that must `wait` that many seconds to open a game."""
    return f"Many games were opened from your address: wait {math.ceil(wait / 60)} min."


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
        if name in found or name in PEOPLE:
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
        if current.mover not in self._ready:
            raise EngineFault(Termination.NO_START, "this server has no such engine")
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
