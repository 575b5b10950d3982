"""Ratings that follow game by game, against full fits and inverses."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oddly.tournaments import collect, rate
from oddly.tournaments.formats.pool_choice import LiveChoice, LiveExpectation
from oddly.tournaments.ratings.bradley_terry import PRIOR
from oddly.tournaments.ratings.elo import ELO_PER_NAT, expected_score
from oddly.tournaments.ratings.live import UNMET, LiveRatings
from oddly.tournaments.ratings.sparse import Laplacian


def games_of(engines, number, seed):
    """Games in the order in which they are played, of engines that meet others near them."""
    die = np.random.default_rng(seed)
    elo = np.sort(die.normal(0, 300, engines))
    for _ in range(number):
        first = int(die.integers(engines))
        other = int(np.clip(first + die.integers(1, 12) * die.choice([-1, 1]), 0, engines - 1))
        if other != first:
            drawn = die.random() < 0.1
            won = die.random() < expected_score(elo[first] - elo[other] + 35)
            yield first, other, 0.5 if drawn else float(won)


def rated(games, engines):
    """A full fit of the same games; names sort as numbers do."""
    winners = {0.0: "second", 0.5: "draw", 1.0: "first"}
    rows = [(f"{first:04}", f"{second:04}", winners[points]) for first, second, points in games]
    return rate(collect(rows, [f"{engine:04}" for engine in range(engines)]))


def level(elo, groups):
    """Ratings relative to the mean of each group."""
    means = np.bincount(groups, elo) / np.bincount(groups)
    return elo - means[groups]


@pytest.mark.parametrize("engines", [8, 60, pytest.param(150, marks=pytest.mark.sampled)])
def test_they_are_those_of_a_full_fit(engines):
    live, games = LiveRatings(engines, PRIOR), []
    for number, game in enumerate(games_of(engines, 8 * engines, seed=engines), start=1):
        games.append(game)
        live.add(*game)
        live.settle()
        if number % (2 * engines) == 0:
            full = rated(games, engines)
            assert level(live.elo, full.groups) == pytest.approx(full.elo, abs=0.1)
            assert ELO_PER_NAT * live.point[-1] == pytest.approx(full.advantage, abs=0.1)


def test_many_games_at_once_are_as_good():
    live, games = LiveRatings(120, PRIOR), list(games_of(120, 3000, seed=1))
    for game in games:
        live.add(*game)
    live.settle()
    full = rated(games, 120)
    assert level(live.elo, full.groups) == pytest.approx(full.elo, abs=0.1)


SMALL = st.integers(2, 7).flatmap(
    lambda engines: st.tuples(
        st.just(engines),
        st.lists(
            st.tuples(
                st.permutations(range(engines)).map(lambda order: order[:2]),
                st.sampled_from([0.0, 0.5, 1.0]),
                st.sampled_from([1, 1, 1, 300]),
            ),
            min_size=1,
            max_size=12,
        ),
    )
)
"""Numbers of engines, and games: pairs, the points of the first, and how often it is repeated."""


@given(SMALL)
@example((3, [((1, 0), 0.5, 1), ((2, 0), 0.0, 1)]))
@example((4, [((0, 1), 1.0, 1), ((2, 3), 1.0, 1), ((2, 3), 1.0, 1)]))
def test_those_of_a_few_engines_are_the_same_game_by_game_and_at_once(small):
    """The bug: they drifted where games did not connect all, and were an Elo away elsewhere."""
    engines, games = small
    followed, loaded, played = LiveRatings(engines, PRIOR), LiveRatings(engines, PRIOR), []
    for (first, second), points, number in games:
        followed.add(first, second, points * number, number)
        followed.settle()
        loaded.add(first, second, points * number, number)
        played += [(first, second, points)] * number
    loaded.settle()
    full = rated(played, engines)
    assert followed.elo == pytest.approx(full.elo, abs=0.1)
    assert loaded.elo == pytest.approx(full.elo, abs=0.1)


def inverse_of(live):
    """The variances around the mean, by an inverse of the information that games really have."""
    live._assemble()
    live.compute_variances()
    return live.variances


def test_variances_follow_the_inverse():
    live = LiveRatings(150, PRIOR)
    games = list(games_of(150, 4000, seed=3))
    for game in games[:3950]:
        live.add(*game)
    live.settle()
    before = live.variances
    for first, second, points in games[3950:]:
        live.expect(first, second, 1)
        live.settle()
        live.add(first, second, points)
        live.settle()
    followed = live.variances
    assert live._since_variances
    exact = inverse_of(live)
    assert followed == pytest.approx(exact, rel=0.02)
    assert np.abs(before / exact - 1).max() > 0.03
    covariance = ELO_PER_NAT**2 * np.linalg.inv(live._information.dense()) - UNMET**2 / 150
    assert exact == pytest.approx(np.diag(covariance), rel=1e-6)
    assert live.column(7) == pytest.approx(covariance[7], abs=1e-2)
    some = np.arange(20, 90)
    mean = covariance[:, some].mean(axis=1)
    assert live.covariance_with_mean(some) == pytest.approx(mean, abs=1e-2)


def test_the_bars_are_those_of_a_full_fit_if_games_are_ideal():
    live, games = LiveRatings(40, PRIOR), list(games_of(40, 8000, seed=5))
    for game in games:
        live.add(*game)
    live.settle()
    # The live ratings take the advantage as known, and some engines here open more often.
    likelihood = rated(games, 40).likelihood
    shift = np.eye(40) - 1 / 40
    known = ELO_PER_NAT**2 * np.diag(shift @ likelihood.covariance[:-1, :-1] @ shift)
    assert live.variances == pytest.approx(known, rel=0.05)


def test_solutions_estimate_the_diagonal():
    live = LiveRatings(100, PRIOR)
    for game in games_of(100, 2000, seed=4):
        live.add(*game)
    live.settle()
    exact = np.diag(np.linalg.inv(live._information.dense()))
    shares = live._information.diagonal_of_inverse(2048) / exact
    # The standard error of a variance is sqrt(2 / 2048), 3 %.
    assert shares == pytest.approx(np.ones(100), abs=0.15)
    assert shares.mean() == pytest.approx(1, abs=0.02)


def test_games_that_do_not_happen_leave_no_trace():
    live = LiveRatings(20, PRIOR)
    for game in games_of(20, 300, seed=2):
        live.add(*game)
    live.settle()
    before, elo = inverse_of(live), live.elo
    live.expect(3, 9, 2)
    live.settle()
    assert live.variances[3] < 0.99 * before[3]
    live.expect(3, 9, -2)
    live.settle()
    assert live.variances == pytest.approx(before, rel=1e-3)
    assert live.elo == pytest.approx(elo)


def test_the_widest_bar_gets_the_opponent_who_shrinks_it_most():
    games = list(games_of(30, 600, seed=6))
    choice = LiveChoice([f"{engine:04}" for engine in range(30)], lambda: rated(games, 30))
    for first, second, points in games:
        winner = {0.0: 1, 0.5: None, 1.0: 0}[points]
        choice.add(f"{first:04}", f"{second:04}", winner)
    expected = LiveExpectation(choice, choice.names)
    one, other = map(choice.number.get, expected.best_pair())
    assert one == np.argmax(expected.variances())
    information = choice.live._information.dense() / ELO_PER_NAT**2

    def after(opponent):
        direction = np.eye(30)[one] - np.eye(30)[opponent]
        weight = choice.live.pair_information(one)[opponent]
        added = information + weight * np.outer(direction, direction)
        return np.linalg.inv(added)[one, one]

    best = min(after(opponent) for opponent in range(30) if opponent != one)
    assert after(other) == pytest.approx(best, rel=1e-4)
    barred = [(f"{one:04}", f"{other:04}")]
    assert expected.best_pair(barred)[1] != f"{other:04}"


def test_what_rounding_leaves_is_no_equation():
    """It may lie on the level, which has no information: conjugate gradients divided by zero."""
    one, other = np.array([0, 1, 3]), np.array([2, 2, 4])
    information = Laplacian(6, one, other, np.array([0.75, 0.589, 0.75]))
    right = np.zeros(6)
    right[1] = 5.55e-17
    assert np.all(information.solve(right, 1e-5) == 0)
