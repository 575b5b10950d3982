"""`[tournament]`: its keys in each format, with types, bounds, defaults and what they are for."""

from __future__ import annotations

from dataclasses import MISSING
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict, Field, create_model

from oddly.tournaments.formats.catalogue import FORMATS
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS, SettingKind
from oddly.tournaments.toml.checking import MAX_NAME_LENGTH, Table, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.formats.format import Format, FormatSetting

DEFAULT_FORMAT = "round-robin"
"""The format of a file that names none."""
CLOCKS = (
    "seconds a turn ('10'), seconds a game with an increment ('60+1'), turns in seconds ('40/60'), "
    "or 'none'"
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
    """Return the name of the format in a file's TOML value `value`."""
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
