"""Counts of the results of one game: all that its standings and ratings depend on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.outcome import Outcome
    from tournaments.ratings.ordered_pairs import Row
    from tournaments.results.played_game import PlayedGame

Result = tuple[str, str, int | None, bool]
"""First player, second player, the winner among them (None for a draw), whether by a forfeit."""


class ResultCounts:
    """Counts that grow game by game. A million games have few different results."""

    def __init__(self, played: Iterable[PlayedGame] = ()) -> None:
        self.results: Counter[Result] = Counter()
        """Void games have no result and are not in here."""
        self.void = 0
        self.endings: Counter[str] = Counter()
        """How the games that count ended, in the words of `Termination`."""
        self.lengths: Counter[int] = Counter()
        """The number of turns of the games that no fault ended."""
        # A ledger's million games share few outcomes, which are looked at once each.
        outcomes: dict[int, Outcome] = {}
        numbers: Counter[tuple[str, str, int]] = Counter()
        for game in played:
            outcome = game.outcome
            outcomes[id(outcome)] = outcome
            numbers[game.scheduled.first, game.scheduled.second, id(outcome)] += 1
        for (first, second, key), number in numbers.items():
            self._add(first, second, outcomes[key], number)

    def add(self, played: PlayedGame) -> None:
        """Count a game."""
        self._add(played.scheduled.first, played.scheduled.second, played.outcome, 1)

    def _add(self, first: str, second: str, outcome: Outcome, number: int) -> None:
        if outcome.is_void:
            self.void += number
            return
        self.results[first, second, outcome.winner, outcome.is_forfeit] += number
        self.endings[outcome.termination.value] += number
        if not outcome.is_forfeit:
            self.lengths[outcome.turns] += number

    def copy(self) -> ResultCounts:
        """Return counts that do not change when these do."""
        other = ResultCounts()
        other.results, other.void = self.results.copy(), self.void
        other.endings, other.lengths = self.endings.copy(), self.lengths.copy()
        return other

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.results.total()

    @property
    def first_score(self) -> float | None:
        """Points per game of all first players together; None without a game."""
        points = sum(
            (0.5 if winner is None else 1.0 - winner) * number
            for (_, _, winner, _), number in self.results.items()
        )
        return points / self.games if self.games else None

    @property
    def rows(self) -> dict[Row, int]:
        """How often each first player, second player and winner in words occurred."""
        rows: Counter[Row] = Counter()
        for (first, second, winner, _), number in self.results.items():
            rows[first, second, winner_word(winner)] += number
        return dict(rows)


def winner_word(winner: int | None) -> str:
    """Return `first`, `second` or `draw` for the winner's number among the two players."""
    return "draw" if winner is None else ("first", "second")[winner]
