"""What answers while kernels are compiled: the plain rules, within a second, and weaker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from oddly.engines.greedy_engine import GreedyEngine
from oddly.engines.search.analysing import analyses, turn_evaluation_of
from oddly.engines.search.plain_searcher import PlainSearcher
from oddly.games import Ayu, Drop, DropPosition, Drops, End
from oddly.protocol import Analysis

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from oddly.engines.search.settings import Finding, Settings
    from oddly.games import Game, Position, Turn
    from oddly.protocol import TurnEvaluation

SECONDS_AN_ACTION = 0.35
"""A turn has two actions at most, and is to take less than a second."""

NOTICE = "until the kernels are compiled, the plain rules answer: weaker, but within a second"
MAX_WAIT = 0.5
RULES = "plain"
"""The value of `rules` in what `analyze` reports meanwhile."""


class StandIn:
    """The plain rules of one game."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.searcher = PlainSearcher(game, seed)
        self._greedy = GreedyEngine()
        self._greedy.set_option("seed", str(seed))

    def turn(
        self, position: Position, think: Callable[[PlainSearcher], Finding]
    ) -> tuple[Turn, TurnEvaluation]:
        """Return a turn and what is expected of it, where `think` finds each of its actions."""
        at, drops = DropPosition(position), list[Drop]()
        while True:
            self.searcher.load(at)
            found = think(self.searcher)
            action = self.searcher.action_of(found.action)
            if isinstance(action, Drop):
                drops.append(action)
                at = at.act(action)
                if at.drops:
                    continue
            evaluation = turn_evaluation_of(self.searcher, found)
            if isinstance(action, Drop | End):
                return Drops(tuple(drops)), evaluation
            return action, evaluation

    def analyses(
        self,
        settings: Settings,
        position: Position,
        interval: float,
        has_more: Callable[[float], bool],
        is_wanted: Callable[[], bool],
    ) -> Generator[Analysis, None, bool]:
        """Yield what is found while it `is_wanted`; return whether `has_more` ended it."""
        is_ended = False

        def has_more_or_is_unwanted(seconds: float) -> bool:
            nonlocal is_ended
            is_ended = has_more(min(seconds, MAX_WAIT))
            return is_ended or not is_wanted()

        found = analyses(self.searcher, settings, position, interval, has_more_or_is_unwanted)
        for analysis in found:
            turns = tuple(replace(turn, rules=RULES) for turn in analysis.turns)
            yield Analysis(turns)
        return is_ended

    def glance(self, position: Position) -> Turn | None:
        """Return a turn, in a game of which a second is too short to search; None elsewhere."""
        return self._greedy.choose(position) if isinstance(self.game, Ayu) else None
