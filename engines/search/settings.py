"""What a search takes and returns: its settings, and what it finds."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np


MAX_VARIATION = 10
"""The most actions in a line."""

LOST_WINS, WON_WINS = -1e15, 1e15
"""The wins of an action that is proven to lose, never chosen while another is left, or to win."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search chooses for one action."""

    action: int
    simulations: int
    win_rate: float
    """Of the side to move, 0 to 1."""
    is_proven: bool
    is_drawn: bool = False
    """Whether chance chose another action than the search, whose win rate it still is."""

    def instead(self, action: int) -> Finding:
        """Return this with an action that chance chose."""
        return self if action == self.action else replace(self, action=action, is_drawn=True)


class Vote(NamedTuple):
    """How often an action was tried, the sum of its rewards, and how often it ended with a lead."""

    visits: float
    wins: float
    ahead: float

    @property
    def is_lost(self) -> bool:
        """Whether it is proven to lose."""
        return bool(self.wins <= LOST_WINS / 2)

    @property
    def is_won(self) -> bool:
        """Whether it is proven to win."""
        return bool(self.wins >= WON_WINS / 2)

    @property
    def average(self) -> float:
        """The average reward of a simulation."""
        return self.wins / max(self.visits, 1.0)

    @property
    def win_rate(self) -> float:
        """Of the side to move, 0 to 1."""
        return 0.0 if self.is_lost else self.ahead / max(self.visits, 1.0)


NO_VOTE = Vote(0.0, 0.0, 0.0)


def chosen(votes: dict[int, Vote], simulations: int) -> Finding:
    """Return the most visited action that is not proven to lose; if all are, the most visited."""
    # If everything loses, the longest fight is best.
    open_actions = {a: v for a, v in votes.items() if not v.is_lost} or votes
    action = max(open_actions, key=lambda a: open_actions[a])
    vote = open_actions[action]
    return Finding(action, simulations, vote.win_rate, vote.is_lost)


EXPLORATION, EQUIVALENCE, EXPANSION, PLIES, WORTH = range(5)
TRUST, SPREAD, JUDGE_SHARE, PUCT, BEST_OF, PLAYOUTS = range(5, 11)
"""Indices of `Settings.as_array`, in the order of its fields."""

MAX_PLAYOUTS = 255
"""From one leaf: the kernel of Odd counts them in a byte."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What makes one search differ from another."""

    exploration: float
    """The weight of rarely tried actions."""
    equivalence: float
    """Visits at which an action's own average and all-moves-as-first weigh the same; 0: only its
    own."""
    expansion: int
    """Visits before a position gets a node."""
    plies: int = -1
    """Actions of a random game of Ayu before its judge estimates it; negative: it is played to the
    end."""
    worth: float = 0.0
    """Log-odds for each group of lead at the end of a random game; 0: only the winner counts. In
    Ayu it multiplies the judge's log-odds."""
    trust: float = 0.0
    """How many simulations of each action the prior counts for; 0: there is no prior."""
    spread: float = 0.0
    """How much each point of the prior's score above the average adds to an action's win rate."""
    judge_share: float = 0.0
    """The judge's share in the value of a leaf on an empty board, before any simulation."""
    puct: float = 0.0
    """The weight of the network's policy."""
    best_of: int = 1
    """Random moves of which a random game of Ayu plays the best."""
    playouts: int = 1
    """Random games from one leaf in Odd."""

    def as_array(self) -> np.ndarray:
        """Return the settings in the form that `simulate` takes."""
        import numpy as np

        return np.array(astuple(self), dtype=np.float32)
