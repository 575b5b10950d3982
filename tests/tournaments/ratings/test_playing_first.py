"""The test of whether playing first matters, against an exact test and in leagues where it doesn't.

The exact test counts all ways to share the wins out that leave each engine's points as they are. A
number of wins of first players that just occurs counts half.
"""

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

from benchmarks.leagues import SHAPES, crowd, simulated
from oddly.tournaments import advantage_test, collect
from oddly.tournaments.ratings.ordered_pairs import from_counts


def ways_to_share_wins(pairs, games):
    """For each engine's points, the ways to get them, by the wins of first players."""
    ways = {}
    for wins in product(range(games + 1), repeat=len(pairs)):
        points = Counter(dict.fromkeys(range(3), 0))
        for (first, second), won in zip(pairs, wins, strict=True):
            points[first] += won
            points[second] += games - won
        found = ways.setdefault(tuple(points.values()), Counter())
        found[sum(wins)] += math.prod(math.comb(games, won) for won in wins)
    return ways


def exact_p_value(ways, first_wins):
    fewer = sum(number for wins, number in ways.items() if wins < first_wins)
    below = (fewer + ways[first_wins] / 2) / ways.total()
    return 2 * min(below, 1 - below)


def league_with(pairs, games, wins):
    counts = {}
    for (first, second), won in zip(pairs, wins, strict=True):
        names = f"e{first}", f"e{second}"
        counts |= {(*names, "first"): won, (*names, "second"): games - won}
    return from_counts({row: number for row, number in counts.items() if number})


def test_p_values_are_close_to_those_of_an_exact_test():
    pairs, games = list(permutations(range(3), 2)), 3
    ways = ways_to_share_wins(pairs, games)
    exact, found, usual = [], [], []
    for wins in np.random.default_rng(3).integers(0, games + 1, (150, len(pairs))).tolist():
        results = league_with(pairs, games, wins)
        points = tuple(int(each) for each in results.points_of_engines())
        exact.append(exact_p_value(ways[points], sum(wins)))
        test = advantage_test(results)
        found.append(test.p_value)
        usual.append(math.erfc(math.sqrt(test.statistic / 2)))
    assert np.abs(np.subtract(found, exact)).max() < 0.06
    assert np.abs(np.subtract(found, exact)).mean() < 0.006
    small = np.array(exact) < 0.2
    assert np.abs(np.log(np.divide(found, exact)[small])).max() < 0.3
    # What chi-square alone says is far too small.
    assert np.divide(usual, exact)[small].mean() < 0.65


@pytest.mark.parametrize("games", [4, 6, 10])
def test_so_is_the_p_value_if_all_first_players_won(games):
    results = from_counts({("a", "b", "first"): games, ("b", "a", "first"): games})
    exact = 1 / math.comb(2 * games, games)
    assert advantage_test(results).p_value == pytest.approx(exact, rel=0.2)


SIMULATED = {
    "100 engines with 4 games each": crowd(100, 2),
    "100 engines with 8 games each": crowd(100, 4),
    "20 engines with 8 games each": crowd(20, 4),
    "a round robin": SHAPES["a round robin of 8, 100 apart, 1 game of each ordered pair"],
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", SIMULATED)
def test_an_advantage_is_seldom_found_where_there_is_none(name):
    rng = np.random.default_rng(8)
    tests = [advantage_test(simulated(rng, SIMULATED[name], 0)) for _ in range(300)]
    # Of 300 with a probability of 5 %, 26 or more occur in 0.5 % of samples, 6 or fewer in 0.7 %.
    # By chi-square alone there are 29 to 44.
    assert 6 < sum(test.p_value < 0.05 for test in tests) < 26


def test_with_many_games_the_test_is_the_usual_one():
    results = from_counts({("a", "b", "first"): 5_100, ("a", "b", "second"): 4_900,
                           ("b", "a", "first"): 5_100, ("b", "a", "second"): 4_900})  # fmt: skip
    test = advantage_test(results)
    assert test.factor == pytest.approx(1, abs=1e-3)
    assert test.p_value == pytest.approx(math.erfc(math.sqrt(test.statistic / 2)), rel=5e-3)


@pytest.mark.parametrize(
    "games",
    [
        [],
        [("a", "b", "first")],
        10 * [("a", "b", "first"), ("a", "b", "second")],
        [("a", "b", "first"), ("b", "a", "second")],
        [("a", "b", "draw"), ("b", "a", "draw")],
    ],
)
def test_where_nothing_tells_of_an_advantage_p_is_1(games):
    assert advantage_test(collect(games)).p_value == pytest.approx(1, abs=1e-3)
