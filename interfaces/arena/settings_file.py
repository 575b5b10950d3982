"""ARENA.toml: the name of an arena, where it listens, whom it admits, and what it plays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_network
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from oddly.arena.names import MAX_NAME, UnfitNameError, plain_name, skeleton
from oddly.arena.pairing import GATHER
from oddly.arena.pool import PoolFacts
from oddly.arena.registry import RegistrationPolicy, RegistryLimits
from oddly.arena.sessions import ArenaLimits
from oddly.arena.wire import members
from oddly.arena.wire.members import MAX_POOLS, MAX_TEXT, WireError
from oddly.games import GameError, create_game, did_you_mean, one_line
from oddly.interfaces.serving.listening import CertificateFiles
from oddly.protocol import NO_CLOCK, NotationError, parse_time_control
from oddly.referee import EngineConfiguration, Isolation, ProgramError, Resources, find_program
from oddly.referee.program.configuration import DEFAULT_PROCESSES
from oddly.referee.program.isolation import IsolationError, is_isolated
from oddly.tournaments.formats.tournament import MAX_MEMORY, MAX_PROCESSES, MIN_PROCESSES
from oddly.tournaments.toml.checking import (
    MAX_NAME_LENGTH,
    PathText,
    Report,
    Table,
    TomlFileError,
    TomlLines,
    read_toml,
)
from oddly.tournaments.toml.tables import check_options, check_process

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from oddly.interfaces.serving.applications import Network

Text = Annotated[str, Field(min_length=1)]
_POOL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
_HOST = re.compile(r"[^\s/@?#]+")
_ADDRESS = re.compile(r"https?://[^\s/@?#]+(/[^\s?#]*)?")
MAX_ADDRESS = 300
"""With the name of an engine or a game, an address is still a sentence of the wire."""
MAX_ANCHOR = 10_000
ENGINES, TRAFFIC = RegistryLimits(), ArenaLimits()


class ArenaFileError(TomlFileError):
    """A file that describes no arena. The message has a line for each problem, with its place."""


class ArenaFileTable(Table):
    """`[arena]`."""

    name: str = Field(
        min_length=1, max_length=MAX_NAME_LENGTH, description="what the pages and clients call it"
    )
    folder: PathText = Field(
        default="arena",
        description="the folder of its games and registrations; beside this file, if relative",
    )
    host: Text = Field(default="127.0.0.1", description="the address on which it listens")
    port: int = Field(
        default=8770, ge=0, le=65535, description="the port; 0 is any port that is free"
    )
    address: Text | None = Field(
        default=None,
        max_length=MAX_ADDRESS,
        description="its public address, as in 'https://arena.example.org'; by default that on "
        "which it listens",
    )
    hosts: list[str] = Field(
        default_factory=list,
        description="what clients may dial, as in 'arena.example.org', or with a port that is not "
        "the usual one 'arena.example.org:8770'; by default what each says",
    )
    certificate: PathText | None = Field(
        default=None,
        description="the certificate for TLS without a proxy, with those above it, as PEM; read "
        "again at SIGHUP and when it changes",
    )
    key: PathText | None = Field(default=None, description="the key of the certificate, as PEM")
    registration: Literal["open", "invitation", "closed"] = Field(
        default="open", description="who may register a new engine"
    )
    engines: int = Field(default=ENGINES.of_all, ge=1, description="engines in all")
    engines_per_owner: int = Field(
        default=ENGINES.of_owner, ge=1, description="engines of one owner"
    )
    engines_per_address: int = Field(
        default=TRAFFIC.engines_a_day,
        ge=1,
        description="new engines from one address within a day",
    )
    connections: int = Field(default=2000, ge=1, description="connections at the same time")
    connections_per_address: int = Field(
        default=64, ge=1, description="those from one address, except from this machine"
    )
    bytes_per_second: int = Field(
        default=TRAFFIC.bytes_per_second,
        ge=1024,
        description="what one address may send, except this machine, and what one owner may",
    )
    proxies: list[str] = Field(
        default_factory=list,
        description="proxies on other machines, whose X-Forwarded-For is trusted as that of one "
        "on this machine is: '10.0.0.2', '10.0.0.0/24'",
    )
    metrics: list[str] = Field(
        default_factory=list,
        description="who may read /metrics, besides this machine: '10.0.0.3', '10.0.0.0/24'",
    )
    own_games: bool = Field(
        default=False, description="whether engines of one owner meet each other"
    )
    gather: float = Field(
        default=GATHER,
        ge=0,
        le=3600,
        description="seconds for which a free engine waits for a better opponent",
    )
    house: Text = Field(default="house", description="the name by which the arena owns its engines")
    house_games: bool = Field(
        default=False,
        description="whether its engines also meet each other, while one waits for a guest",
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
    anchors: dict[str, Annotated[float, Field(ge=-MAX_ANCHOR, le=MAX_ANCHOR)]] = Field(
        default_factory=dict,
        description="the Elo of engines by their names, which set the level: from -10,000 to "
        "10,000",
    )


class HouseEngineTable(Table):
    """`[[engine]]`."""

    name: str = Field(min_length=1, max_length=MAX_NAME, description="a name that no guest has")
    command: list[str] = Field(
        min_length=1, description="the program and its arguments; no shell sees them"
    )
    about: str = Field(default="", max_length=MAX_TEXT, description="what its page says of it")
    pools: list[str] = Field(
        default_factory=list, description="where it plays; by default in all pools that it can"
    )
    options: dict[str, Text] = Field(
        default_factory=dict, description="options, sent with set_option before every game"
    )
    pipelining: bool = Field(
        default=True, description="whether commands are sent ahead; if not, one at a time"
    )
    memory: int | None = Field(
        default=None,
        ge=0,
        le=MAX_MEMORY,
        description="MiB of address space, 0 for no limit; by default half of the machine's",
    )
    nice: int = Field(default=5, ge=0, le=19, description="how far it yields to other processes")
    directory: PathText | None = Field(
        default=None, description="its working directory; by default that of the arena's process"
    )
    environment: dict[str, Text] = Field(
        default_factory=dict, description="environment variables, added to the arena's"
    )
    isolation: Literal["auto", "bubblewrap", "none"] = Field(
        default="auto", description="what isolates it; 'auto' is bubblewrap where that works"
    )
    network: bool = Field(
        default=False, description="whether it has network access if it is isolated"
    )
    ponder: bool = Field(
        default=False,
        description="whether it may think in its opponent's time; if not, it is stopped",
    )
    processes: int = Field(
        default=DEFAULT_PROCESSES,
        ge=MIN_PROCESSES,
        le=MAX_PROCESSES,
        description="processes and threads if it is isolated",
    )


class ArenaTomlFile(Table):
    """A whole file."""

    arena: ArenaFileTable = Field(description="the arena")
    pool: list[PoolTable] = Field(
        min_length=1, description="a game with a board and a time control; one or more"
    )
    engine: list[HouseEngineTable] = Field(
        default_factory=list, description="an engine of the arena's own, which waits for guests"
    )


@dataclass(frozen=True, slots=True)
class HouseEngine:
    """One of the arena's own engines."""

    configuration: EngineConfiguration
    about: str = ""
    pools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArenaConfiguration:
    """An arena, as its file describes it."""

    table: ArenaFileTable
    folder: Path
    pools: tuple[PoolFacts, ...]
    engines: tuple[HouseEngine, ...] = ()
    proxies: tuple[Network, ...] = ()
    """Proxies on other machines."""
    metrics: tuple[Network, ...] = ()
    """The networks that may read the metrics, besides this machine."""
    certificate: CertificateFiles | None = None
    """None for no TLS."""

    @property
    def policy(self) -> RegistrationPolicy:
        """Who may register."""
        return RegistrationPolicy(self.table.registration)

    @property
    def limits(self) -> RegistryLimits:
        """How many engines there may be."""
        return RegistryLimits(self.table.engines_per_owner, self.table.engines)


