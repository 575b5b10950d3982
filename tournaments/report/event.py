"""What a ledger holds of its event, read once from the first game to the last."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tournaments.ledger.schema import LedgerError
from tournaments.schedule import ScheduledGame
from tournaments.standings import PlayedGame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.outcome import Termination
    from referee.record import GameRecord
    from tournaments.ledger.store import Ledger


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


@dataclass(slots=True)
class Event:
    """An event so far. `played` are all games that count, in the order in which they ended.

    `latest` are the last of them with their turns, by their ids.
    """

    name: str
    format: str
    engines: list[str]
    played: list[PlayedGame]
    latest: Sequence[tuple[str, GameRecord]]
    conducts: dict[str, Conduct]


def read_event(ledger: Ledger, most_games: int) -> Event:
    """The event of a ledger, with the turns of its last `most_games` games. Raises LedgerError."""
    facts = ledger.event()
    if facts is None:
        raise LedgerError(f"{ledger.path} is a ledger in which no event has begun")
    name, format_, engines = _checked(ledger, facts)
    played: list[PlayedGame] = []
    latest: deque[tuple[str, GameRecord]] = deque(maxlen=most_games)
    conducts = {engine: Conduct() for engine in engines}
    for identity, record in ledger.each_record():
        played.append(_played(len(played) + 1, identity, record))
        latest.append((identity, record))
        for player, engine in enumerate(record.players):
            conducts.setdefault(engine, Conduct()).add(record, player)
    return Event(name, format_, list(conducts), played, tuple(latest), conducts)


def _checked(ledger: Ledger, facts: dict[str, Any]) -> tuple[str, str, list[str]]:
    """Name, format and engines. Raises LedgerError if they are not what they should be."""
    name, format_, engines = (facts.get(key) for key in ("name", "format", "engines"))
    if not (isinstance(name, str) and isinstance(format_, str) and isinstance(engines, dict)):
        raise LedgerError(f"{ledger.path} is damaged: its event lacks a name, format or engines")
    return name, format_, list(engines)


def _played(number: int, identity: str, record: GameRecord) -> PlayedGame:
    opening = tuple(turn.turn for turn in record.turns[: record.opening])
    scheduled = ScheduledGame(
        number, record.game, 0, *record.players, record.seed or 0, identity, opening
    )
    return PlayedGame(scheduled, record.outcome)
