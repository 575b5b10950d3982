"""The conditions of a run's games, how many the machine plays at once, and who failed to play.

Conditions are above all those of the engines' processes. The machine may have room for fewer games
at once than wanted.

The games themselves tell which engines were at fault, and which were absent. If a format waits for
its engines, as a rating pool does, a game without one of them is put off; in any other format an
engine that does not come loses it. An engine is absent if it did not start or did not identify
itself. An engine behind a bridge is also absent if it failed before anybody was asked for a turn,
and no bridge answers at its address now. After the first turn its clock decides; otherwise it could
cut the connection before a loss.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import trio

from oddly.referee import GameRecord, Isolation, Limits, Restart, Termination
from oddly.referee.bridge.presence import answers, remote_address
from oddly.referee.match.adjudication import EarlyEndSettings
from oddly.referee.program.configuration import (
    DESCRIPTORS_OF_A_GAME,
    descriptor_limit,
    descriptors_for_a_game,
    games_that_fit,
    raise_descriptor_limit,
)
from oddly.referee.program.isolation import is_isolated, why_not

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from pathlib import Path

    from oddly.referee import EngineConfiguration, Snapshot
    from oddly.tournaments.results.schedule import ScheduledGame


MIN_GAMES_OF_A_PROCESS = 3
"""If a process has descriptors for fewer games at once, one process plays them all."""
CUT_OFF = {Termination.CRASH, Termination.PROTOCOL}
"""The terminations of games whose engine loses its connection before the first turn."""


def say_nothing(_: str) -> None:
    """Hear a sentence about how games are run, and pass it on to nobody."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How games are run. If `concurrency` is None, one game per core."""

    concurrency: int | None = None
    limits: Limits = field(default_factory=Limits)
    restart: Restart = Restart.ON_FAULT
    withdraw_after: int | None = 3
    """Faults in a row after which an engine is withdrawn; None for any number."""
    log_directory: Path | None = None
    """Where each game's wire log goes."""
    on_turn: Callable[[ScheduledGame, Snapshot], None] | None = None
    """Called after each turn of a game."""
    faults: Mapping[str, int] = field(default_factory=dict)
    """Each engine's faults in a row when the run begins, by name."""
    isolation: Isolation = Isolation.NONE
    """The isolation of engines that do not set their own."""
    engine_memory: int | None = None
    engine_processes: int | None = None
    """The limits, as in Resources, of engines that set none of their own."""
    say: Callable[[str], None] = say_nothing
    """Called with a sentence when the way games are run changes."""
    early_ends: EarlyEndSettings = field(default_factory=EarlyEndSettings)
    """What ends games before their rules do."""


def isolated_as(configuration: EngineConfiguration, isolation: Isolation) -> EngineConfiguration:
    """Return the engine with this isolation, unless it sets its own."""
    resources = configuration.resources
    if resources.isolation is not None:
        return configuration
    return replace(configuration, resources=replace(resources, isolation=isolation))


def under(conditions: Conditions, configuration: EngineConfiguration) -> EngineConfiguration:
    """Return the engine with the process settings of these conditions.

    Our own end of a bridge keeps its network, without which it is useless.
    """
    engine = isolated_as(configuration, conditions.isolation)
    limited = engine.resources.limited(conditions.engine_memory, conditions.engine_processes)
    network = limited.network or remote_address(engine.command) is not None
    return replace(engine, resources=replace(limited, network=network))


@dataclass(frozen=True, slots=True)
class EngineIsolation:
    """Which engines of a run are isolated from each other and from this machine."""

    engines: Mapping[str, bool]
    """Whether each is isolated, by name."""
    lack: str | None = None
    """Why an engine that should be isolated if possible is not, such as a missing program."""

    def sentence(self) -> str:
        """Return this as one sentence."""
        if self.lack is not None:
            return f"engines are not isolated from each other: {self.lack}"
        count = sum(self.engines.values())
        if count == len(self.engines):
            return "engines are isolated from each other"
        return f"{count} of {len(self.engines)} engines are isolated, as wanted"

    def facts(self) -> dict[str, Any]:
        """Return the same for JSON."""
        return {"engines": dict(self.engines), "lack": self.lack}


def isolation_of(configurations: Iterable[EngineConfiguration]) -> EngineIsolation:
    """Return which engines this machine isolates.

    Raises IsolationError if one must be isolated and cannot be.
    """
    isolated: dict[str, bool] = {}
    lack: str | None = None
    for configuration in configurations:
        isolated[configuration.name] = is_isolated(configuration.resources)
        wanted = configuration.resources.isolation is Isolation.AUTO
        if wanted and not isolated[configuration.name]:
            lack = why_not()
    return EngineIsolation(isolated, lack)