def load_arena(path: Path) -> ArenaConfiguration:
    """Read a file. Raises ArenaFileError with every problem in it."""
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
    _check_arena(file.arena, report)
    proxies = _networks("proxies", file.arena.proxies, report)
    metrics = _networks("metrics", file.arena.metrics, report)
    certificate = _certificate(file.arena, path.parent, report)
    pools = [_pool(number, table, report) for number, table in enumerate(file.pool)]
    if len(pools) > MAX_POOLS:
        report.add(("pool", MAX_POOLS), f"{len(pools)} pools, expected at most {MAX_POOLS}")
    names = [None if pool is None else pool.name for pool in pools]
    for number, pool in enumerate(pools):
        if pool is not None and pool.name in names[:number]:
            report.add(("pool", number), f"there are two pools {pool.name!r}")
    known = [name for name in names if name is not None]
    engines = [_engine(number, table, known, report) for number, table in enumerate(file.engine)]
    _check_engines([table.name for table in file.engine], report)
    if said := report.text():
        raise ArenaFileError(said)
    found = tuple(pool for pool in pools if pool is not None)
    folder = path.parent / file.arena.folder
    return ArenaConfiguration(
        file.arena, folder, found, tuple(engines), proxies, metrics, certificate
    )


def _check_arena(table: ArenaFileTable, report: Report) -> None:
    """Report what no client could read or dial."""
    try:
        members.name(table.name)
    except WireError as error:
        report.add(("arena", "name"), f"the name {error}")
    address = table.address
    if address is not None and not (address.isprintable() and _ADDRESS.fullmatch(address)):
        said = "is no public address: one such as 'https://arena.example.org' is expected"
        report.add(("arena", "address"), f"{one_line(address)!r} {said}")
    for number, host in enumerate(table.hosts):
        if not _HOST.fullmatch(host):
            said = "is no host: one such as 'arena.example.org' is expected"
            report.add(("arena", "hosts", number), f"{one_line(host)!r} {said}")


