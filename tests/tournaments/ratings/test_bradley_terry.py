"""Ratings, their covariance and the test of the advantage against a slow second opinion."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.tournaments.ratings.bradley_terry import MAX_ENGINES, advantage_test, rate
from oddly.tournaments.ratings.ordered_pairs import collect
from tests.tournaments.ratings import oracle
from tests.tournaments.ratings.simulated import league, superiority_matrix
from tests.tournaments.ratings.test_ordered_pairs import LISTS

PRIORS = st.sampled_from([1, 30, 400, 3000, 1e5])


def made_up(seed, engines, games, draws=0.0):
    """Games of engines 100 Elo apart, with the first player 50 Elo ahead."""
    chance = random.Random(seed)
    made = []
    for _ in range(games):
        one, other = chance.sample(range(engines), 2)
        win = 1 / (1 + 10 ** (-(100 * (one - other) + 50) / 400))
        winner = "first" if chance.random() < win else "second"
        made.append((f"e{one}", f"e{other}", "draw" if chance.random() < draws else winner))
    return made


def as_point(ratings):
    """Ratings as the oracle has them."""
    return {None: ratings.advantage, **dict(zip(ratings.names, ratings.elo, strict=True))}


@pytest.mark.parametrize(
    "games",
    [
        made_up(1, 2, 30),
        made_up(2, 4, 80),
        made_up(3, 5, 60, draws=0.3),
        [("a", "b", "first"), ("b", "c", "first"), ("c", "a", "second"), ("x", "y", "second")],
        [("a", "b", "first")] * 3 + [("b", "a", "second")] * 4,
    ],
    ids=["two", "four", "draws", "not connected", "unbeaten"],
)
@pytest.mark.parametrize("prior", [100, 400])
def test_ratings_are_those_of_plain_gradient_ascent(games, prior):
    peak = oracle.climb(games, prior)
    ratings = rate(collect(games), prior)
    assert as_point(ratings) == pytest.approx(peak, abs=0.01)


@given(LISTS, PRIORS)
def test_no_games_are_such_that_the_peak_is_missed(games, prior):
    ratings = rate(collect(games, engines=["idle"]), prior)
    assert oracle.distance_bound(games, as_point(ratings), prior) < 0.01
    assert abs(ratings.elo.sum()) < 1e-3


@given(LISTS, PRIORS)
def test_error_bars_are_finite_and_no_wider_than_the_prior(games, prior):
    ratings = rate(collect(games, engines=["idle"]), prior)
    assert np.isfinite(ratings.errors_95).all()
    # Centring takes away what is common to all, and adds nothing.
    assert (ratings.errors_95 <= 1.97 * prior * ratings.stretches).all()
    assert 0 < ratings.advantage_error_95 < 2.5 * 4000


@pytest.mark.parametrize("anchor", [None, "e1"])
def test_the_covariance_is_the_inverse_of_numerical_second_differences(anchor):
    games = made_up(7, 4, 50, draws=0.1)
    ratings = rate(collect(games), anchor=anchor)
    point = as_point(rate(collect(games)))
    differences = oracle.second_differences(games, point)
    keys = list(point)
    curvature = np.array([[differences[one, other] for other in keys] for one in keys])
    covariance = np.linalg.inv(curvature)
    reference = np.mean if anchor is None else lambda rows: rows[keys.index(anchor) - 1]
    # Differences to the reference, of samples that have exactly the covariance.
    root = np.linalg.cholesky(covariance)[1:]
    seen = root - reference(root) if anchor else root - root.mean(axis=0)
    assert ratings.covariance == pytest.approx(seen @ seen.T, rel=1e-3, abs=1e-3)
    assert ratings.advantage_variance == pytest.approx(covariance[0, 0], rel=1e-3)
    normal = 1.96 * np.sqrt(np.diag(ratings.covariance))
    assert ratings.errors_95 == pytest.approx(normal * ratings.stretches, rel=1e-4)


@given(LISTS.filter(bool), st.floats(-3000, 3000))
def test_an_anchor_shifts_and_nothing_else(games, elo):
    results = collect(games)
    free = rate(results)
    for index, name in enumerate(results.names):
        held = rate(results, anchor=name, anchor_elo=elo)
        assert held.elo[index] == pytest.approx(elo, abs=1e-9)
        assert held.errors_95[index] == pytest.approx(0, abs=1e-3)
        assert held.elo - held.elo[index] == pytest.approx(free.elo - free.elo[index], abs=1e-6)
        assert held.advantage == free.advantage
        los = superiority_matrix(free)
        assert superiority_matrix(held) == pytest.approx(los, abs=1e-6)


@given(LISTS, st.permutations(["a", "b", "c", "\x1b[2J", "é"]), st.randoms())
def test_neither_names_nor_the_order_of_games_matter(games, others, chance):
    renamed = dict(zip(["a", "b", "c", "\x1b[2J", "é"], others, strict=True))
    same = [(renamed[first], renamed[second], winner) for first, second, winner in games]
    chance.shuffle(same)
    one, other = rate(collect(games)), rate(collect(same))
    assert {renamed[n]: e for n, e in zip(one.names, one.elo, strict=True)} == pytest.approx(
        dict(zip(other.names, other.elo, strict=True)), abs=1e-6
    )
    assert one.advantage == pytest.approx(other.advantage, abs=1e-6)


@given(LISTS)
def test_exchanging_seats_and_results_turns_the_advantage_round(games):
    turned = {"first": "second", "second": "first", "draw": "draw"}
    mirrored = [(second, first, turned[winner]) for first, second, winner in games]
    one, other = rate(collect(games)), rate(collect(mirrored))
    assert one.elo == pytest.approx(other.elo, abs=1e-6)
    assert one.advantage == pytest.approx(-other.advantage, abs=1e-6)


def test_more_of_the_same_games_make_no_more_work(monkeypatch):
    games = made_up(5, 5, 40)
    solve, sizes = np.linalg.solve, []
    monkeypatch.setattr(
        "numpy.linalg.solve", lambda matrix, slope: sizes.append(len(slope)) or solve(matrix, slope)
    )
    rate(collect(games))
    few = len(sizes)
    rate(collect(games * 500))
    assert set(sizes) == {6}
    assert len(sizes) - few <= few + 3


def test_first_players_who_win_every_game_have_a_finite_advantage_with_a_wide_bar():
    ratings = rate(collect([("a", "b", "first"), ("b", "a", "first")] * 20))
    assert ratings.elo == pytest.approx([0, 0], abs=1e-6)
    assert 500 < ratings.advantage < 2000
    assert ratings.advantage_error_95 > 500


def test_more_games_narrow_the_bars():
    games = made_up(4, 3, 60)
    bars = [rate(collect(games * times)).errors_95 for times in (1, 4, 16)]
    assert (bars[0] > bars[1]).all()
    # Four times the games halve the bars, where the prior no longer matters.
    assert bars[2] == pytest.approx(bars[1] / 2, rel=0.02)


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_the_likelihood_ratio_is_that_of_two_climbs(seed):
    games = made_up(seed, 3, 30)
    free, none = oracle.climb(games), oracle.climb(games, advantage=False)
    gain = oracle.log_posterior(games, free) - oracle.log_posterior(games, none)
    test = advantage_test(collect(games), 400)
    assert test.statistic == pytest.approx(2 * gain, abs=1e-4)
    assert test.p_value == pytest.approx(math.erfc(math.sqrt(test.statistic / 2)))


def test_the_p_value_is_even_where_there_is_no_advantage():
    rng = np.random.default_rng(11)
    leagues = [league(rng, 4, 150, 8, advantage=0) for _ in range(400)]
    p_values = np.sort([advantage_test(one.results).p_value for one in leagues])
    # Kolmogorov and Smirnov: beyond 1.95 / sqrt(n) by chance in 1 of 1000 samples. Counts are
    # discrete, which adds half the probability of one outcome of 96 games, 0.04.
    distance = np.abs(p_values - (np.arange(400) + 0.5) / 400).max()
    assert distance < 1.95 / math.sqrt(400) + 0.04


def test_an_advantage_that_is_there_is_found():
    rng = np.random.default_rng(12)
    assert advantage_test(league(rng, 6, 150, 40, advantage=100).results).p_value < 1e-6


def test_what_cannot_be_rated_is_refused():
    results = collect([("a", "b", "first")])
    with pytest.raises(ValueError, match="no engine 'c'"):
        rate(results, anchor="c")
    for prior in (0, -1, math.nan):
        with pytest.raises(ValueError, match="above 0"):
            rate(results, prior)
    with pytest.raises(ValueError, match="at most 2000"):
        rate(collect([], engines=map(str, range(MAX_ENGINES + 1))))
