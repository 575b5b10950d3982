"""Ratings once more, game by game and slowly, written from the model and sharing no code with it.

A point is a dictionary: an Elo for each engine, and one for the advantage under the key None. Every
engine has `prior` virtual draws, spread evenly over its opponents, and there over their games.
"""

import math
from collections import Counter

NAT = math.log(10) / 400
ADVANTAGE_PRIOR = 4000
SHARE = {"first": 1.0, "draw": 0.5, "second": 0.0}
DRAWS = 0.1


def start(games, engines=()):
    """All ratings and the advantage 0."""
    names = {*engines, *(name for game in games for name in game[:2])}
    return {None: 0.0, **dict.fromkeys(sorted(names), 0.0)}


def virtual(games, prior):
    """The virtual draws beside each game."""
    met = Counter(frozenset(game[:2]) for game in games)
    opponents = Counter(name for pair in met for name in pair)
    return [
        (prior / opponents[first] + prior / opponents[second]) / met[frozenset((first, second))]
        for first, second, _ in games
    ]


def chance(point, first, second):
    return 1 / (1 + math.exp(-NAT * (point[first] - point[second] + point[None])))


def log_posterior(games, point, prior=DRAWS, only=None):
    """The log-posterior, or what only games with some numbers add; none stand for the prior."""
    total = -((point[None] / ADVANTAGE_PRIOR) ** 2) / 2 if only is None or not only else 0.0
    draws_beside = virtual(games, prior)
    for place in range(len(games)) if only is None else only:
        (first, second, winner), draws = games[place], draws_beside[place]
        p = chance(point, first, second)
        total += (SHARE[winner] + draws / 2) * math.log(p)
        total += (1 - SHARE[winner] + draws / 2) * math.log(1 - p)
    return total


def gradient(games, point, prior=DRAWS):
    """The gradient of the log-posterior, per Elo."""
    slope = dict.fromkeys(point, 0.0)
    slope[None] = -point[None] / ADVANTAGE_PRIOR**2
    for (first, second, winner), draws in zip(games, virtual(games, prior), strict=True):
        excess = NAT * (SHARE[winner] + draws / 2 - (1 + draws) * chance(point, first, second))
        slope[first] += excess
        slope[second] -= excess
        slope[None] += excess
    return slope


def climb(games, prior=DRAWS, *, advantage=True, engines=()):
    """The peak by plain gradient ascent, until nothing moves by 0.00001 Elo in a step."""
    point = start(games, engines)
    # Along no line does the curvature exceed that of all games at even odds, thrice over.
    rate = 1 / (3 * NAT**2 / 4 * (len(games) + prior * len(point)) + 1 / ADVANTAGE_PRIOR**2)
    while True:
        slope = gradient(games, point, prior)
        if not advantage:
            slope[None] = 0.0
        if all(abs(rate * value) < 1e-6 for value in slope.values()):
            return point
        for name, value in slope.items():
            point[name] += rate * value


def second_differences(games, point, prior=DRAWS, step=0.5, only=None):
    """The negative second derivatives of the log-posterior, numerically, by pairs of names.

    `only` is that of `log_posterior`.
    """

    def value(*moves):
        moved = dict(point)
        for name, by in moves:
            moved[name] += by
        return log_posterior(games, moved, prior, only)

    return {
        (one, other): -(
            value((one, step), (other, step))
            - value((one, step), (other, -step))
            - value((one, -step), (other, step))
            + value((one, -step), (other, -step))
        )
        / (4 * step * step)
        for one in point
        for other in point
    }
