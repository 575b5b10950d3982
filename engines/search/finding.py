"""What a search finds out: about each action, and which one it chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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
    def average(self) -> float:
        """The reward of a simulation, on average."""
        return self.wins / max(self.visits, 1.0)

    @property
    def win_rate(self) -> float:
        """Of the side to move, 0 to 1."""
        return 0.0 if self.is_lost else self.ahead / max(self.visits, 1.0)

    def plus(self, other: Vote) -> Vote:
        """Return the votes of both."""
        return Vote(self.visits + other.visits, self.wins + other.wins, self.ahead + other.ahead)


NO_VOTE = Vote(0.0, 0.0, 0.0)


def chosen(votes: dict[int, Vote], simulations: int) -> Finding:
    """Return the most visited action that is not proven to lose; if all are, the most visited."""
    # If everything loses, the longest fight is best.
    open_actions = {a: v for a, v in votes.items() if not v.is_lost} or votes
    action = max(open_actions, key=lambda a: open_actions[a])
    vote = open_actions[action]
    return Finding(action, simulations, vote.win_rate, vote.is_lost)
