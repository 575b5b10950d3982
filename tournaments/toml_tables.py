"""The tables of a tournament file: their keys, with types and bounds."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from tournaments.formats.fixed import Gauntlet, Match, RoundRobin
from tournaments.formats.knockout import Knockout
from tournaments.formats.pool import RatingPool
from tournaments.formats.sprt import Sprt
from tournaments.formats.swiss import Swiss
from tournaments.formats.swiss_pairing import check_installed
from tournaments.formats.tuning import Tuning
from tournaments.missing_extra import MissingExtraError
from tournaments.playing_settings import (
    MAX_MEMORY,
    MAX_PROCESSES,
    MIN_PROCESSES,
    PLAYING_SETTINGS,
)

if TYPE_CHECKING:
    from tournaments.formats.format import Format
    from tournaments.playing_settings import SettingKind

MAX_NAME_LENGTH = 64
MAX_ROUNDS = 100_000
MAX_PAIRS = 1_000
MAX_GAMES = 100_000_000
MAX_ELO = 10_000


def _as_text(value: object) -> object:
    """Return numbers and booleans as the text that TOML writes, other values as they are."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{Decimal(repr(value)):f}"
    return str(value) if isinstance(value, int) and fits(value) else value


def fits(value: int) -> bool:
    """Return whether a whole number fits into the 64 bits of TOML."""
    return -(2**63) <= value < 2**63


Text = Annotated[str, BeforeValidator(_as_text)]
IsolationName = Literal["auto", "bubblewrap", "none"]
Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class TournamentTable(_Table):
    """`[tournament]` in any format; each format adds its settings, and how games are played."""

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH)
    format: Literal[
        "round-robin", "gauntlet", "swiss", "knockout", "match", "sprt", "rating-pool", "tuning"
    ] = "round-robin"
    seed: int = Field(default=0, ge=0, lt=2**63)
    time: Text = "10"

    def settings(self, engines: int) -> Format:
        """Return the format for this many engines. Raises SettingsError if it cannot be."""
        raise NotImplementedError


class _RoundRobinTable(TournamentTable):
    rounds: int = Field(default=1, ge=1, le=MAX_ROUNDS)

    def settings(self, engines: int) -> Format:
        return RoundRobin(self.rounds)


class _GauntletTable(_RoundRobinTable):
    def settings(self, engines: int) -> Format:
        return Gauntlet(self.rounds)


class _SwissTable(TournamentTable):
    rounds: int | None = Field(default=None, ge=1, le=MAX_ROUNDS)
    pairs: int = Field(default=1, ge=1, le=MAX_PAIRS)

    def settings(self, engines: int) -> Format:
        try:
            check_installed()
        except MissingExtraError as error:
            raise SettingsError("format", str(error)) from None
        # After this many rounds at most one engine has won all its games.
        return Swiss(self.rounds or (engines - 1).bit_length(), self.pairs)


class _KnockoutTable(TournamentTable):
    pairs: int = Field(default=1, ge=1, le=MAX_PAIRS)
    extra_pairs: int = Field(default=3, ge=0, le=MAX_PAIRS)

    def settings(self, engines: int) -> Format:
        return Knockout(self.pairs, self.extra_pairs)


class _MatchTable(TournamentTable):
    games: int = Field(default=10, ge=1, le=MAX_GAMES)

    def settings(self, engines: int) -> Format:
        return _for_two(Match(self.games), engines)


class _SprtTable(TournamentTable):
    elo0: float = Field(ge=-MAX_ELO, le=MAX_ELO)
    elo1: float = Field(ge=-MAX_ELO, le=MAX_ELO)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    beta: float = Field(default=0.05, gt=0, lt=1)
    scale: Literal["logistic", "normalised", "bradley-terry"] = "logistic"
    games: int | None = Field(default=None, ge=2, le=MAX_GAMES, multiple_of=2)

    def settings(self, engines: int) -> Format:
        sprt = Sprt(self.elo0, self.elo1, self.alpha, self.beta, self.scale, self.games)
        try:
            _ = sprt.hypotheses
        except ValueError as error:
            raise SettingsError("elo1" if self.elo0 >= self.elo1 else "alpha", str(error)) from None
        return _for_two(sprt, engines)


class _RatingPoolTable(TournamentTable):
    until: float | None = Field(default=None, gt=0, le=MAX_ELO)
    games: int | None = Field(default=None, ge=2, le=MAX_GAMES, multiple_of=2)

    def settings(self, engines: int) -> Format:
        return RatingPool(self.until, self.games)


