"""A tournament: its format, games and engines, and the one table of how games are played.

Each field of `PlayingSettings` is a key of `[tournament]` in a tournament file and an option (with
hyphens) of `oddly match` and `oddly tournament`. This file says how each is read, checked and
described. To add a setting, add a field, and use it in `conditions`.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from oddly.protocol import NO_CLOCK
from oddly.referee import EngineConfiguration, Isolation, LimitResult, Limits, Restart, find_program
from oddly.referee.match.adjudication import EarlyEndSettings
from oddly.referee.program.configuration import split_words
from oddly.tournaments.executors.conditions import Conditions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.games import Game
    from oddly.tournaments.formats.format import Format
    from oddly.tournaments.results.schedule import Opening


MAX_GAMES_AT_ONCE = 1_000
MAX_FAULTS = 1_000_000_000
MAX_MARGIN = 1e6
MAX_TURNS = 1_000_000_000
LIMIT = {"least": 0.001, "most": 86_400.0}
"""The bounds of a time limit, in seconds: no less than a millisecond, no more than a day."""
MAX_MEMORY = 2**40 - 1
MIN_PROCESSES, MAX_PROCESSES = 8, 2**22 - 1


class SettingKind(NamedTuple):
    """What a setting's value may be, and what it is for."""

    name: str
    kind: type
    """`int`, `float`, `bool` or `str`, as TOML and the command line write it."""
    default: object
    summary: str
    unit: str = "N"
    """The name of the option's value in help texts."""
    least: float | None = None
    most: float | None = None
    choices: Sequence[str] = ()
    enum: type[Enum] | None = None

    def value(self, written: Any) -> Any:  # noqa: ANN401
        """Return the value for the field. Raises ValueError if it is not one of the choices."""
        return written if self.enum is None else self.enum(written)


def _setting(default: object, summary: str, unit: str = "N", **bounds: float) -> Any:  # noqa: ANN401
    return field(default=default, metadata={"summary": summary, "unit": unit, **bounds})