def _networks(key: str, texts: Sequence[str], report: Report) -> tuple[Network, ...]:
    """Return networks; report everything else."""
    found: list[Network] = []
    for number, text in enumerate(texts):
        try:
            found.append(ip_network(text))
        except ValueError:
            said = "is no address or network: one such as '10.0.0.2' or '10.0.0.0/24' is expected"
            report.add(("arena", key, number), f"{one_line(text)!r} {said}")
    return tuple(found)


def _certificate(table: ArenaFileTable, folder: Path, report: Report) -> CertificateFiles | None:
    """Return the files for TLS, if given; report one without the other."""
    if table.certificate is not None and table.key is not None:
        return CertificateFiles(folder / table.certificate, folder / table.key)
    for given, missing in (("certificate", "key"), ("key", "certificate")):
        if getattr(table, given) is not None:
            report.add(("arena", given), f"the {given} needs a {missing} beside it")
    return None


def _pool(number: int, table: PoolTable, report: Report) -> PoolFacts | None:
    """Return a pool; if something is wrong with it, report that and return None."""
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
            f"{one_line(name)!r} is no name of a pool: 1 to 40 letters, digits and . _ + - are "
            "expected, a letter or digit first",
        )
        return None
    return PoolFacts(name, game, control, 0, table.anchors, table.opening_turns)


def _check_engines(names: Sequence[str], report: Report) -> None:
    first: dict[str, str] = {}
    for number, name in enumerate(names):
        try:
            alike = skeleton(plain_name(name))
        except UnfitNameError as error:
            report.add(("engine", number, "name"), str(error))
            continue
        if alike in first:
            report.add(("engine", number, "name"), f"{name!r} is too much like {first[alike]!r}")
        first.setdefault(alike, name)


def _engine(
    number: int, table: HouseEngineTable, pools: Sequence[str], report: Report
) -> HouseEngine:
    """Return an engine of the house, and report what is wrong with it."""
    place = ("engine", number)
    try:
        members.sentence(table.about)
    except WireError as error:
        report.add((*place, "about"), f"the text about it {error}")
    command: tuple[str, ...] = ()
    try:
        command = find_program(table.command)
    except ProgramError as error:
        report.add((*place, "command"), str(error))
    for index, pool in enumerate(table.pools):
        if pool not in pools:
            near = did_you_mean(pool, pools)
            report.add((*place, "pools", index), f"there is no pool {one_line(pool)!r}{near}")
    check_options(table.options, place, report)
    check_process(table.directory, table.environment, place, report)
    resources = Resources(
        table.memory,
        nice=table.nice,
        directory=table.directory,
        environment=table.environment,
        isolation=Isolation(table.isolation),
        network=table.network,
        ponder=table.ponder,
        processes=table.processes,
    )
    try:
        is_isolated(resources)
    except IsolationError as error:
        report.add((*place, "isolation"), str(error))
    configuration = EngineConfiguration(
        table.name, command, NO_CLOCK, table.options, resources, table.pipelining
    )
    return HouseEngine(configuration, table.about, tuple(table.pools))
