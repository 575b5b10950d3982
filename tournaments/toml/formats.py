"""`[tournament]`: its keys in each format, with types, bounds, defaults and what they are for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ConfigDict, Field, create_model

from oddly.games import MissingExtraError
from oddly.tournaments.formats.knockout import Knockout
from oddly.tournaments.formats.pool import RatingPool
from oddly.tournaments.formats.round_robin import Gauntlet, Match, RoundRobin
from oddly.tournaments.formats.sprt import Sprt
from oddly.tournaments.formats.swiss import Swiss
from oddly.tournaments.formats.swiss_pairing import check_installed
from oddly.tournaments.formats.tournament import PLAYING_SETTINGS
from oddly.tournaments.formats.tuning import Tuning
from oddly.tournaments.toml.checking import MAX_NAME_LENGTH, Table, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.tournaments.formats.format import Format
    from oddly.tournaments.formats.tournament import SettingKind

MAX_ROUNDS = 100_000
MAX_PAIRS = 1_000
MAX_GAMES = 100_000_000
MAX_ELO = 10_000
CLOCKS = (
    "seconds a turn ('10'), seconds a game with an increment ('60+1'), turns in seconds ('40/60'), "
    "or 'none'"
)
PAIRS = "colour-swapped pairs of games in an encounter"


class TournamentTable(Table):
    """`[tournament]` in any format; each format adds its settings, and how games are played."""

    name: str = Field(
        min_length=1, max_length=MAX_NAME_LENGTH, description="what the tournament is called"
    )
    format: Literal[
        "round-robin", "gauntlet", "swiss", "knockout", "match", "sprt", "rating-pool", "tuning"
    ] = Field(default="round-robin", description="who meets whom")
    seed: int = Field(default=0, ge=0, lt=2**63, description="decides the seeds of all games")
    time: Text = Field(default="10", description=f"the clock of all engines: {CLOCKS}")

    def settings(self, engines: int) -> Format:
        """Return the format for this many engines. Raises SettingsError if it cannot be."""
        raise NotImplementedError


class _RoundRobinTable(TournamentTable):
    rounds: int = Field(
        default=1, ge=1, le=MAX_ROUNDS, description="games of each pair of engines with each colour"
    )

    def settings(self, engines: int) -> Format:
        return RoundRobin(self.rounds)


class _GauntletTable(_RoundRobinTable):
    def settings(self, engines: int) -> Format:
        return Gauntlet(self.rounds)


class _SwissTable(TournamentTable):
    rounds: int | None = Field(
        default=None,
        ge=1,
        le=MAX_ROUNDS,
        description="rounds; by default as many as leave at most one engine unbeaten",
    )
    pairs: int = Field(default=1, ge=1, le=MAX_PAIRS, description=PAIRS)

    def settings(self, engines: int) -> Format:
        try:
            check_installed()
        except MissingExtraError as error:
            raise SettingsError("format", str(error)) from None
        # After this many rounds at most one engine has won all its games.
        return Swiss(self.rounds or (engines - 1).bit_length(), self.pairs)


class _KnockoutTable(TournamentTable):
    pairs: int = Field(default=1, ge=1, le=MAX_PAIRS, description=PAIRS)
    extra_pairs: int = Field(
        default=3,
        ge=0,
        le=MAX_PAIRS,
        description="further pairs while an encounter is tied; then lots are drawn",
    )

    def settings(self, engines: int) -> Format:
        return Knockout(self.pairs, self.extra_pairs)


class _MatchTable(TournamentTable):
    games: int = Field(
        default=10, ge=1, le=MAX_GAMES, description="games; the engines take turns to open"
    )

    def settings(self, engines: int) -> Format:
        return _for_two(Match(self.games), engines)


class _SprtTable(TournamentTable):
    elo0: float = Field(
        ge=-MAX_ELO, le=MAX_ELO, description="H0: the first engine is this much stronger"
    )
    elo1: float = Field(
        ge=-MAX_ELO, le=MAX_ELO, description="H1: the first engine is this much stronger"
    )
    alpha: float = Field(
        default=0.05, gt=0, lt=1, description="probability of accepting H1 when H0 is true"
    )
    beta: float = Field(
        default=0.05, gt=0, lt=1, description="probability of accepting H0 when H1 is true"
    )
    scale: Literal["logistic", "normalised", "bradley-terry"] = Field(
        default="logistic", description="what Elo means"
    )
    games: int | None = Field(
        default=None,
        ge=2,
        le=MAX_GAMES,
        multiple_of=2,
        description="the maximum number of games, even; by default no limit",
    )

    def settings(self, engines: int) -> Format:
        sprt = Sprt(self.elo0, self.elo1, self.alpha, self.beta, self.scale, self.games)
        try:
            _ = sprt.hypotheses
        except ValueError as error:
            raise SettingsError("elo1" if self.elo0 >= self.elo1 else "alpha", str(error)) from None
        return _for_two(sprt, engines)


class _RatingPoolTable(TournamentTable):
    until: float | None = Field(
        default=None,
        gt=0,
        le=MAX_ELO,
        description="Elo: stop when every 95 % error bar is narrower; by default never",
    )
    games: int | None = Field(
        default=None,
        ge=2,
        le=MAX_GAMES,
        multiple_of=2,
        description="the maximum number of games, even; by default no limit",
    )

    def settings(self, engines: int) -> Format:
        return RatingPool(self.until, self.games)


class TuningTable(TournamentTable):
    """`[tournament]` of a tuning."""

    games: int = Field(ge=4, le=MAX_GAMES, multiple_of=4, description="all games, a multiple of 4")
    batch: int = Field(
        default=8, ge=1, le=MAX_PAIRS, description="pairs of games played around the same values"
    )
    step: float = Field(
        default=0.3, gt=0, le=10, description="how far the first results move the values"
    )
    reach: float = Field(
        default=0.2,
        gt=0,
        le=0.5,
        description="how far apart the first two settings are, as a share of the range, each way",
    )

    def settings(self, engines: int) -> Format:
        """Return the format without its options. Raises SettingsError if it cannot be."""
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
    Tuning.name: TuningTable,
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


@cache
def _with_playing(table: type[TournamentTable]) -> type[TournamentTable]:
    """Return the model with a key for each of PLAYING_SETTINGS."""
    fields = {name: _playing_field(kind) for name, kind in PLAYING_SETTINGS.items()}
    return create_model(table.__name__, __base__=table, **fields)


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


def table_of_format(name: str) -> type[TournamentTable]:
    """Return the model of `[tournament]` in a format, whether or not there is such a format."""
    return _with_playing(FORMAT_TABLES.get(name, UnknownFormatTable))


def format_of(value: object) -> str:
    """Return the name of the format of a file with the TOML value `value`."""
    table = value.get("tournament") if isinstance(value, dict) else None
    return str(table.get("format", RoundRobin.name)) if isinstance(table, dict) else RoundRobin.name


def key_of_another_format(key: str, table: type[TournamentTable]) -> str | None:
    """Return a sentence that `key` belongs to other formats than `table`; None if it does not."""
    formats = [name for name, other in FORMAT_TABLES.items() if key in other.model_fields]
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