class _TuningTable(TournamentTable):
    games: int = Field(ge=4, le=MAX_GAMES, multiple_of=4)
    batch: int = Field(default=8, ge=1, le=MAX_PAIRS)
    step: float = Field(default=0.3, gt=0, le=10)
    reach: float = Field(default=0.2, gt=0, le=0.5)

    def settings(self, engines: int) -> Format:
        if engines > 2:
            raise SettingsError(
                "format", f"tuning is of one engine, with an opponent or none, not {engines}"
            )
        return Tuning((), self.games, self.batch, self.step, self.reach)


class UnknownFormatTable(TournamentTable):
    """`[tournament]` with an unknown format, whose keys are not checked."""

    model_config = ConfigDict(extra="ignore", strict=True)


FORMAT_TABLES: dict[str, type[TournamentTable]] = {
    RoundRobin.name: _RoundRobinTable,
    Gauntlet.name: _GauntletTable,
    Swiss.name: _SwissTable,
    Knockout.name: _KnockoutTable,
    Match.name: _MatchTable,
    Sprt.name: _SprtTable,
    RatingPool.name: _RatingPoolTable,
    Tuning.name: _TuningTable,
}
"""The model of `[tournament]` in each format."""


class SettingsError(ValueError):
    """Settings contradict each other. `key` is the one to change; the message is one sentence."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


def _for_two(format_: Format, engines: int) -> Format:
    if engines != format_.engines:
        raise SettingsError(
            "format", f"the format {format_.name!r} is for two engines, and here are {engines}"
        )
    return format_


class GameTable(_Table):
    """`[[game]]`. Other keys than these are the game's own settings."""

    model_config = ConfigDict(extra="allow")

    game: str
    size: Whole | None = None
    opening_turns: int = Field(default=0, ge=0, le=100)
    openings: str | None = None

    @property
    def settings(self) -> dict[str, object]:
        """The game's own settings by name, of any type."""
        return self.model_extra or {}


class EngineTable(_Table):
    """`[[engine]]`."""

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH)
    command: list[str] = Field(min_length=1)
    active: bool = True
    time: Text | None = None
    options: dict[str, Text] = Field(default_factory=dict)
    pipelining: bool = True
    memory: int | None = Field(default=None, ge=0, le=MAX_MEMORY)
    cpu_seconds: int = Field(default=0, ge=0, lt=2**40)
    nice: int = Field(default=0, ge=0, le=19)
    directory: str | None = None
    environment: dict[str, Text] = Field(default_factory=dict)
    isolation: IsolationName | None = None
    network: bool = False
    ponder: bool = True
    processes: int | None = Field(default=None, ge=MIN_PROCESSES, le=MAX_PROCESSES)
    requires: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)


class OptionTable(_Table):
    """`[[option]]`, of a tuning."""

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH, pattern=r"^[^\s#]+$")
    low: float
    high: float
    start: float | None = None
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False


class File(_Table):
    """A whole file."""

    tournament: TournamentTable
    game: list[GameTable] = Field(min_length=1)
    engine: list[EngineTable] = Field(min_length=2)


class TuningFile(File):
    """A file with options to tune, of the first engine."""

    engine: list[EngineTable] = Field(min_length=1)
    option: list[OptionTable] = Field(min_length=1)


def file_with(table: type[TournamentTable]) -> type[File]:
    """Return the model of a file whose `[tournament]` has the model `table`."""
    if issubclass(table, _TuningTable):
        return create_model("TuningFile", __base__=TuningFile, tournament=(table, ...))
    return create_model("File", __base__=File, tournament=(table, ...))


@cache
def _with_playing(table: type[TournamentTable]) -> type[TournamentTable]:
    """Return the model with a key for each of PLAYING_SETTINGS."""
    fields = {name: _playing_field(kind) for name, kind in PLAYING_SETTINGS.items()}
    return create_model(table.__name__, __base__=table, **fields)


def _playing_field(kind: SettingKind) -> Any:  # noqa: ANN401 - what pydantic takes for a field
    type_: Any = Literal[tuple(kind.choices)] if kind.choices else kind.kind
    return (type_ | None, Field(default=None, ge=kind.least, le=kind.most))


def playing_values(table: TournamentTable) -> dict[str, object]:
    """Return the settings of playing that a `[tournament]` gives, by name."""
    given = {name: getattr(table, name, None) for name in PLAYING_SETTINGS}
    return {
        name: PLAYING_SETTINGS[name].value(value)
        for name, value in given.items()
        if value is not None
    }


def table_of_format(value: object) -> type[TournamentTable]:
    """Return the model of `[tournament]` for a file with the TOML value `value`."""
    table = value.get("tournament") if isinstance(value, dict) else None
    name = table.get("format", RoundRobin.name) if isinstance(table, dict) else RoundRobin.name
    return _with_playing(FORMAT_TABLES.get(str(name), UnknownFormatTable))
