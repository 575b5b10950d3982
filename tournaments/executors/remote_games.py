"""What is known of games that other processes play, here or on other machines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from oddly.referee.justice.outcome import Termination
from oddly.referee.justice.record import GameRecord
from oddly.referee.match.pool import Restart

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.referee.justice.outcome import Outcome
    from oddly.tournaments.executors.executor import Conditions
    from oddly.tournaments.results.schedule import ScheduledGame


class FaultCount:
    """Each engine's faults in a row, counted from records as in a run of one process.

    Games that run at the same time count one by one as they end.
    """

    def __init__(self, conditions: Conditions) -> None:
        self._most = 1 if conditions.restart is Restart.NEVER else conditions.patience
        self._faults = Counter(conditions.faults)

    def of(self, names: Iterable[str]) -> dict[str, int]:
        """Return the faults in a row of these engines."""
        return {name: self._faults[name] for name in names}

    def count(self, record: GameRecord) -> None:
        """Count the faults of a game. An abandoned game adds none."""
        outcome = record.outcome
        if outcome.is_abandoned:
            return
        for index, name in enumerate(record.players):
            lost = outcome.is_forfeit and index != outcome.winner
            if not (lost or outcome.termination is Termination.VOID):
                self._faults[name] = 0
            elif self._most is None or self._faults[name] < self._most:
                self._faults[name] += 1


def unplayed(scheduled: ScheduledGame, outcome: Outcome) -> GameRecord:
    """Return the record of a game of which only the outcome is left."""
    names = (scheduled.first, scheduled.second)
    return GameRecord(scheduled.game, names, ("", ""), scheduled.seed, (), outcome)
