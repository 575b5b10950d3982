"""The base of all formats, and what they plan for: an event, its contests and its encounters.

Formats are found by name: ours, and those that other packages add by entry points.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from oddly.games import Game, GameError
from oddly.games.catalogue import Catalogue
from oddly.tournaments.formats.plan import UNKNOWN_RETIREMENTS, Retirements
from oddly.tournaments.results.schedule import (
    NO_OPENINGS,
    Book,
    PlayedGame,
    RoundOfGame,
    ScheduledGame,
    scheduled,
)
from oddly.tournaments.results.sequential import PlayedPair, Question, played_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from oddly.tournaments.formats.plan import Plan, RestingEngines


MAX_ROUNDS = 100_000
MAX_PAIRS = 1_000
MAX_GAMES = 100_000_000
PAIRS = "colour-swapped pairs of games in an encounter"
BOOK = 50
"""How many of a file's first openings are fixed in a tournament without a number of rounds."""


class SettingsError(GameError):
    """Settings contradict each other. `about` is the key to change; the message is a sentence."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence, key)

    def __reduce__(self) -> tuple[object, ...]:
        """Return how a copy is made, in another process too."""
        return type(self), (self.about, str(self)), self.__dict__


class FormatSetting(NamedTuple):
    """Facts about a setting, which is a field of the format and a key of `[tournament]`."""

    name: str
    default: object
    """MISSING if the setting is required; None if it may be left out."""
    kind: type
    summary: str
    bounds: Mapping[str, float]
    """By pydantic's names: `ge`, `le`, `gt`, `lt`, `multiple_of`."""
    choices: tuple[str, ...]


def setting(
    default: Any = MISSING,  # noqa: ANN401
    *,
    kind: type,
    summary: str,
    chosen: bool = False,
    choices: tuple[str, ...] = (),
    **bounds: float,
) -> Any:  # noqa: ANN401
    """Return a field of a format's dataclass that is a key of `[tournament]`.

    `bounds` are those of FormatSetting. `chosen` says that `for_engines` chooses a value if the
    file gives none; the default then marks that case.
    """
    words = {"kind": kind, "summary": summary, "chosen": chosen, "choices": choices}
    return field(default=default, metadata={**words, "bounds": bounds})


