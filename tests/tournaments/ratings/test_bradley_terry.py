"""Ratings, covariance and advantage against a slow second opinion and other programs."""

import copy
import json
import math
import pickle
import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.tournaments.ratings.bradley_terry import PRIOR, rate
from oddly.tournaments.ratings.elo import ELO_PER_NAT
from oddly.tournaments.ratings.ordered_pairs import collect
from oddly.tournaments.ratings.playing_first import advantage_test
from oddly.tournaments.ratings.posterior import LARGEST_PRIOR, SMALLEST_PRIOR
from tests.tournaments.ratings import oracle
from tests.tournaments.ratings.make_oracles import FILE
from tests.tournaments.ratings.simulated import league, superiority_matrix
from tests.tournaments.ratings.test_ordered_pairs import LISTS

PRIORS = st.sampled_from([0.01, 0.1, 1, 10])


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
@pytest.mark.parametrize("prior", [0.5, 2])
def test_ratings_are_those_of_plain_gradient_ascent(games, prior):
    peak = oracle.climb(games, prior)
    ratings = rate(collect(games), prior)
    assert as_point(ratings) == pytest.approx(peak, abs=0.05)


@given(LISTS, PRIORS)
def test_no_games_are_such_that_the_peak_is_missed(games, prior):
    ratings = rate(collect(games, engines=["idle"]), prior)
    slope = oracle.gradient(games, as_point(ratings), prior)
    assert max(map(abs, slope.values())) < 1e-9
    for group in set(ratings.groups):
        assert abs(ratings.elo[ratings.groups == group].sum()) < 1e-3


@given(LISTS, PRIORS)
def test_error_bars_are_finite(games, prior):
    ratings = rate(collect(games, engines=["idle"]), prior)
    assert np.isfinite(ratings.errors_95).all()
    assert (ratings.errors_95 >= 0).all()
    assert 0 < ratings.advantage_error_95 < 2.5 * 4000


def oracle_covariance(games, point, factor=1.0, effects=()):
    """That of ratings and advantage by numerical second differences, game by game.

    The pseudo-inverse is relative to the mean, since nothing depends on the level of all ratings.
    What each game contributes to the middle of the sandwich is `factor` times its information.
    `effects` are further gradients, each with its own sign by chance.
    """
    keys = list(point)

    def matrix(some, times):
        found = oracle.second_differences(games, point, only=some)
        return times * np.array([[found[one, other] for other in keys] for one in keys])

    inverse = np.linalg.pinv(matrix(None, 1), rcond=1e-9, hermitian=True)
    middle = sum(matrix([place], factor) for place in range(len(games)))
    for effect in effects:
        gradient = np.array([effect[name] for name in keys])
        middle = middle + np.outer(gradient, gradient)
    return inverse @ (middle + matrix([], 1)) @ inverse


def effects_of_pairs(games, point, size):
    """What an effect of so many Elo for one engine of each pair does to the gradient."""
    found = {}
    for (first, second, _), draws in zip(games, oracle.virtual(games, oracle.DRAWS), strict=True):
        chance = oracle.chance(point, first, second)
        moved = size * oracle.NAT**2 * (1 + draws) * chance * (1 - chance)
        gradient = found.setdefault(frozenset((first, second)), dict.fromkeys(point, 0.0))
        ahead = 1 if first < second else -1
        gradient[first] += ahead * moved
        gradient[second] -= ahead * moved
        gradient[None] += ahead * moved
    return found.values()


