"""Under which conditions the games of a run are played, above all its engines' processes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from oddly.referee import GameRecord, Isolation, Limits, Restart, Termination
from oddly.referee.bridge.presence import remote_address
from oddly.referee.match.adjudication import EarlyEndSettings
from oddly.referee.program.isolation import is_isolated, why_not
from oddly.tournaments.executors.capacity import say_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from oddly.referee import EngineConfiguration, Snapshot
    from oddly.tournaments.results.schedule import ScheduledGame


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
