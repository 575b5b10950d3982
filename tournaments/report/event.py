"""What a ledger holds of its event, read once from the first game to the last."""

from __future__ import annotations

import math
import shlex
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tournaments.ledger.schema import LedgerError
from tournaments.report.sequential import test_of
from tournaments.schedule import ScheduledGame
from tournaments.standings import PlayedGame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from referee.outcome import Termination
    from referee.record import GameRecord
    from tournaments.ledger.store import Ledger
    from tournaments.report.sequential import Test

    Records = Iterable[tuple[str, GameRecord]]
    Watch = Callable[[Records], Records]


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """How an engine was entered: what was run, by which clock, with which options."""

    name: str
    command: str
    time: str
    options: str


@dataclass(slots=True)
class Conduct:
    """How an engine behaved. Times are in seconds, and those of its own turns only.

    `lag` is by how much the referee was late at worst in a game of it.
    """

    games: int = 0
    turns: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    lag: float = 0.0
    faults: Counter[Termination] = field(default_factory=Counter)

    @property
    def seconds_a_turn(self) -> float | None:
        """The mean; None without a turn."""
        return self.seconds / self.turns if self.turns else None

    def add(self, record: GameRecord, player: int) -> None:
        """Count one game."""
        outcome = record.outcome
        self.games += 1
        self.lag = max(self.lag, outcome.lag)
        if outcome.is_forfeit and outcome.winner == 1 - player:
            self.faults[outcome.termination] += 1
        # Players take turns throughout: a swap exchanges their colours, not their order.
        for number in range(player, len(record.turns), 2):
            if number >= record.opening:
                seconds = record.turns[number].seconds
                self.turns += 1
                self.seconds += seconds
                self.slowest = max(self.slowest, seconds)


@dataclass(frozen=True, slots=True)
class Event:
    """An event so far. `played` are all games that count, in the order in which they ended.

    `period` is when the first and the last of them ended, `latest` the last of them with their
    turns, by their ids.
    """

    name: str
    format: str
    entries: Sequence[Entry]
    period: tuple[str, str] | None
    engines: Sequence[str]
    played: Sequence[PlayedGame]
    latest: Sequence[tuple[str, GameRecord]]
    conducts: Mapping[str, Conduct]
    test: Test | None
    """Where two engines alone take part."""


def read_event(ledger: Ledger, most_games: int, watch: Watch = iter) -> Event:
    """The event of a ledger, with the turns of its last `most_games` games. Raises LedgerError.

    `watch` passes the games on as they are read, and may tell somebody how far that is.
    """
    facts = ledger.event()
    if facts is None:
        raise LedgerError(f"{ledger.path} is a ledger in which no event has begun")
    name, format_, engines = (facts.get(key) for key in ("name", "format", "engines"))
    if not (isinstance(name, str) and isinstance(format_, str) and isinstance(engines, dict)):
        raise LedgerError(f"{ledger.path} is damaged: its event lacks a name, format or engines")
    played: list[PlayedGame] = []
    plays = _Plays()
    latest: deque[tuple[str, GameRecord]] = deque(maxlen=most_games)
    conducts = {engine: Conduct() for engine in engines}
    for identity, record in watch(ledger.each_record()):
        if not _is_sound(record):
            raise LedgerError(f"{ledger.path} is damaged: game {identity} is no game record")
        played.append(plays.played(len(played) + 1, identity, record))
        latest.append((identity, record))
        for player, engine in enumerate(record.players):
            conducts.setdefault(engine, Conduct()).add(record, player)
    period = ledger.period()
    told = (_minutes(period[0]), _minutes(period[1])) if period else None
    entries = tuple(_entries(engines))
    settings = facts.get("settings")
    test = test_of(list(conducts), settings if isinstance(settings, dict) else {})
    return Event(
        name, format_, entries, told, list(conducts), played, tuple(latest), conducts, test
    )


def _entries(engines: Mapping[str, Any]) -> Iterator[Entry]:
    """The engines that are told of as they should be."""
    for name, facts in engines.items():
        match facts:
            case {
                "command": [program, *arguments],
                "time": str(time),
                "options": dict(options),
            }:
                # Without the folder: a page that is passed on need not tell where things lie.
                words = shlex.join([str(program).rsplit("/", 1)[-1], *map(str, arguments)])
                settings = " ".join(f"{option}={value}" for option, value in options.items())
                yield Entry(name, words, time, settings)


def _is_sound(record: GameRecord) -> bool:
    """Whether a record holds what a referee's does: a ledger may have been written by anybody."""
    outcome = record.outcome
    texts = (*record.players, outcome.score, outcome.reason, outcome.evidence)
    times = [outcome.lag, *(turn.seconds for turn in record.turns)]
    return (
        all(isinstance(text, str) for text in (*texts, *(turn.turn for turn in record.turns)))
        and all(type(time) in (int, float) and 0 <= time < math.inf for time in times)
        and outcome.winner in (None, 0, 1)
        and type(record.opening) is int
        and 0 <= record.opening <= len(record.turns)
        and record.players[0] != record.players[1]
    )


class _Plays:
    """Makes played games out of records, sharing what is equal: there may be a million of them."""

    def __init__(self) -> None:
        self._shared: dict[object, Any] = {}

    def played(self, number: int, identity: str, record: GameRecord) -> PlayedGame:
        """The game without its turns, and without the words about its end."""
        opening = tuple(turn.turn for turn in record.turns[: record.opening])
        first, second = record.players
        scheduled = ScheduledGame(
            number,
            self._share(record.game),
            0,
            self._share(first),
            self._share(second),
            record.seed or 0,
            identity,
            self._share(opening),
        )
        return PlayedGame(
            scheduled, self._share(replace(record.outcome, reason="", evidence="", diagram=""))
        )

    def _share(self, value: T) -> T:
        found: T = self._shared.setdefault(value, value)
        return found


def _minutes(moment: str) -> str:
    """`2026-11-21 14:19` of `2026-11-21T14:19:05+00:00`."""
    return moment[:16].replace("T", " ")
