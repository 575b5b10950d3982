"""The choice of who plays next: of all free engines, the pair whose game tells most.

There are no rounds. The engine with the widest error bar gets the opponent against whom that bar
shrinks most, by the formula that `tournaments/formats/pool_choice.py` explains; a pair that met too
often in its last games waits until no other opponent is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oddly.arena.pool import RatedPool
    from oddly.tournaments import ScheduledGame

    MayMeet = Callable[[str, str], bool]

GATHER = 2.0
"""Seconds for which an engine that became free waits for a better opponent."""
PATIENCE = 30.0
"""Seconds after which an engine meets even an opponent that it has met too often."""


class GameToBegin(NamedTuple):
    """A game that is to begin now."""

    pool: RatedPool
    scheduled: ScheduledGame
    is_second: bool
    """Whether it is the second of a pair."""


def pair_free(
    pools: Sequence[RatedPool],
    free: Mapping[str, float],
    plays_in: Callable[[str], frozenset[str]],
    may_meet: MayMeet,
    now: float,
    gather: float = GATHER,
) -> list[GameToBegin]:
    """Return the games that begin now.

    `free` has the engines that want a game, each with the time at which it became free. `plays_in`
    returns an engine's pools. Pools with the fewest running games come first.
    """
    found: list[GameToBegin] = []
    left = dict(free)
    for pool in pools:
        pool.forget_due(now)
        found += _due_games(pool, left, plays_in, may_meet)
    started = {pool.name: pool.running for pool in pools}
    is_open = True
    while is_open and len(left) > 1:
        is_open = False
        for pool in sorted(pools, key=lambda each: (started[each.name], each.name)):
            here = [name for name in left if pool.name in plays_in(name)]
            game = _next_game(pool, here, left, may_meet, now, gather)
            if game is not None:
                found.append(GameToBegin(pool, game, is_second=False))
                del left[game.first], left[game.second]
                started[pool.name] += 1
                is_open = True
                break
    return found


def _due_games(
    pool: RatedPool,
    left: dict[str, float],
    plays_in: Callable[[str], frozenset[str]],
    may_meet: MayMeet,
) -> list[GameToBegin]:
    """Return the second games that may begin now; take their engines out of `left`."""
    found = []
    for pair, (game, _) in [*pool.due.items()]:
        is_here = all(name in left and pool.name in plays_in(name) for name in pair)
        if is_here and may_meet(*pair):
            del pool.due[pair]
            found.append(GameToBegin(pool, game, is_second=True))
            for name in pair:
                del left[name]
    return found


def _next_game(
    pool: RatedPool,
    here: Sequence[str],
    since: Mapping[str, float],
    may_meet: MayMeet,
    now: float,
    gather: float,
) -> ScheduledGame | None:
    """Return the game of a pool that tells most; None if none may begin now.

    The engines `here` enter the pool.
    """
    if len(here) < 2:
        return None
    for name in here:
        pool.enter(name)
    errors = pool.errors()
    order = sorted(here, key=lambda name: (-round(float(errors[pool.number[name]]), 6), name))
    for one in order:
        if now < since[one] + gather:
            continue
        others = [
            other
            for other in here
            if other != one and may_meet(one, other) and now >= since[other] + gather
        ]
        fresh = [other for other in others if not pool.plays_too_often(one, other)]
        if not fresh:
            fresh = [other for other in others if now >= min(since[one], since[other]) + PATIENCE]
        for other in by_gain(pool, one, fresh):
            if (game := pool.next_game(one, other)) is not None:
                return game
    return None


def by_gain(pool: RatedPool, one: str, others: Sequence[str]) -> list[str]:
    """Return possible opponents, those against whom the error bar of `one` shrinks most first."""
    if len(others) < 2:
        return list(others)
    numbers = np.array([pool.number[other] for other in others], dtype=np.int64)
    gains = pool.live.relative_gains(pool.number[one], numbers, pool.covariance_with_level())
    by_name = zip(gains.tolist(), others, strict=True)
    return [other for _, other in sorted(by_name, key=lambda pair: (-pair[0], pair[1]))]
