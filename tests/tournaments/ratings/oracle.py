"""Ratings once more, game by game and slowly, written from the model and sharing no code with it.

A point is a dictionary: an Elo for each engine, and one for the advantage under the key None.
"""

import math

NAT = math.log(10) / 400
ADVANTAGE_PRIOR = 4000
SHARE = {"first": 1.0, "draw": 0.5, "second": 0.0}


def start(games, engines=()):
    """All ratings and the advantage 0."""
    names = {*engines, *(name for game in games for name in game[:2])}
    return {None: 0.0, **dict.fromkeys(sorted(names), 0.0)}


def width(name, prior):
    return ADVANTAGE_PRIOR if name is None else prior


def chance(point, first, second):
    return 1 / (1 + math.exp(-NAT * (point[first] - point[second] + point[None])))


def log_posterior(games, point, prior=400):
    total = -sum((elo / width(name, prior)) ** 2 / 2 for name, elo in point.items())
    for first, second, winner in games:
        p = chance(point, first, second)
        total += SHARE[winner] * math.log(p) + (1 - SHARE[winner]) * math.log(1 - p)
    return total


def gradient(games, point, prior=400):
    """The gradient of the log-posterior, per Elo."""
    slope = {name: -elo / width(name, prior) ** 2 for name, elo in point.items()}
    for first, second, winner in games:
        excess = NAT * (SHARE[winner] - chance(point, first, second))
        slope[first] += excess
        slope[second] -= excess
        slope[None] += excess
    return slope


def climb(games, prior=400, *, advantage=True, engines=()):
    """The peak by plain gradient ascent, to 0.001 Elo.

    The posterior curves by at least 1 / width^2 everywhere, so that the peak is within
    |slope| * width^2 of a point.
    """
    point = start(games, engines)
    # Along no line does the curvature exceed that of all games at even odds, thrice over.
    rate = 1 / (3 * NAT**2 / 4 * max(len(games), 1) + 1 / prior**2)
    while True:
        slope = gradient(games, point, prior)
        if not advantage:
            slope[None] = 0.0
        if all(abs(value) * width(name, prior) ** 2 < 1e-3 for name, value in slope.items()):
            return point
        for name, value in slope.items():
            point[name] += rate * value


def distance_bound(games, point, prior=400):
    """A bound, in Elo, on how far the peak is from `point`, by the curvature of the posterior."""
    slope = gradient(games, point, prior)
    return math.hypot(*(value * width(name, prior) ** 2 for name, value in slope.items()))


def second_differences(games, point, prior=400, step=0.5):
    """The negative second derivatives of the log-posterior, numerically, by pairs of names."""

    def value(*moves):
        moved = dict(point)
        for name, by in moves:
            moved[name] += by
        return log_posterior(games, moved, prior)

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
