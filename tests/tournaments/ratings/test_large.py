"""Ratings of many engines against the dense calculation for few, and beyond its limit."""

import sys
from collections import Counter

import numpy as np
import pytest
from scipy.sparse import linalg

from oddly.games import MissingExtraError
from oddly.tournaments import advantage_test, collect, rate
from oddly.tournaments.ratings import bradley_terry
from oddly.tournaments.ratings.elo import expected_score
from oddly.tournaments.ratings.ordered_pairs import from_counts
from oddly.tournaments.ratings.sparse import Laplacian


def random_league(engines, opponents, games, seed=1):
    """Engines that met some others near them, in swapped pairs; every tenth game is drawn."""
    counts = games_of_league(engines, opponents, games, seed)
    return from_counts(counts, [f"{engine:04}" for engine in range(engines)])


def games_of_league(engines, opponents, games, seed, first_name=0):
    die = np.random.default_rng(seed)
    elo = np.sort(die.normal(0, 300, engines))
    counts = Counter()
    for one in range(engines):
        near = np.flatnonzero(np.abs(elo - elo[one]) < 250)
        for other in die.choice(near, opponents):
            for first, second in ((one, int(other)), (int(other), one)):
                if one == other:
                    continue
                won = die.random(games) < expected_score(elo[first] - elo[second] + 35)
                drawn = die.random(games) < 0.1
                for winner, is_drawn in zip(won, drawn, strict=True):
                    name = "draw" if is_drawn else "first" if winner else "second"
                    names = (f"{first_name + engine:04}" for engine in (first, second))
                    counts[(*names, name)] += 1
    return counts


@pytest.mark.sampled
@pytest.mark.parametrize("anchor", [None, "0007"])
def test_a_sample_tells_what_the_joint_covariance_does(monkeypatch, anchor):
    results = random_league(150, 3, 10)
    joint, test = rate(results, anchor=anchor), advantage_test(results)
    monkeypatch.setattr(bradley_terry, "MAX_JOINT", 100)
    many, test_of_many = rate(results, anchor=anchor), advantage_test(results)
    assert many.covariance is None
    assert many.elo == pytest.approx(joint.elo, abs=1e-3)
    assert many.advantage == pytest.approx(joint.advantage, abs=1e-3)
    assert many.moves == pytest.approx(joint.moves, abs=1e-3)
    rated = np.flatnonzero(joint.errors_95)
    shares = many.errors_95[rated] / joint.errors_95[rated]
    # The standard error of a bar is 3 %.
    assert np.mean(shares) == pytest.approx(1, abs=0.03)
    assert np.abs(shares - 1).max() < 0.16
    assert many.advantage_error_95 == pytest.approx(joint.advantage_error_95, rel=0.01)
    assert many.fit.freedom == pytest.approx(joint.fit.freedom, rel=0.02)
    assert many.fit.worst[0][:2] == joint.fit.worst[0][:2]
    assert test_of_many.statistic == pytest.approx(test.statistic, rel=0.01, abs=1e-3)
    assert test_of_many.factor == pytest.approx(test.factor, rel=0.01)
    for one, other in ((3, 4), (20, 90), (140, 7)):
        known = joint.likelihood_of_superiority(one, other)
        assert many.likelihood_of_superiority(one, other) == pytest.approx(known, abs=0.03)


def test_a_sample_tells_what_effects_of_pairs_do(monkeypatch):
    """Effects cancel in the advantage only where a pair met in both seats."""
    die, counts = np.random.default_rng(4), {}
    for one in range(40):
        for other in range(one):
            effect = die.normal(0, 150)
            for first, second, sign, games in ((one, other, 1, 60), (other, one, -1, one % 4 * 20)):
                won = die.binomial(games, expected_score(sign * effect + 35))
                names = f"{first:02}", f"{second:02}"
                counts |= {(*names, "first"): int(won), (*names, "second"): int(games - won)}
    results = from_counts({row: number for row, number in counts.items() if number})
    joint, test = rate(results), advantage_test(results)
    monkeypatch.setattr(bradley_terry, "MAX_JOINT", 20)
    many, test_of_many = rate(results), advantage_test(results)
    assert joint.fit.effect > 100
    assert np.mean(many.errors_95 / joint.errors_95) == pytest.approx(1, abs=0.03)
    assert many.advantage_error_95 == pytest.approx(joint.advantage_error_95, rel=0.01)
    assert test_of_many.statistic == pytest.approx(test.statistic, rel=0.01)
    assert test_of_many.factor == pytest.approx(test.factor, rel=0.01)
    of_engines = [np.append(np.eye(40)[engine] - 1 / 40, 0.0) for engine in (0, 7, 39)]
    for contrast in (*of_engines, np.eye(41)[40]):
        variances = [contrast @ (each.likelihood._robust @ contrast) for each in (many, joint)]
        assert variances[0] == pytest.approx(variances[1], rel=1e-3)


