"""How engines behaved: how long they thought, how often they were at fault, how late we were."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.outcome import Termination
    from referee.record import GameRecord


@dataclass(slots=True)
class Conduct:
    """What is added up for one engine. All times are in seconds.

    `turns` and `seconds` are those of its own turns, without the opening that was played for it.
    `lag` is by how much the referee was late at worst in its games, `marked` the games in which
    that was notable.
    """

    games: int = 0
    turns: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    lag: float = 0.0
    marked: int = 0
    faults: Counter[Termination] = field(default_factory=Counter)
    """The games it lost by a fault of its own, by what ended them."""

    @property
    def seconds_a_turn(self) -> float | None:
        """The mean; None without a turn."""
        return self.seconds / self.turns if self.turns else None

    def add(self, other: Conduct) -> None:
        """Count other games of the same engine."""
        self.games += other.games
        self.turns += other.turns
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.lag = max(self.lag, other.lag)
        self.marked += other.marked
        self.faults.update(other.faults)


def conduct_of(engines: Sequence[str], records: Iterable[GameRecord]) -> dict[str, Conduct]:
    """Every engine's conduct in these games, which have no other engines."""
    conducts = {name: Conduct() for name in engines}
    for record in records:
        for player, name in enumerate(record.players):
            conducts[name].add(conduct_in(record, player))
    return conducts


def kinds_of_faults(conducts: Iterable[Conduct]) -> list[Termination]:
    """The faults that occurred, the most frequent first."""
    total: Counter[Termination] = Counter()
    for conduct in conducts:
        total.update(conduct.faults)
    return [kind for kind, _ in total.most_common()]


def conduct_in(record: GameRecord, player: int) -> Conduct:
    """How the first player (0) or the second (1) behaved in a game."""
    outcome = record.outcome
    # Players take turns throughout: a swap exchanges their colours, not their order.
    own = record.turns[player::2]
    played_for = (record.opening + 1 - player) // 2
    times = [turn.seconds for turn in own[played_for:]]
    conduct = Conduct(
        1, len(times), sum(times), max(times, default=0.0), outcome.lag, int(outcome.is_marked)
    )
    if outcome.is_forfeit and outcome.winner == 1 - player:
        conduct.faults[outcome.termination] += 1
    return conduct


def merged(parts: Iterable[Mapping[str, Conduct]]) -> dict[str, Conduct]:
    """Every engine's conduct in several games together."""
    total: dict[str, Conduct] = {}
    for part in parts:
        for name, conduct in part.items():
            total.setdefault(name, Conduct()).add(conduct)
    return total
