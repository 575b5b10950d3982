"""What a course teaches: a prior of actions, or a judge of positions.

Both learn from games of the search against itself, and change what the next games are like.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Generic

from oddly.engines.kernels import judge, prior
from oddly.engines.rave_engine import TRIED_SHARE, tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.study.training.judging import Endings, fit_judge, play_out
from oddly.study.training.self_play import Collection, Examples, fit, play_game

if TYPE_CHECKING:
    import numpy as np

    from oddly.engines.search.settings import Settings
    from oddly.games import Game
    from oddly.study.training.self_play import Losses

Player = tuple[Searcher, "Settings"]

MEGABYTES = 64
EPOCHS = 8


class Subject(ABC, Generic[Collection]):
    """What is taught for a game: the form of its examples, how they come about, who uses it."""

    name: ClassVar[str]
    collection: type[Collection]
    """The NamedTuple of arrays that holds examples."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    @abstractmethod
    def file(self) -> str:
        """The name of the file in which the weights ship."""

    @abstractmethod
    def player(self, weights: np.ndarray | None) -> Player:
        """Return a search that goes by the weights, or by none."""

    @abstractmethod
    def play(self, player: Player, simulations: int, seed: int) -> Collection:
        """Return the examples of a game, which `seed` decides."""

    @abstractmethod
    def fit(self, examples: Collection, seed: int) -> tuple[np.ndarray, Losses]:
        """Return the weights learnt from examples, and their loss on those held out.

        Raises KeyError if there is nothing to learn in the game.
        """


class PriorSubject(Subject[Examples]):
    """Which actions are promising."""

    name = "prior"
    collection = Examples

    @property
    def file(self) -> str:
        """The name of the file in which the weights ship."""
        return prior.weights_file(self.game)

    def player(self, weights: np.ndarray | None) -> Player:
        """Return a search that goes by the weights, or by none."""
        settings = replace(tuned_for(self.game, is_long=False), puct=0.0)
        if weights is None:
            settings = replace(settings, trust=0.0)
            return Searcher(self.game, megabytes=MEGABYTES, prior=prior.NO_PRIOR), settings
        learnt = prior.new_prior(self.game, weights)
        return Searcher(self.game, megabytes=MEGABYTES, prior=learnt), settings

    def play(self, player: Player, simulations: int, seed: int) -> Examples:
        """Return the examples of a game, which `seed` decides."""
        return play_game(*player, simulations, seed)

    def fit(self, examples: Examples, seed: int) -> tuple[np.ndarray, Losses]:
        """Return the weights learnt from examples, and their loss on those held out."""
        return fit(examples, prior.weight_count(self.game), EPOCHS, seed)


class JudgeSubject(Subject[Endings]):
    """Who is likely to win a position."""

    name = "judge"
    collection = Endings

    @property
    def file(self) -> str:
        """The name of the file in which the worths ship."""
        return judge.worths_file(self.game)

    def player(self, weights: np.ndarray | None) -> Player:
        """Return a search that goes by the judge, or by none."""
        settings = replace(tuned_for(self.game, is_long=False), trust=0.0, puct=0.0)
        if weights is None:
            return Searcher(self.game, megabytes=MEGABYTES, judge=judge.NO_JUDGE), settings
        learnt = judge.new_judge(self.game, weights)
        settings = replace(settings, faith=TRIED_SHARE)
        return Searcher(self.game, megabytes=MEGABYTES, judge=learnt), settings

    def play(self, player: Player, simulations: int, seed: int) -> Endings:
        """Return the positions of a game, which `seed` decides, and how it ended."""
        return play_out(*player, simulations, seed)

    def fit(self, examples: Endings, seed: int) -> tuple[np.ndarray, Losses]:
        """Return the worths learnt from examples, and their loss on those held out."""
        return fit_judge(examples, judge.class_count(self.game), seed)
