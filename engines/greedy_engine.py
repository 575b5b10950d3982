"""The engine that looks one turn ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engines.engine import Engine
from games.colour import Colour

if TYPE_CHECKING:
    from collections.abc import Callable

    from games.game import Game, Position
    from games.result import GroupCounts
    from games.turns import Turn


class GreedyEngine(Engine):
    """Best group difference after its turn; ties are broken at random."""

    name = "greedy"

    def choose(self, position: Position) -> Turn:
        """One of the turns that leave the best counts for the side to move."""
        score = score_of(position.game)
        best: list[Turn] = []
        best_score: int | None = None
        for turn, counts in position.outcomes():
            its_score = score(counts, position.to_move)
            if best_score is None or its_score > best_score:
                best, best_score = [], its_score
            if its_score == best_score:
                best.append(turn)
        return self.random.choice(best)


def score_of(game: Game) -> Callable[[GroupCounts, Colour], int]:
    """What the engine wants most of for a side, given the counts of groups."""
    return odd_parity if game.name == "odd" else fewer_groups


def fewer_groups(counts: GroupCounts, side: Colour) -> int:
    """The opponent's groups less one's own: what Yodd, Xodd and Ayu reward."""
    difference = counts.white - counts.black
    return difference if side is Colour.BLACK else -difference


def odd_parity(counts: GroupCounts, side: Colour) -> int:
    """In Odd only the parity of the groups that count wins: 1 if it is one's own, else 0."""
    return int((counts.total % 2 == 1) == (side is Colour.BLACK))