@dataclass(frozen=True, slots=True)
class PlayingSettings:
    """How games are played."""

    concurrency: int | None = _setting(
        None, "games at once; by default one per core", least=1, most=MAX_GAMES_AT_ONCE
    )
    referees: int | None = _setting(
        None,
        "processes that referee the games; by default one per core",
        least=1,
        most=MAX_GAMES_AT_ONCE,
    )
    margin: float = _setting(
        Limits().margin,
        "seconds granted on top of every clock",
        "SECONDS",
        least=0,
        most=MAX_MARGIN,
    )
    start_limit: float = _setting(
        Limits().handshake, "seconds for an engine to start and identify itself", "SECONDS", **LIMIT
    )
    setup_limit: float = _setting(
        Limits().setting_up, "seconds for an engine to set up a game", "SECONDS", **LIMIT
    )
    isolation: Isolation = _setting(  # noqa: RUF009 - it makes a field
        Isolation.AUTO, "how engines are isolated from each other and from this machine", "HOW"
    )
    engine_memory: int | None = _setting(
        None,
        "MiB of address space of each engine, 0 for no limit; by default half of the machine's "
        "memory if it is isolated, else no limit",
        "MIB",
        least=0,
        most=MAX_MEMORY,
    )
    engine_processes: int | None = _setting(
        None,
        "processes and threads of an isolated engine; by default 256",
        least=MIN_PROCESSES,
        most=MAX_PROCESSES,
    )
    restart: Restart = _setting(  # noqa: RUF009 - it makes a field
        Restart.ON_FAULT, "when an engine's process is replaced", "WHEN"
    )
    withdraw_after: int = _setting(
        3,
        "faults in a row after which an engine forfeits its other games",
        least=1,
        most=MAX_FAULTS,
    )

    max_turns: int | None = _setting(
        None,
        "turns of both players after which a game ends; by default there is no limit",
        least=1,
        most=MAX_TURNS,
    )
    max_turns_result: LimitResult = _setting(  # noqa: RUF009 - it makes a field
        LimitResult.COUNT, "what a game that reaches max_turns is worth", "HOW"
    )
    adjudicator: str = _setting(
        "", "an engine that ends a game when its 'solve' proves who wins", "CMD"
    )
    adjudicator_positions: int = _setting(
        10_000, "positions that the adjudicator may search for an answer", least=1, most=MAX_TURNS
    )
    adjudicator_seconds: float = _setting(
        5.0, "seconds that the adjudicator has for an answer", "SECONDS", **LIMIT
    )
    adjudicator_from: int = _setting(
        1, "the turn after which the adjudicator is first asked", least=1, most=MAX_TURNS
    )

    def early_ends(self) -> EarlyEndSettings:
        """Return what ends games before their rules do.

        Raises ProgramError if the adjudicator's command is blank or its program does not exist.
        """
        adjudicator = None
        if self.adjudicator:
            program = find_program(split_words(self.adjudicator))
            adjudicator = EngineConfiguration("the adjudicator", program, NO_CLOCK)
        return EarlyEndSettings(
            self.max_turns,
            self.max_turns_result,
            adjudicator,
            self.adjudicator_positions,
            self.adjudicator_seconds,
            self.adjudicator_from,
        )

    def changed(self, given: Mapping[str, Any]) -> PlayingSettings:
        """Return these settings with the given ones replaced, by name."""
        return replace(self, **given)

    def limits(self) -> Limits:
        """Return the limits of engines apart from their clocks."""
        return replace(
            Limits(), margin=self.margin, handshake=self.start_limit, setting_up=self.setup_limit
        )

    def conditions(self) -> Conditions:
        """Return the conditions that an executor plays under."""
        return Conditions(
            concurrency=self.concurrency,
            limits=self.limits(),
            isolation=self.isolation,
            engine_memory=self.engine_memory,
            engine_processes=self.engine_processes,
            restart=self.restart,
            withdraw_after=self.withdraw_after,
            early_ends=self.early_ends(),
        )


def _kind(each: Any) -> SettingKind:  # noqa: ANN401
    words = dict(each.metadata)
    assert each.default is not MISSING  # noqa: S101 - each has one, above
    if isinstance(each.default, Enum):
        enum = type(each.default)
        words |= {"choices": tuple(member.value for member in enum), "enum": enum}
        return SettingKind(each.name, str, each.default.value, **words)
    kind = int if each.default is None else type(each.default)
    return SettingKind(each.name, kind, each.default, **words)


PLAYING_SETTINGS: Mapping[str, SettingKind] = {
    each.name: _kind(each) for each in fields(PlayingSettings)
}
"""Every setting by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament as its file describes it.

    >>> import oddly
    >>> club = oddly.Tournament(
    ...     name="club",
    ...     format=oddly.RoundRobin(rounds=1),
    ...     games=(oddly.create_game("xodd", 3),),
    ...     engines=(
    ...         oddly.engine("oddly engine greedy", "5", name="Greedy"),
    ...         oddly.engine("oddly engine random", "5", name="Chance"),
    ...     ),
    ... )
    >>> oddly.run_tournament(club).games
    2
    """

    name: str
    """Together with `seed`, decides the seeds of games; empty for a match."""
    format: Format
    games: tuple[Game, ...]
    engines: tuple[EngineConfiguration, ...]
    """No two have the same name."""
    seed: int = 0
    """Decides everything random."""
    inactive: frozenset[str] = frozenset()
    """The names of the engines that get no games; their programs need not exist."""
    settings: PlayingSettings = field(default_factory=PlayingSettings)
    opening_turns: Mapping[Game, int] = field(default_factory=dict)
    """The number of turns of random openings, for games that have them."""
    begins_plain: bool = False
    """Whether the games of the first round have no random opening."""
    openings: Mapping[Game, tuple[Opening, ...]] = field(default_factory=dict)
    """Openings from files."""
