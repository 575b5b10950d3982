"""Ratings that move, against a brute force: one likelihood term for each game, and its Hessian.

The chance of each game is averaged by quadrature over what is open about its log-odds.
"""

import math
from collections import Counter
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, minimize_scalar

from oddly.tournaments.ratings import ordered_pairs, over_time, sparse_walk
from oddly.tournaments.ratings.ordered_pairs import DatedCounts, DatedGame
from oddly.tournaments.ratings.over_time import rate_over_time

BEGAN = date(2026, 3, 1)
NAT = 400 / math.log(10)
PRIOR = 0.1
QUADRATURE = np.polynomial.hermite_e.hermegauss(15)
QUADRATURE = QUADRATURE[0], QUADRATURE[1] / QUADRATURE[1].sum()


class BruteForce:
    """The posterior of games without draws, written from the documentation alone."""

    def __init__(self, games):
        self.keys = sorted({(name, game.day) for game in games for name in game[:2]})
        self.place = {key: number for number, key in enumerate(self.keys)}
        opponents = {}
        for first, second, *_ in games:
            opponents.setdefault(first, set()).add(second)
            opponents.setdefault(second, set()).add(first)
        self.opponents = opponents
        self.met = Counter(frozenset(game[:2]) for game in games)
        self.games = games
        self.steps = [
            (number, number + 1, (later[1] - earlier[1]).days)
            for number, (earlier, later) in enumerate(zip(self.keys, self.keys[1:], strict=False))
            if earlier[0] == later[0]
        ]

    def weights(self, game):
        """The points won and lost by the first player, with the part of a virtual draw."""
        share = sum(PRIOR / len(self.opponents[name]) for name in game[:2])
        virtual = share / self.met[frozenset(game[:2])] / 2
        won = game.winner == "first"
        return won + virtual, (not won) + virtual

    def means(self, period):
        """Of each engine and period, the vector whose product with a point is the rating."""
        days = {}
        for (name, day), place in self.place.items():
            days.setdefault((name, ordered_pairs.PERIODS[period](day)), []).append(place)
        vectors = {}
        for key, places in days.items():
            vectors[key] = np.zeros(len(self.keys) + 1)
            vectors[key][places] = 1 / len(places)
        return vectors

    def terms(self, drift):
        """Of each term of the log-posterior: a vector, and whether it is a walk or a game."""
        size = len(self.keys) + 1
        for game in self.games:
            vector = np.zeros(size)
            vector[self.place[game.first, game.day]] = vector[-1] = 1
            vector[self.place[game.second, game.day]] = -1
            yield vector, *self.weights(game)
        for one, other, days in self.steps:
            vector = np.zeros(size)
            vector[one], vector[other] = -1, 1
            yield vector, None, (drift / NAT) ** 2 * days
        vector = np.zeros(size)
        vector[-1] = 1
        yield vector, None, (4000 / NAT) ** 2

    def solve(self, drift, spread=None):
        """The peak, its log-posterior, and the covariance there, with the level held near 0.

        `spread` is the standard deviation of each game's log-odds over which to average.
        """
        terms = list(self.terms(drift))
        vectors = np.array([term[0] for term in terms])
        games = np.array([term[1] is not None for term in terms])
        won, lost = (np.array([term[k] for term in terms if term[1] is not None]) for k in (1, 2))
        variances = np.array([term[2] for term in terms if term[1] is None])
        level = np.append(np.ones(len(self.keys)), 0) / math.sqrt(len(self.keys))
        nodes, shares = (np.zeros(1), np.ones(1)) if spread is None else QUADRATURE
        off = np.outer(nodes, np.zeros(len(won)) if spread is None else spread)

        def cost(point):
            odds, rest = vectors[games] @ point + off, vectors[~games] @ point
            value = shares @ (won * np.logaddexp(0, -odds) + lost * np.logaddexp(0, odds))
            return value.sum() + np.sum(rest**2 / variances) / 2 + (level @ point) ** 2 / 2

        def slope(point):
            chance = shares @ (1 / (1 + np.exp(-(vectors[games] @ point + off))))
            rest = vectors[~games] @ point
            value = vectors[games].T @ ((won + lost) * chance - won)
            return value + vectors[~games].T @ (rest / variances) + level * (level @ point)

        def hessian(point):
            chance = 1 / (1 + np.exp(-(vectors[games] @ point + off)))
            weights = np.zeros(len(vectors))
            weights[games] = (won + lost) * (shares @ (chance * (1 - chance)))
            weights[~games] = 1 / variances
            return (vectors.T * weights) @ vectors + np.outer(level, level)

        start = np.zeros(len(self.keys) + 1)
        found = minimize(cost, start, jac=slope, hess=hessian, method="trust-exact", tol=1e-9)
        walk = sum(math.log((drift / NAT) ** 2 * days) for *_, days in self.steps)
        matrix = hessian(found.x)
        evidence = -found.fun - walk / 2 - np.linalg.slogdet(matrix)[1] / 2
        covariance = np.linalg.inv(matrix)
        of_games = np.sum((vectors[games] @ covariance) * vectors[games], axis=1)
        return found.x, evidence, covariance, np.sqrt(of_games)

    def averaged(self, drift):
        """The means of the ratings and their covariance, found in turns."""
        spread = None
        for _ in range(8):
            point, _, covariance, spread = self.solve(drift, spread)
        return point, covariance

    def likeliest_drift(self):
        """The drift of the greatest evidence, in Elo a day, from 0.1 to 1000."""
        found = minimize_scalar(
            lambda place: -self.solve(math.exp(place))[1],
            bounds=(math.log(0.1), math.log(1000)),
            method="bounded",
            options={"xatol": 1e-4},
        )
        return math.exp(found.x)


