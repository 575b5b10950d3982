"""The tables of a tournament file: `[tournament]`, whose keys depend on the format, and the others.

Keys have types, bounds, defaults and descriptions. Some keys of an engine are in files of other
kinds too, with the same checks: its options, and where its process runs.
"""

from __future__ import annotations

import os
from dataclasses import MISSING
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field, create_model

from oddly.protocol import Command, LocalProtocolError, encode_command
from oddly.protocol.codec import MAX_LINE
from oddly.protocol.messages import MAX_ID
from oddly.tournaments.formats.format import FORMATS, Format, FormatSetting
from oddly.tournaments.formats.tournament import (
    MAX_MEMORY,
    MAX_PROCESSES,
    MIN_PROCESSES,
    PLAYING_SETTINGS,
    SettingKind,
)
from oddly.tournaments.formats.tuning import Tuning
from oddly.tournaments.toml.checking import MAX_NAME_LENGTH, PathText, Table, Text, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.tournaments.toml.checking import Place, Report


DEFAULT_FORMAT = "round-robin"
"""The format of a file that names none."""
CLOCKS = (
    "seconds a turn ('10'), seconds a game with an increment ('60+1'), with Canadian "
    "('600+20/300') or Japanese overtime ('600+5x30'), or 'none'"
)


class TournamentTable(Table):
    """`[tournament]` in any format; each format adds its settings, and how games are played."""

    name: str = Field(
        min_length=1, max_length=MAX_NAME_LENGTH, description="what the tournament is called"
    )
    format: str = Field(default=DEFAULT_FORMAT, description="who meets whom")
    seed: int = Field(default=0, ge=0, lt=2**63, description="decides the seeds of all games")
    time: Text = Field(default="10", description=f"the clock of all engines: {CLOCKS}")

    def settings(self, engines: int) -> Format:
        """Return the format for this many engines. Raises SettingsError if they do not fit it."""
        format_ = FORMATS[self.format]
        given = {each.name: getattr(self, each.name) for each in format_.settings()}
        known = {key: value for key, value in given.items() if value is not None}
        return format_.of(known).for_engines(engines)


class UnknownFormatTable(TournamentTable):
    """`[tournament]` with an unknown format, whose keys are not checked."""

    model_config = ConfigDict(extra="ignore", strict=True)


@cache
def table_of_format(name: str) -> type[TournamentTable]:
    """Return the model of `[tournament]` in a format, even an unknown one."""
    format_ = FORMATS.get(name)
    settings = format_.settings() if format_ else []
    summary = TournamentTable.model_fields["format"].description
    fields: dict[str, Any] = {
        "format": (Literal[tuple(FORMATS)], Field(default=DEFAULT_FORMAT, description=summary)),
        **{each.name: _field(each) for each in settings},
        **{name: _playing_field(kind) for name, kind in PLAYING_SETTINGS.items()},
    }
    base = TournamentTable if format_ else UnknownFormatTable
    return create_model(base.__name__, __base__=base, **fields)


def _field(setting: FormatSetting) -> Any:  # noqa: ANN401 - what pydantic takes for a field
    type_: Any = Literal[setting.choices] if setting.choices else setting.kind
    if setting.default is None:
        type_ = type_ | None
    default: Any = ... if setting.default is MISSING else setting.default
    bounds: Any = setting.bounds
    return type_, Field(default=default, description=setting.summary, **bounds)


def _playing_field(kind: SettingKind) -> Any:  # noqa: ANN401 - what pydantic takes for a field
    type_: Any = Literal[tuple(kind.choices)] if kind.choices else kind.kind
    default: Any = kind.default
    return (
        type_ | None,
        Field(
            default=None,
            ge=kind.least,
            le=kind.most,
            min_length=1 if default == "" else None,
            description=kind.summary,
            json_schema_extra={} if default in (None, "") else {"default": default},
        ),
    )


def playing_values(table: TournamentTable) -> dict[str, object]:
    """Return the settings of playing that a `[tournament]` gives, by name."""
    given = {name: getattr(table, name, None) for name in PLAYING_SETTINGS}
    return {
        name: PLAYING_SETTINGS[name].value(value)
        for name, value in given.items()
        if value is not None
    }


def format_of(value: object) -> str:
    """Return the name of the format in a file's TOML, parsed as `value`."""
    table = value.get("tournament") if isinstance(value, dict) else None
    return str(table.get("format", DEFAULT_FORMAT)) if isinstance(table, dict) else DEFAULT_FORMAT


def key_of_another_format(key: str, table: type[TournamentTable]) -> str | None:
    """Return a sentence that `key` belongs to other formats than `table`; None if it does not."""
    formats = [name for name in FORMATS if key in {each.name for each in FORMATS[name].settings()}]
    if not formats:
        return None
    return (
        f"{key!r} is a key of the format{'s' if len(formats) > 1 else ''} "
        f"{' and '.join(formats)}; this one has {' and '.join(own_keys(table))}"
    )


def own_keys(table: type[TournamentTable]) -> Sequence[str]:
    """Return the keys of `[tournament]` that the format has beyond those of all formats."""
    common = {*TournamentTable.model_fields, *PLAYING_SETTINGS}
    return [key for key in table.model_fields if key not in common]


MAX_ENGINES = 500
"""With more engines, making the schedule of a round-robin takes seconds."""

