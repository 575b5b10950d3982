"""The engine that looks one turn ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.engines.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oddly.games import GroupCounts, Position, Turn
    from oddly.games.turns_by_counts import TurnsByCounts


class GreedyEngine(Engine):
    """Best score after its turn, as the game scores; ties are broken at random."""

    name = "greedy"

    def choose(self, position: Position) -> Turn:
        """One of the turns that leave the best counts for the side to move.

        Where a game's counts say nothing, a turn that wins is best and one that loses worst.
        """
        turns, side = position.turns_by_counts(), position.to_move
        scores = {counts: position.game.score(counts, side) for counts in turns.counts}
        known = [score for score in scores.values() if score is not None]
        if len(known) < len(scores):
            return self.random.choice(_best_by_result(position, turns, scores))
        best = max(known)
        return self.random.choice(turns.leaving([c for c in scores if scores[c] == best]))


def _best_by_result(
    position: Position, turns: TurnsByCounts, scores: Mapping[GroupCounts, int | None]
) -> list[Turn]:
    """The best turns where some counts say nothing."""
    best: list[Turn] = []
    best_score: int | None = None
    for turn, counts in turns:
        score = scores[counts]
        if score is None:
            score = _score_of_result(position, turn)
        if best_score is None or score > best_score:
            best, best_score = [], score
        if score == best_score:
            best.append(turn)
    return best


def _score_of_result(position: Position, turn: Turn) -> int:
    """1 if `turn` wins at once, -1 if it loses at once, else 0."""
    result = position.play(turn).result
    if result is None or result.winner is None:
        return 0
    return 1 if result.winner is position.to_move else -1