def chance_games(seed, engines, days, games):
    """Games of engines that met all others in a ring, on some days, with gaps."""
    die = np.random.default_rng(seed)
    strength = die.normal(0, 100, engines)
    played = []
    for number in range(games):
        one = number % engines
        other = (one + 1 + int(die.integers(engines - 1))) % engines if number >= engines else None
        other = (one + 1) % engines if other is None else other
        day = BEGAN + timedelta(days=int(die.integers(days)) ** 2)
        ahead = strength[one] - strength[other] + die.normal(0, 80)
        winner = "first" if die.random() < 1 / (1 + math.exp(-ahead / NAT)) else "second"
        played.append(DatedGame(f"e{one}", f"e{other}", winner, day))
    return played


@pytest.mark.sampled
@pytest.mark.parametrize("is_sparse", [False, True])
@settings(max_examples=5, deadline=None)
@example(seed=2551, drift=60.0, period="month")
@example(seed=28014, drift=60.0, period="month")
@example(seed=603869, drift=1.0, period="day")
@given(
    seed=st.integers(0, 10**6),
    drift=st.sampled_from([1.0, 20.0, 60.0]),
    period=st.sampled_from(list(ordered_pairs.PERIODS)),
)
def test_ratings_and_bars_are_those_of_the_brute_force(is_sparse, seed, drift, period):
    games = chance_games(seed, engines=4, days=5, games=160)
    brute = BruteForce(games)
    point, covariance = brute.averaged(drift)
    means = brute.means(period)
    ends = {name: means[name, begins] for name, begins in sorted(means)}
    starts = {name: means[name, begins] for name, begins in sorted(means, reverse=True)}
    with pytest.MonkeyPatch.context() as patch:
        if is_sparse:
            patch.setattr(over_time, "FEW", 0)
            patch.setattr(sparse_walk, "FEWEST_DRAWS", 1024)
            patch.setattr(sparse_walk, "MAX_DRAWS", 1024)
        history = rate_over_time(games, period, drift)
    # In 6,500 cases MacKay's formula was off by 4.4 % of a bar at most, and ratings by 10 % of
    # their bars, as in the last example. Many states take the variances with given opponents.
    accuracy = 0.11 if is_sparse else 0.06
    for engine in history.engines:
        for rating in engine.periods:
            mean = means[engine.name, rating.begins]
            of_elo = mean - sum(ends.values()) / len(ends)
            of_moved = mean - starts[engine.name]
            for vector, value, bar in (
                (of_elo, rating.elo, rating.error_95),
                (of_moved, rating.moved, rating.moved_error_95),
            ):
                wanted = 1.959964 * NAT * math.sqrt(vector @ covariance @ vector)
                assert bar == pytest.approx(wanted, rel=accuracy, abs=1e-3)
                assert abs(value - NAT * vector @ point) <= 2.5 * accuracy * wanted + 1e-3


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_the_drift_is_that_of_the_greatest_evidence(monkeypatch, seed):
    games = chance_games(seed, engines=4, days=7, games=400)
    wanted = BruteForce(games).likeliest_drift()
    found = rate_over_time(games).drift
    assert found.elo == pytest.approx(wanted, rel=0.03, abs=0.3)
    # With many states, a part of the slope comes from draws.
    monkeypatch.setattr(over_time, "FEW", 0)
    monkeypatch.setattr(sparse_walk, "TOGETHER", 256)
    assert rate_over_time(games).drift.elo == pytest.approx(wanted, rel=0.05, abs=0.5)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(1, 3),
            st.sampled_from(["first", "second", "draw"]),
            st.integers(0, 80),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_counts_are_those_of_the_games_whatever_waits(rows):
    games = [
        DatedGame(f"e{one}", f"e{(one + ahead) % 4}", winner, BEGAN + timedelta(days=day))
        for one, ahead, winner, day in rows
    ]
    wanted = Counter()
    for first, second, winner, day in games:
        points = {"first": 1, "second": 0, "draw": 0.5}[winner]
        for what, number in (("games", 1), ("draws", winner == "draw"), ("points", points)):
            wanted[first, second, day.toordinal(), what] += number
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordered_pairs, "BUFFER", 7)
        counts = DatedCounts(games)
        results = counts.results()
    found = {}
    for k in range(len(results.games)):
        names = results.names[results.first[k]], results.names[results.second[k]]
        for what in ("games", "draws", "points"):
            found[*names, int(results.day[k]), what] = getattr(results, what)[k]
    assert +Counter(found) == +wanted
    assert counts.games == len(games)