@pytest.mark.parametrize("anchor", [None, "e1"])
@pytest.mark.parametrize("draws", [0.0, 0.5])
def test_the_covariance_is_a_sandwich_of_numerical_second_differences(anchor, draws):
    games = made_up(7, 4, 60, draws)
    free, ratings = rate(collect(games)), rate(collect(games), anchor=anchor)
    point = as_point(free)
    chances = [oracle.chance(point, *game[:2]) for game in games]
    drawn = sum(game[2] == "draw" for game in games) / 4
    total = 0.25 + sum(chance * (1 - chance) for chance in chances)
    effects = effects_of_pairs(games, point, free.fit.effect)
    covariance = oracle_covariance(games, point, (total - drawn) / total, effects)
    keys = list(point)
    shift = np.zeros((len(keys) - 1, len(keys)))
    shift[:, 1:] = np.eye(len(keys) - 1)
    if anchor is None:
        shift[:, 1:] -= 1 / (len(keys) - 1)
    else:
        shift[:, keys.index(anchor)] -= 1
    assert ratings.covariance == pytest.approx(shift @ covariance @ shift.T, rel=2e-3, abs=1e-2)
    assert ratings.advantage_variance == pytest.approx(covariance[0, 0], rel=2e-3)
    normal = 1.96 * np.sqrt(np.diag(ratings.covariance))
    of_games = normal * ratings.stretches
    assert ratings.errors_95 == pytest.approx(np.hypot(of_games, ratings.moves), rel=1e-4)


@pytest.mark.parametrize("anchor", [None, "e1"])
def test_the_error_bars_know_how_the_ratings_move_with_the_prior(anchor):
    games = collect(made_up(9, 6, 40))
    weaker, ratings, stronger = (
        rate(games, PRIOR * factor, anchor=anchor) for factor in (0.99, 1, 1.01)
    )
    slope = (stronger.elo - weaker.elo) / math.log(1.01 / 0.99)
    assert ratings.moves == pytest.approx(math.log(10) * slope, rel=1e-3, abs=1e-6)
    assert np.abs(ratings.moves).max() > 0.1


@given(LISTS.filter(bool), st.floats(-3000, 3000))
def test_an_anchor_shifts_its_group_and_nothing_else(games, elo):
    results = collect(games)
    free = rate(results)
    for index, name in enumerate(results.names):
        held = rate(results, anchor=name, anchor_elo=elo)
        group = free.groups == free.groups[index]
        assert held.elo[index] == pytest.approx(elo, abs=1e-9)
        assert held.errors_95[index] == pytest.approx(0, abs=1e-3)
        differences = held.elo[group] - held.elo[index]
        assert differences == pytest.approx(free.elo[group] - free.elo[index], abs=1e-6)
        assert held.elo[~group] == pytest.approx(free.elo[~group], abs=1e-6)
        assert held.advantage == free.advantage
        los = superiority_matrix(free)
        assert superiority_matrix(held) == pytest.approx(los, abs=1e-6)


@given(LISTS)
def test_groups_are_what_a_walk_along_games_reaches(games):
    ratings = rate(collect(games, engines=["idle"]))
    for start, name in enumerate(ratings.names):
        reached = {name}
        for _ in games:
            for one, other, _ in games:
                if reached & {one, other}:
                    reached |= {one, other}
        found = {
            other
            for place, other in enumerate(ratings.names)
            if ratings.are_connected(start, place)
        }
        assert found == reached
    sizes = [len(group) for group in ratings.connected_groups()]
    assert sizes == sorted(sizes, reverse=True)


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
    games = [(*seats, winner) for seats in ("ab", "ba") for winner in ("first", "second")]
    games = 5 * [*games, ("a", "b", "first"), ("b", "a", "second")]
    bars = [rate(collect(games * times)).errors_95 for times in (1, 4, 16)]
    assert (bars[0] > bars[1]).all()
    # Four times the games halve the bars, where the prior no longer matters.
    assert bars[2] == pytest.approx(bars[1] / 2, rel=0.02)


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_the_likelihood_ratio_is_that_of_two_climbs(seed):
    games = made_up(seed, 3, 30)
    free, none = oracle.climb(games), oracle.climb(games, advantage=False)
    gain = oracle.log_posterior(games, free) - oracle.log_posterior(games, none)
    ratings = rate(collect(games))
    model = oracle_covariance(games, as_point(ratings))[0, 0]
    test = advantage_test(collect(games))
    wider = ratings.advantage_variance / model
    assert test.statistic == pytest.approx(2 * gain / wider, rel=2e-3, abs=1e-4)
    adjusted = test.statistic * test.factor
    assert test.p_value == pytest.approx(math.erfc(math.sqrt(adjusted / 2)))


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