IsolationName = Literal["auto", "bubblewrap", "none"]
Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class GameTable(Table):
    """`[[game]]`. Other keys than these are the game's own settings."""

    model_config = ConfigDict(extra="allow")

    game: str = Field(description="the name of the game")
    size: Whole | None = Field(
        default=None, description="the size of the board; by default the game's own"
    )
    opening_turns: int = Field(
        default=0,
        ge=0,
        le=100,
        description="turns of the random openings that each pair of games begins with",
    )
    openings: PathText | None = Field(
        default=None, description="a file of openings, one on each line: Bc3 Wb2 Bd4"
    )

    @property
    def settings(self) -> dict[str, object]:
        """The game's own settings by name, of any type."""
        return self.model_extra or {}


class EngineTable(Table):
    """`[[engine]]`."""

    name: str = Field(
        min_length=1, max_length=MAX_NAME_LENGTH, description="a name that no other engine has"
    )
    command: list[str] = Field(
        min_length=1, description="the program and its arguments; no shell sees them"
    )
    active: bool = Field(
        default=True, description="whether it gets new games; if not, its program need not exist"
    )
    time: Text | None = Field(
        default=None, description="its own clock; by default that of the tournament"
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
        description="MiB of address space, 0 for no limit; by default engine_memory",
    )
    cpu_seconds: int = Field(
        default=0,
        ge=0,
        lt=2**40,
        description="processor time after which the system ends the process; 0 for no limit",
    )
    nice: int = Field(default=0, ge=0, le=19, description="how far it yields to other processes")
    directory: PathText | None = Field(
        default=None, description="its working directory; by default oddly's"
    )
    environment: dict[str, Text] = Field(
        default_factory=dict, description="environment variables, added to oddly's"
    )
    isolation: IsolationName | None = Field(
        default=None, description="what isolates it; by default what the tournament says"
    )
    network: bool = Field(
        default=False, description="whether it has network access if it is isolated"
    )
    ponder: bool = Field(
        default=True,
        description="whether it may think in its opponent's time; if not, it is stopped",
    )
    processes: int | None = Field(
        default=None,
        ge=MIN_PROCESSES,
        le=MAX_PROCESSES,
        description="processes and threads if it is isolated; by default engine_processes",
    )
    requires: list[Annotated[str, Field(min_length=1)]] = Field(
        default_factory=list, description="what a worker of a cluster must have, such as 'gpu'"
    )


class OptionTable(Table):
    """`[[option]]`, of a tuning."""

    name: str = Field(
        min_length=1,
        max_length=MAX_NAME_LENGTH,
        pattern=r"^[^\s#]+$",
        description="the name of the option, as in the engine's list_options",
    )
    low: float = Field(description="the lowest value")
    high: float = Field(description="the highest value")
    start: float | None = Field(
        default=None, description="where to begin; by default in the middle"
    )
    scale: Literal["linear", "log"] = Field(
        default="linear", description="whether a step is a sum (linear) or a factor (log)"
    )
    whole: bool = Field(default=False, description="whether only whole numbers are tried")


class File(Table):
    """A whole file."""

    tournament: TournamentTable = Field(description="the tournament")
    game: list[GameTable] = Field(min_length=1, description="a game to play; one or more")
    engine: list[EngineTable] = Field(
        min_length=2, max_length=MAX_ENGINES, description="an engine; two or more"
    )


class TuningFile(File):
    """A file with options to tune, of the first engine."""

    engine: list[EngineTable] = Field(
        min_length=1, description="the engine that is tuned, and its opponent if any"
    )
    option: list[OptionTable] = Field(min_length=1, description="an option to tune; one or more")


def file_of_format(name: str) -> type[File]:
    """Return the model of a file in a format, even an unknown one."""
    base = TuningFile if name == Tuning.name else File
    return create_model(base.__name__, __base__=base, tournament=(table_of_format(name), ...))


def check_options(options: Mapping[str, str], place: Place, report: Report) -> None:
    """Report each option of the table at `place` that `set_option` could not send unchanged."""
    for name, value in options.items():
        if (expected := _expected(name, value)) is not None:
            said = f"option {quoted(name)} = {quoted(value)} cannot be sent: {expected} expected"
            report.add((*place, "options", name), said)


def _expected(name: str, value: str) -> str | None:
    """Return what is expected instead of an option; None if it can be sent."""
    words = value.split()
    is_plain = (name + value).isprintable() and "#" not in name + value
    if not (is_plain and words and name.split() == [name]):
        return "words without '#'"
    try:
        encode_command(Command("set_option", (name, *words)), MAX_ID)
    except LocalProtocolError:
        return f"a name and a value that fit into a line of {MAX_LINE:,} bytes"
    return None


def check_process(
    directory: str | None, environment: Mapping[str, str], place: Place, report: Report
) -> None:
    """Report a working directory that is missing, and variables that cannot be set."""
    # A path that is too long, or that we may not look at, is none either.
    if directory is not None and not os.path.isdir(directory):  # noqa: PTH112
        report.add((*place, "directory"), f"there is no directory {directory!r}")
    for name, value in environment.items():
        if not name or "=" in name or "\0" in name:
            report.add((*place, "environment"), f"{name!r} cannot name a variable")
        elif "\0" in value:
            report.add(
                (*place, "environment"),
                f"variable {name!r} = {value!r} cannot be set: text without U+0000 expected",
            )
