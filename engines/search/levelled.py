"""How a search plays for people: few simulations, a choice by chance, and no silly turns."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from time import monotonic
from typing import TYPE_CHECKING

from oddly.games import PASS, AyuPosition, Colour

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from oddly.engines.search.plain_searcher import PlainSearcher
    from oddly.engines.search.searcher import Searcher
    from oddly.engines.search.settings import Finding, Settings, Vote
    from oddly.games import Position, Turn

    AnySearcher = Searcher | PlainSearcher

SECONDS_AN_ACTION = 0.4
"""The most that an action takes, also by the plain rules: people wait less than a second."""

UNITS_BEFORE_THE_LAST_MOVE = 5
"""In Ayu: one move joins units on at most four sides."""


def think_briefly(
    searcher: AnySearcher,
    settings: Settings,
    simulations: int,
    seconds: float,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Finding:
    """Return what that many simulations find, or fewer if the seconds are over or it `is_stopped`.

    At least `simulations_at_a_time` of the searcher are made.
    """
    began = monotonic()
    done = 0
    while True:
        wanted = min(searcher.simulations_at_a_time, simulations - done)
        found = searcher.think(settings, simulations=wanted)
        done += found.simulations
        is_late = is_stopped() or monotonic() - began >= seconds
        if done >= simulations or found.simulations < wanted or is_late:
            return replace(found, simulations=done)


def sampled(votes: dict[int, Vote], temperature: float, random: Random) -> int | None:
    """Return an action drawn by softmax over the logarithms of the visits; None if all are lost."""
    tried = {action: v.visits for action, v in votes.items() if v.visits >= 1 and not v.is_lost}
    if not tried:
        return None
    most = max(tried.values())
    weights = [exp(log(visits / most) / temperature) for visits in tried.values()]
    return random.choices(list(tried), weights)[0]


def obvious_win(position: Position) -> Turn | None:
    """Return a turn that wins at once, where even a beginner sees it."""
    if position.is_legal(PASS) and _wins(position, PASS):
        return PASS
    if isinstance(position, AyuPosition):
        return _joins_all(position)
    return None


def _wins(position: Position, turn: Turn) -> bool:
    result = position.play(turn).result
    return result is not None and result.winner is position.to_move


def _joins_all(position: AyuPosition) -> Turn | None:
    """Return a move after which the mover has one unit, and so no move left when it is next."""
    mover = position.to_move
    if position.group_counts[mover - Colour.BLACK] > UNITS_BEFORE_THE_LAST_MOVE:
        return None
    for turn in position.legal_turns():
        after = position.play(turn)
        if after.group_counts[mover - Colour.BLACK] == 1 and not after.is_over:
            return turn
    return None