def test_ratings_come_back_from_other_processes_as_they_were():
    ratings = rate(collect(made_up(5, 4, 80)))
    unpickled = pickle.loads(pickle.dumps(ratings))  # noqa: S301 - we made it
    for copied in (unpickled, copy.deepcopy(ratings)):
        assert copied.names == ratings.names
        assert copied.errors_95.tolist() == ratings.errors_95.tolist()
        for one, other in permutations(range(4), 2):
            found = copied.likelihood_of_superiority(one, other)
            assert found == ratings.likelihood_of_superiority(one, other)


def test_what_cannot_be_rated_is_refused():
    results = collect([("a", "b", "first")])
    with pytest.raises(ValueError, match="no engine 'c'"):
        rate(results, anchor="c")
    for prior in (0, -1, math.nan, 1e-20, 1e300, math.inf):
        with pytest.raises(
            ValueError, match=r"the prior must be from 1e-09 to 1e\+09 virtual draws"
        ):
            rate(results, prior)
        with pytest.raises(ValueError, match="the prior must be from"):
            advantage_test(results, prior)
    for elo in (math.nan, -math.inf):
        with pytest.raises(
            ValueError, match=f"the anchor's Elo must be a finite number, not {elo}"
        ):
            rate(results, anchor="a", anchor_elo=elo)


@pytest.mark.parametrize("prior", [SMALLEST_PRIOR, LARGEST_PRIOR])
def test_ratings_follow_the_games_with_any_prior_that_is_allowed(prior):
    ratings = rate(collect([("a", "b", "first"), ("a", "c", "first"), ("b", "c", "first")]), prior)
    assert ratings.names == ("a", "b", "c")
    assert list(ratings.elo) == sorted(ratings.elo, reverse=True)
    assert (np.diag(ratings.covariance) > 0).all()


LEAGUES = json.loads(FILE.read_text(encoding="utf-8"))["leagues"]
NO_PRIOR = 1e-6
"""So few virtual draws that they are as good as none, which the others have."""


def results_of(told):
    return collect(
        (f"e{one:02}", f"e{other:02}", "first" if won else "second")
        for one, other, won in told["games"]
    )


@pytest.mark.parametrize("told", [told for told in LEAGUES if told["by"] == "statsmodels"])
def test_the_logistic_regression_of_statsmodels_agrees(told):
    results = results_of(told)
    ratings = rate(results, NO_PRIOR)
    assert ratings.elo == pytest.approx(told["elo"], abs=0.05)
    likelihood = ratings.likelihood
    assert likelihood is not None
    shift = np.eye(len(ratings.names)) - 1 / len(ratings.names)
    # Without what makes bars wider where ratings do not fit.
    model = shift @ likelihood.covariance[:-1, :-1] @ shift.T
    errors = ELO_PER_NAT * np.sqrt(np.diag(model))
    assert errors == pytest.approx(told["standard_errors"], rel=0.002)
    # The prior of the advantage stays as it is, 4000 Elo.
    assert ratings.advantage == pytest.approx(told["advantage"], abs=0.2)
    error = ELO_PER_NAT * likelihood.covariance[-1, -1] ** 0.5
    assert error == pytest.approx(told["advantage_standard_error"], rel=0.002)
    gain = told["log_likelihood"] - told["log_likelihood_without"]
    wider = ratings.advantage_variance / error**2
    statistic = advantage_test(results, NO_PRIOR).statistic
    assert wider * statistic == pytest.approx(2 * gain, abs=0.01)


@pytest.mark.parametrize("told", [told for told in LEAGUES if told["by"] == "statsmodels"])
def test_with_the_usual_prior_ratings_are_within_1_percent_of_the_span(told):
    ratings = rate(results_of(told))
    span = max(told["elo"]) - min(told["elo"])
    assert ratings.elo == pytest.approx(told["elo"], abs=span / 100)


@pytest.mark.parametrize("told", [told for told in LEAGUES if told["by"] == "choix"])
def test_choix_agrees_where_there_is_no_advantage(told):
    ratings = rate(results_of(told), NO_PRIOR)
    assert ratings.advantage == pytest.approx(0, abs=1e-6)
    assert ratings.elo == pytest.approx(told["elo"], abs=0.05)