@pytest.mark.sampled
@pytest.mark.parametrize("anchor", [None, "0007", "0067"])
@pytest.mark.parametrize("opponents", [1, 3])
def test_a_sample_tells_what_is_known_of_separate_groups(monkeypatch, opponents, anchor):
    counts = games_of_league(60, 2, 1, 1) + games_of_league(50, opponents, 1, 8, first_name=60)
    results = from_counts(counts, [f"{engine:04}" for engine in range(110)])
    joint = rate(results, anchor=anchor)
    monkeypatch.setattr(bradley_terry, "MAX_JOINT", 100)
    many = rate(results, anchor=anchor)
    assert many.elo == pytest.approx(joint.elo, abs=1e-3)
    rated = np.flatnonzero(joint.errors_95)
    shares = many.errors_95[rated] / joint.errors_95[rated]
    assert len(many.connected_groups()) > 1
    for group in many.connected_groups():
        of_group = shares[np.isin(rated, group)]
        assert np.mean(of_group) == pytest.approx(1, abs=0.05)
    # Skewed bars whose ends are not searched for may be too long.
    assert shares.min() > 0.85
    assert shares.max() < 1.35


@pytest.mark.sampled
@pytest.mark.parametrize("anchor", [None, "0007"])
def test_skewed_bars_of_separate_groups_are_searched_alike(monkeypatch, anchor):
    counts = games_of_league(60, 2, 1, 1) + games_of_league(50, 1, 1, 8, first_name=60)
    results = from_counts(counts, [f"{engine:04}" for engine in range(110)])
    joint = rate(results, anchor=anchor)
    monkeypatch.setattr(bradley_terry, "MAX_JOINT", 100)
    many = rate(results, anchor=anchor)
    skewed = np.argsort(-joint.stretches)[:12].tolist()
    assert len({int(joint.groups[engine]) for engine in skewed}) > 1
    for engine in skewed:
        of_sample, exact = (
            each.likelihood.stretch(each.likelihood._contrast(engine)) for each in (many, joint)
        )
        assert of_sample == pytest.approx(exact, rel=1e-3)
        moved = many.likelihood._contrast(engine)[:-1] != 0
        assert set(many.groups[moved]) == {many.groups[engine]}


def test_long_chains_and_separate_groups_of_thousands():
    """Conjugate gradients are slow here, so the factors of the matrix are computed."""
    chain = [(f"{at:04}", f"{at + 1:04}", "draw") for at in range(2100) if at != 1500]
    ratings = rate(collect(chain))
    assert ratings.elo == pytest.approx(np.zeros(2101), abs=1e-6)
    assert Counter(ratings.groups.tolist()) == {0: 1501, 1: 600}
    assert not ratings.are_connected(0, 2000)
    # The ends of a chain are known least.
    assert ratings.errors_95[0] > 1.5 * ratings.errors_95[750]


def test_equations_are_solved_with_what_was_added():
    die = np.random.default_rng(5)
    one, other = die.integers(0, 30, 90), die.integers(30, 60, 90)
    information = Laplacian(60, one, other, die.random(90), ridge=0.01)
    information.add(3, 4, 0.5)
    right = die.normal(size=60)
    expected = np.linalg.solve(information.dense(), right)
    assert information.dense() @ right == pytest.approx(information @ right)
    assert information.solve(right) == pytest.approx(expected, rel=1e-6)
    information.factor()
    assert information.solve(right) == pytest.approx(expected, rel=1e-6)


def test_new_weights_and_pairs_leave_nothing_of_the_old_ones():
    die = np.random.default_rng(6)
    one, other = die.integers(0, 30, 90), die.integers(30, 60, 90)
    information = Laplacian(60, one, other, die.random(90), ridge=0.01)
    right = die.normal(size=60)
    for more in (5, 2, 9):
        pairs = (
            np.append(one, die.integers(0, 9, more)),
            np.append(other, die.integers(9, 60, more)),
        )
        weights = die.random(90 + more)
        information.add(3, 4, 0.5)
        information.factor()
        information.reweigh(*pairs, weights)
        expected = Laplacian(60, *pairs, weights, ridge=0.01).dense()
        assert information.dense() == pytest.approx(expected)
        assert information @ right == pytest.approx(expected @ right)
        assert information.solve(right) == pytest.approx(np.linalg.solve(expected, right), rel=1e-6)
        information.factor()
        assert information.solve(right) == pytest.approx(np.linalg.solve(expected, right), rel=1e-6)


def test_a_long_chain_is_tried_with_conjugate_gradients_once(monkeypatch):
    tried = []
    monkeypatch.setattr(
        linalg,
        "cg",
        lambda *words, solve=linalg.cg, **more: tried.append(1) or solve(*words, **more),
    )
    one = np.arange(3000)
    chain = Laplacian(3001, one, one + 1, np.ones(3000))
    right = np.zeros(3001)
    right[[0, -1]] = 1.0, -1.0
    for weight in (1.0, 2.0, 0.5):
        chain.reweigh(one, one + 1, np.full(3000, weight))
        solution = chain.solve(right)
        assert solution[0] - solution[-1] == pytest.approx(3000 / weight, rel=1e-3)
        chain.add(0, 3000, 1.0)
        solution = chain.solve(right)
        assert solution[0] - solution[-1] == pytest.approx(3000 / (3000 + weight), rel=1e-3)
    assert len(tried) == 1


def test_without_scipy_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(bradley_terry, "MAX_JOINT", 2)
    monkeypatch.setitem(sys.modules, "scipy.sparse.linalg", None)
    with pytest.raises(MissingExtraError, match="thousands of engines needs the package scipy"):
        rate(collect([("a", "b", "first"), ("b", "c", "first")]))
