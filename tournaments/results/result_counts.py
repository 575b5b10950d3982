"""Counts of the results of one game: all that its standings and ratings depend on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from oddly.tournaments.results.played_game import Repeats

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.referee.justice.outcome import Outcome, Termination
    from oddly.tournaments.ratings.ordered_pairs import Row
    from oddly.tournaments.results.played_game import PlayedGame

Result = tuple[str, str, int | None, bool]
"""First player, second player, the winner among them (None for a draw), whether by a forfeit."""


class ResultCounts:
    """Counts that grow game by game. A million games have few different results."""

    def __init__(self, played: Iterable[PlayedGame] = ()) -> None:
        self.results: Counter[Result] = Counter()
        """Void games have no result and are not in here."""
        self.distinct: Counter[Result] = Counter()
        """The same without games that are copies of earlier ones: what ratings go by."""
        self.void = 0
        self.endings: Counter[str] = Counter()
        """How the games that count ended, in the words of `Termination`."""
        self.lengths: Counter[int] = Counter()
        """The number of turns of the games that no fault ended."""
        self._repeats = Repeats()
        # A million games share few outcomes, and each is examined once.
        outcomes: dict[int, Outcome] = {}
        numbers: Counter[tuple[str, str, int]] = Counter()
        copies: Counter[tuple[str, str, int]] = Counter()
        is_new = self._repeats.is_new
        for game in played:
            outcome = game.outcome
            outcomes[id(outcome)] = outcome
            key = game.scheduled.first, game.scheduled.second, id(outcome)
            numbers[key] += 1
            if not is_new(game):
                copies[key] += 1
        for key, number in numbers.items():
            self._add(*key[:2], outcomes[key[2]], number, number - copies[key])

    def add(self, played: PlayedGame) -> None:
        """Count a game."""
        first, second = played.scheduled.first, played.scheduled.second
        self._add(first, second, played.outcome, 1, int(self._repeats.is_new(played)))

    def add_results(
        self, result: Result, termination: Termination, number: int, distinct: int
    ) -> None:
        """Count a number of games with one result, some of them distinct, without their lengths."""
        self.results[result] += number
        self.distinct[result] += distinct
        self.endings[termination.value] += number

    def _add(self, first: str, second: str, outcome: Outcome, number: int, distinct: int) -> None:
        if outcome.is_void:
            self.void += number
            return
        result = first, second, outcome.winner, outcome.is_forfeit
        self.add_results(result, outcome.termination, number, distinct)
        if not outcome.is_forfeit:
            self.lengths[outcome.turns] += number

    @classmethod
    def sum_of(cls, parts: Iterable[ResultCounts]) -> ResultCounts:
        """Return the counts of several games together."""
        total = cls()
        for part in parts:
            total.results.update(part.results)
            total.distinct.update(part.distinct)
            total.void += part.void
            total.endings.update(part.endings)
            total.lengths.update(part.lengths)
        return total

    def copy(self) -> ResultCounts:
        """Return a copy to read, which does not change when these counts do."""
        other = ResultCounts()
        other.results, other.distinct = self.results.copy(), self.distinct.copy()
        other.void = self.void
        other.endings, other.lengths = self.endings.copy(), self.lengths.copy()
        return other

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.results.total()

    @property
    def distinct_games(self) -> int:
        """The number of games that count and are no copies of earlier ones."""
        return self.distinct.total()

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
        """How often each first player, second player and winner in words occurred, copies once."""
        rows: Counter[Row] = Counter()
        for (first, second, winner, _), number in self.distinct.items():
            rows[first, second, winner_word(winner)] += number
        return dict(rows)


def winner_word(winner: int | None) -> str:
    """Return `first`, `second` or `draw` for the winner's number among the two players."""
    return "draw" if winner is None else ("first", "second")[winner]