@dataclass(frozen=True, slots=True)
class Format(ABC):
    """The settings of a format, which make its plan and its report."""

    name: ClassVar[str]
    """The name in a tournament file."""

    can_grow: ClassVar[frozenset[str]] = frozenset()
    """Settings that may be raised without changing what finished games mean."""

    can_change: ClassVar[frozenset[str]] = frozenset()
    """Settings that only say when to stop, and may change at any time."""

    takes_engines: ClassVar[bool] = True
    """Whether engines may be added after games were played."""

    takes_begun: ClassVar[bool] = False
    """Whether the plan depends on which games began in earlier runs, beyond their results."""

    takes_retirements: ClassVar[bool] = False
    """Whether the plan depends on when engines retired, beyond who is retired now."""

    waits_for_engines: ClassVar[bool] = False
    """Whether the plan waits for an absent engine, instead of having it lose its games."""

    withdraws: ClassVar[bool] = True
    """Whether an engine forfeits all its remaining games after too many faults in a row."""

    needs_all_engines: ClassVar[bool] = False
    """Whether the tournament file may pause no engine."""

    engines: ClassVar[int | None] = None
    """The number of engines that the format is for; None for any number."""

    ranks_by_elo: ClassVar[bool] = False
    """Whether standings are ordered by rating, because engines meet different opponents."""

    has_challenger: ClassVar[bool] = False
    """Whether the first engine has a special role."""

    reports: ClassVar[bool] = False
    """Whether its plan can report on an event read from a ledger."""

    @classmethod
    def settings(cls) -> list[FormatSetting]:
        """Return the settings that a tournament file may give, in their order."""
        return [
            FormatSetting(
                each.name,
                None if each.metadata["chosen"] else each.default,
                *(each.metadata[key] for key in ("kind", "summary", "bounds", "choices")),
            )
            for each in fields(cls)
            if each.metadata
        ]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Format:
        """Return the format with these settings."""
        return cls(**values)

    @classmethod
    def fixed_pairs(cls, engines: Sequence[str]) -> list[tuple[str, str]] | None:
        """Return the pairs that meet in every round; None if that depends on results."""
        return None

    @classmethod
    def asks(cls, settings: Mapping[str, Any]) -> Question | None:
        """Return the question that its games answer, from settings of unknown origin."""
        return None

    @classmethod
    def replayed(
        cls, contest: Contest, settings: Mapping[str, Any], played: Mapping[str, PlayedGame]
    ) -> Plan | None:
        """Return the plan of a contest with all that it learnt, for its reports and facts.

        It pairs nobody. Missing or impossible settings are replaced by the usual ones, since
        anybody may have written a ledger. `played` has the games by their scheduled ids.
        """
        return None

    def for_engines(self, number: int) -> Format:
        """Return the format for this many engines. Raises SettingsError if they do not fit it."""
        if self.engines not in (None, number):
            raise SettingsError(
                "format", f"the format {self.name!r} needs two engines, not {number}"
            )
        return self

    @property
    @abstractmethod
    def openings(self) -> int:
        """The number of openings that the format can use."""

    @abstractmethod
    def plan(self, event: Event) -> Plan:
        """Return the plan of the games."""

    def end(self, event: Event) -> str:
        """Return in words when the event ends; empty if the number of games says so."""
        return ""

    def facts(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Event:
    """The games of an event, its engines and its openings.

    `openings` has the book of each game that has any. `begun` are the games that began in earlier
    runs, in order, whether they ended or not.
    """

    name: str
    seed: int
    games: tuple[Game, ...]
    engines: tuple[str, ...]
    openings: Mapping[Game, Book] = field(default_factory=dict)
    begun: Sequence[ScheduledGame] = ()
    others: Sequence[PlayedGame] = ()
    """Games of merged ledgers that are not in the schedule."""
    retired: AbstractSet[str] = frozenset()
    """The engines that get no more games; the set may grow and shrink during a run."""
    retirements: Retirements = UNKNOWN_RETIREMENTS
    """When engines retired, if the format depends on it."""
    withdraw_after: int | None = None
    """The faults in a row after which an engine rests; None for any number."""
    full_rounds: AbstractSet[RoundOfGame] = frozenset()
    """The rounds in which all pairs of the schedule have met, which the plan can skip."""
    resting: dict[Game, RestingEngines] = field(default_factory=dict, compare=False)
    """The resting engines of the first plan of each game, on which later plans report."""

    def contests(self) -> dict[Game, Contest]:
        """Return one contest for each game."""
        return {
            game: Contest(
                game=game,
                engines=self.engines,
                seed=self.seed,
                event=self.name,
                openings=self.openings.get(game, NO_OPENINGS),
                begun=tuple(scheduled for scheduled in self.begun if scheduled.game == game),
                others=tuple(played for played in self.others if played.scheduled.game == game),
                retired=self.retired,
                retirements=self.retirements,
                withdraw_after=self.withdraw_after,
                resting=self.resting,
            )
            for game in self.games
        }


@dataclass(frozen=True, slots=True)
class Contest:
    """One game of an event with the engines that play it, the highest seed first."""

    game: Game
    engines: tuple[str, ...]
    seed: int
    event: str
    openings: Book = NO_OPENINGS
    begun: tuple[ScheduledGame, ...] = ()
    others: tuple[PlayedGame, ...] = ()
    retired: AbstractSet[str] = frozenset()
    retirements: Retirements = UNKNOWN_RETIREMENTS
    withdraw_after: int | None = None
    resting: dict[Game, RestingEngines] = field(default_factory=dict, compare=False)

    def pair(self, one: str, other: str, round_: int) -> list[ScheduledGame]:
        """Return a colour-swapped pair of games from the opening of that round.

        `round_` counts from 1; two engines meet at most once in each round. The plan numbers the
        games later.
        """
        opening = self.openings.opening(round_)
        return [
            scheduled(0, self.game, round_, first, second, self.seed, self.event, opening)
            for first, second in ((one, other), (other, one))
        ]

    @property
    def last_round(self) -> int:
        """The last round that began in an earlier run; 0 if none did."""
        return max((scheduled.round for scheduled in self.begun), default=0)

    def gives_up(self, scheduled: ScheduledGame) -> bool:
        """Return whether to give up a game, because an engine in it is retired."""
        return not self.retired.isdisjoint((scheduled.first, scheduled.second))

    def gave_up(self, scheduled: ScheduledGame, later: Sequence[ScheduledGame]) -> bool:
        """Return whether an engine in a game was retired when the first of `later` games began."""
        retired = self.retirements.when(later) if later else ()
        return scheduled.first in retired or scheduled.second in retired

    def loser(self, one: str, other: str, later: Sequence[ScheduledGame]) -> str | None:
        """Return who loses what two engines leave open: the first to retire; None if unknown.

        It stays the same after the first of the `later` games began.
        """
        places = self.retirements.until_now(later)
        retired = {one, other} & {*self.retired, *places}
        if len(retired) == 1:
            return retired.pop()
        is_known = places.get(one) != places.get(other) and retired <= places.keys()
        return min(retired, key=places.__getitem__) if is_known else None


class Encounter:
    """The games of two engines against each other, with their results so far."""

    def __init__(self, one: str, other: str, games: Iterable[ScheduledGame]) -> None:
        self.one = one
        self.other = other
        self.games = list(games)
        self._ended: dict[str, PlayedGame] = {}

    def learn(self, played: PlayedGame) -> None:
        """Record that one of its games has ended."""
        self._ended[played.scheduled.id] = played

    @property
    def is_decided(self) -> bool:
        """Whether all its games have ended and count."""
        return len(self.played) == len(self.games)

    @property
    def is_void(self) -> bool:
        """Whether a game was void, and must be played again before anything is decided."""
        return any(game.outcome.is_void for game in self._ended.values())

    @property
    def played(self) -> list[PlayedGame]:
        """The games that have ended and count."""
        return [
            game
            for scheduled in self.games
            if (game := self._ended.get(scheduled.id)) is not None and not game.outcome.is_void
        ]

    def pair(self) -> PlayedPair:
        """Return the two finished games of one pair, from the first engine's side."""
        first, second = self.played
        return played_pair(first, second)

    def points_of(self, name: str) -> float:
        """Return the points of one of the two engines so far."""
        return sum(game.points[game.scheduled.first != name] for game in self.played)

    def opponent_of(self, name: str) -> str:
        """Return the other of the two engines."""
        return self.other if name == self.one else self.one

    def facts(self) -> dict[str, Any]:
        """Return the engines and their points as plain values for JSON."""
        names = (self.one, self.other)
        return {"engines": list(names), "points": [self.points_of(name) for name in names]}


def whole_setting(settings: Mapping[str, object], key: str, usual: int) -> int:
    """Return a number of pairs from settings of unknown origin."""
    value = settings.get(key)
    return value if type(value) is int and 0 <= value <= MAX_PAIRS else usual


ENTRY_POINTS = "oddly.formats"
"""The group of entry points by which other packages add formats."""
_HERE = "oddly.tournaments.formats"
_OURS = {
    "round-robin": (f"{_HERE}.round_robin", "RoundRobin"),
    "gauntlet": (f"{_HERE}.round_robin", "Gauntlet"),
    "swiss": (f"{_HERE}.swiss", "Swiss"),
    "knockout": (f"{_HERE}.knockout", "Knockout"),
    "match": (f"{_HERE}.round_robin", "Match"),
    "sprt": (f"{_HERE}.sprt", "Sprt"),
    "rating-pool": (f"{_HERE}.pool", "RatingPool"),
    "tuning": (f"{_HERE}.tuning", "Tuning"),
}

FORMATS: Mapping[str, type[Format]] = Catalogue(
    "format", ENTRY_POINTS, (f"{_HERE}.format", "Format"), _OURS
)
"""Every format's class by its name in a tournament file."""
