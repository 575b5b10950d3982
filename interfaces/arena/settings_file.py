"""ARENA.toml: what an arena is called, where it listens, whom it admits, and what it plays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from oddly.arena.pool import PoolFacts
from oddly.arena.registry import RegistrationPolicy, RegistryLimits
from oddly.games import GameError, create_game, one_line
from oddly.protocol import NotationError, parse_time_control
from oddly.tournaments.toml.checking import MAX_NAME_LENGTH, Report, Table, TomlLines
from oddly.tournaments.toml.reading import TomlFileError, read_toml
from oddly.tournaments.toml.schema import schema_of

if TYPE_CHECKING:
    from pathlib import Path

Text = Annotated[str, Field(min_length=1)]
_POOL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
_HOST = re.compile(r"[^\s/@?#]+")


class ArenaFileError(TomlFileError):
    """A file that describes no arena. The message has a line for each problem, with its place."""


class HostedArena(Table):
    """`[arena]`."""

    name: str = Field(
        min_length=1, max_length=MAX_NAME_LENGTH, description="what the pages and clients call it"
    )
    folder: Text = Field(
        default="arena",
        description="the folder of its games and registrations; beside this file, if relative",
    )
    host: Text = Field(default="127.0.0.1", description="the address on which it listens")
    port: int = Field(
        default=8770, ge=0, le=65535, description="the port; 0 is any port that is free"
    )
    address: Text | None = Field(
        default=None,
        description="its public address, as in 'https://arena.example.org'; by default that on "
        "which it listens",
    )
    hosts: list[str] = Field(
        default_factory=list,
        description="what clients may dial, as in 'arena.example.org'; by default what each says",
    )
    registration: Literal["open", "invitation", "closed"] = Field(
        default="open", description="who may register a new engine"
    )
    engines: int = Field(default=5000, ge=1, description="engines in all")
    engines_per_owner: int = Field(default=20, ge=1, description="engines of one owner")
    connections: int = Field(default=2000, ge=1, description="connections at the same time")
    connections_per_address: int = Field(
        default=64, ge=1, description="those from one address, except from this machine"
    )
    gather: float = Field(
        default=2.0,
        ge=0,
        le=3600,
        description="seconds for which a free engine waits for a better opponent",
    )


class PoolTable(Table):
    """`[[pool]]`."""

    game: Text = Field(description="the game")
    size: int | None = Field(default=None, description="the size of its board; by default its own")
    settings: dict[str, str | int | bool] = Field(
        default_factory=dict, description="settings of the game"
    )
    time: Text = Field(description="the time control, as in '1+0.1'")
    name: Text | None = Field(
        default=None, description="its name; by default game, size and time: 'yodd-8-1+0.1'"
    )
    opening_turns: int = Field(
        default=2, ge=0, le=20, description="the turns of its random openings; 0 for none"
    )
    anchors: dict[str, float] = Field(
        default_factory=dict, description="the Elo of engines by their names, which set the level"
    )


class ArenaTomlFile(Table):
    """A whole file."""

    arena: HostedArena = Field(description="the arena")
    pool: list[PoolTable] = Field(
        min_length=1, description="a game with a board and a time control; one or more"
    )


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """A pool as the file has it."""

    facts: PoolFacts
    opening_turns: int


@dataclass(frozen=True, slots=True)
class ArenaConfiguration:
    """An arena, as its file describes it."""

    table: HostedArena
    folder: Path
    pools: tuple[PoolSettings, ...]

    @property
    def policy(self) -> RegistrationPolicy:
        """Who may register."""
        return RegistrationPolicy(self.table.registration)

    @property
    def limits(self) -> RegistryLimits:
        """How many engines there may be."""
        return RegistryLimits(self.table.engines_per_owner, self.table.engines)


def arena_schema() -> dict[str, object]:
    """Return what may stand in a file, as JSON Schema."""
    return schema_of(ArenaTomlFile, "An arena of oddly", "Served by 'oddly arena ARENA.toml'.")


def load_arena(path: Path) -> ArenaConfiguration:
    """Read a file. Raises ArenaFileError with all that is wrong in it."""
    try:
        text, value = read_toml(path)
    except TomlFileError as error:
        raise ArenaFileError(str(error)) from None
    report = Report(path, TomlLines(text), ArenaTomlFile)
    try:
        file = ArenaTomlFile.model_validate(value)
    except ValidationError as errors:
        for problem in errors.errors():
            report.schema(problem)
        raise ArenaFileError(report.text()) from None
    for number, host in enumerate(file.arena.hosts):
        if not _HOST.fullmatch(host):
            report.add(
                ("arena", "hosts", number),
                f"{one_line(host)!r} is no host: one such as 'arena.example.org' is expected",
            )
    pools = [_pool(number, table, report) for number, table in enumerate(file.pool)]
    names = [pool.facts.name for pool in pools if pool is not None]
    for number, pool in enumerate(pools):
        if pool is not None and pool.facts.name in names[:number]:
            report.add(("pool", number), f"there are two pools {pool.facts.name!r}")
    if said := report.text():
        raise ArenaFileError(said)
    found = tuple(pool for pool in pools if pool is not None)
    return ArenaConfiguration(file.arena, path.parent / file.arena.folder, found)


def _pool(number: int, table: PoolTable, report: Report) -> PoolSettings | None:
    """Return a pool; None if something is wrong with it, which is reported."""
    place: tuple[str | int, ...] = ("pool", number)
    settings: dict[str, Any] = dict(table.settings)
    try:
        game = create_game(table.game, table.size, settings)
    except GameError as error:
        report.add((*place, "game"), str(error))
        return None
    try:
        control = parse_time_control(table.time)
    except NotationError as error:
        report.add((*place, "time"), str(error))
        return None
    name = table.name or f"{game.name}-{game.size}-{control}".replace("/", "-")
    if not _POOL_NAME.fullmatch(name):
        report.add(
            (*place, "name"),
            f"{one_line(name)!r} is no name of a pool: letters, digits and . _ + - are expected",
        )
        return None
    return PoolSettings(PoolFacts(name, game, control, 0, table.anchors), table.opening_turns)