class FaultCount:
    """Each engine's faults in a row, counted from records as in a run with one process.

    Games that run at the same time are counted one by one as they end.
    """

    def __init__(self, conditions: Conditions) -> None:
        self._most = 1 if conditions.restart is Restart.NEVER else conditions.withdraw_after
        self._faults = Counter(conditions.faults)

    def of(self, names: Iterable[str]) -> dict[str, int]:
        """Return the faults in a row of these engines."""
        return {name: self._faults[name] for name in names}

    def count(self, record: GameRecord) -> None:
        """Count the faults of a game. An abandoned game adds none."""
        outcome = record.outcome
        if outcome.is_abandoned:
            return
        for index, name in enumerate(record.players):
            lost = outcome.is_forfeit and index != outcome.winner
            if not (lost or outcome.termination is Termination.VOID):
                self._faults[name] = 0
            elif self._most is None or self._faults[name] < self._most:
                self._faults[name] += 1


class CapacityError(Exception):
    """This machine cannot play a single game. The message says what it lacks."""


def check_capacity(engines: int = 0) -> None:
    """Raise CapacityError if this process has too few descriptors for one game.

    `engines` is how many of its engines are already running.
    """
    raise_descriptor_limit()
    if games_that_fit(engines) == 0:
        needed = descriptors_for_a_game(engines)
        raise CapacityError(
            f"no game can be played: one needs {needed} descriptors, and the system grants "
            f"us {descriptor_limit()} (see ulimit -n)"
        )


class Room:
    """The places for games, shared evenly by several processes.

    `games` is the number at once: `wanted`, or fewer if descriptors are scarce, and a sentence then
    says so. A process has descriptors for `in_a_process` games. `engines` are already running.
    """

    def __init__(
        self, wanted: int, processes: int, say: Callable[[str], None], engines: int = 0
    ) -> None:
        raise_descriptor_limit()
        fitting = games_that_fit(engines)
        self.in_a_process: float = math.inf if fitting is None else max(1, fitting)
        most = processes * self.in_a_process
        self.games = wanted if most >= wanted else int(most)
        self._places = trio.CapacityLimiter(most)
        self._reductions = 0
        self._say = say
        if self.games < wanted:
            self._say(
                f"games at once: {self.games}, not {wanted}, since each needs "
                f"{DESCRIPTORS_OF_A_GAME} descriptors and the system grants us no more "
                "(see ulimit -n)"
            )

    @property
    def taken(self) -> int:
        """The number of places in use."""
        return self._places.borrowed_tokens

    @asynccontextmanager
    async def place(self) -> AsyncIterator[Callable[[str], None]]:
        """Wait for a place, and free it at the end of the `async with` block.

        The block gets a function to call, with the reason, if the machine is exhausted: it cuts the
        places to half the games then running. Games that run at the same time cut them only once.
        """
        async with self._places:
            reductions = self._reductions

            def exhausted(reason: str) -> None:
                if self._reductions == reductions:
                    self._shrink(reason)

            yield exhausted

    def _shrink(self, reason: str) -> None:
        self._reductions += 1
        at_once = self._places.borrowed_tokens
        if at_once > 1:
            self._places.total_tokens = at_once // 2
            self._say(f"games at once: {at_once // 2}, since {reason}")


def cores() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def referees_for(wanted: int | None, at_once: int | None, games: int | None) -> int:
    """Return the number of referee processes: `wanted` or one per core, but no more than games.

    `at_once` of None means one game per core, and `games` of None any number. If descriptors are
    scarce, there is one process, because each needs some of its own.
    """
    raise_descriptor_limit()
    fitting = games_that_fit()
    if fitting is not None and fitting < MIN_GAMES_OF_A_PROCESS:
        return 1
    at_once = at_once or cores()
    return min(wanted or cores(), at_once, at_once if games is None else max(1, games))


class AbsenceCheck:
    """The check for absent engines, in formats that wait for them."""

    def __init__(self, engines: Iterable[EngineConfiguration]) -> None:
        addresses = {engine.name: remote_address(engine.command) for engine in engines}
        self._remote = {name: found for name, found in addresses.items() if found is not None}

    def is_in_doubt(self, record: GameRecord) -> bool:
        """Return whether an engine may have been absent from a game that has ended."""
        # Somebody was asked for a turn, so both were present.
        return record.timing is None and bool(self._nameless(record) or self._cut_off(record))

    async def absent(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines that were absent from a game that has ended."""
        if not self.is_in_doubt(record):
            return ()
        if nameless := self._nameless(record):
            return nameless
        return tuple(
            [name for name in self._cut_off(record) if not await answers(self._remote[name])]
        )

    def _nameless(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engines at fault that did not identify themselves."""
        outcome = record.outcome
        if outcome.termination is Termination.VOID:
            return tuple(
                name for name, said in zip(record.players, record.engines, strict=True) if not said
            )
        if not outcome.is_forfeit or outcome.winner is None:
            return ()
        loser = 1 - outcome.winner
        return () if record.engines[loser] else (record.players[loser],)

    def _cut_off(self, record: GameRecord) -> tuple[str, ...]:
        """Return the engine behind a bridge whose loss looks like a lost connection."""
        outcome = record.outcome
        if outcome.termination not in CUT_OFF or outcome.winner is None:
            return ()
        loser = record.players[1 - outcome.winner]
        return (loser,) if loser in self._remote else ()
