"""How engines behaved: how long they thought, how often they were at fault, how late we were."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def conduct_of(engines: Sequence[str], records: Iterable[GameRecord]) -> dict[str, Conduct]:
    """Every engine's conduct in these games, which have no other engines."""
    conducts = {name: Conduct() for name in engines}
    for record in records:
        for player, name in enumerate(record.players):
            _add(conducts[name], record, player)
    return conducts


def kinds_of_faults(conducts: Iterable[Conduct]) -> list[Termination]:
    """The faults that occurred, the most frequent first."""
    total: Counter[Termination] = Counter()
    for conduct in conducts:
        total.update(conduct.faults)
    return [kind for kind, _ in total.most_common()]


def _add(conduct: Conduct, record: GameRecord, player: int) -> None:
    outcome = record.outcome
    conduct.games += 1
    conduct.lag = max(conduct.lag, outcome.lag)
    conduct.marked += outcome.is_marked
    if outcome.is_forfeit and outcome.winner == 1 - player:
        conduct.faults[outcome.termination] += 1
    # Players take turns throughout: a swap exchanges their colours, not their order.
    own = record.turns[player::2]
    played_for = (record.opening + 1 - player) // 2
    times = [turn.seconds for turn in own[played_for:]]
    conduct.turns += len(times)
    conduct.seconds += sum(times)
    conduct.slowest = max(conduct.slowest, *times, 0.0)
