"""Error bars of 95 % hold the truth about 95 times in 100."""

import numpy as np
import pytest

from benchmarks.coverage import ENGINES, GAMES, GAPS
from benchmarks.coverage import coverage as coverage_of
from oddly.tournaments.ratings.bradley_terry import rate
from tests.tournaments.ratings.simulated import league

LEAGUES = [(8, 200, 10), (8, 400, 4), (12, 200, 2), (4, 100, 20)]
"""Engines, standard deviation of their ratings in Elo, games of each ordered pair."""


def coverage(leagues, seed, engines, spread, games):
    """The share of true ratings and of true advantages within the bars, with standard errors."""
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(leagues):
        one = league(rng, engines, spread, games)
        ratings = rate(one.results)
        # The bars of one league depend on each other; those of two do not.
        inside = np.abs(ratings.elo - one.elo) <= ratings.errors_95
        held.append((inside.mean(), abs(ratings.advantage - 35) <= ratings.advantage_error_95))
    return np.mean(held, axis=0), np.std(held, axis=0) / np.sqrt(leagues)


@pytest.mark.parametrize("shape", LEAGUES)
def test_a_sample_of_bars_covers_what_it_should(shape):
    shares, errors = coverage(200, 31, *shape)
    # Between 93 and 99 %, give or take four standard errors of a sample so small.
    assert (shares + 4 * errors >= 0.93).all()
    assert (shares - 4 * errors <= 0.99).all()
    assert (errors < 0.025).all()


@pytest.mark.soak
@pytest.mark.parametrize("shape", LEAGUES)
def test_bars_cover_between_93_and_99_percent(shape):
    shares, _ = coverage(2500, 32, *shape)
    assert (shares >= 0.93).all()
    assert (shares <= 0.99).all()


def test_draws_make_the_bars_too_wide_rather_than_too_narrow():
    rng = np.random.default_rng(33)
    held = []
    for _ in range(200):
        one = league(rng, 6, 200, 10, draws=0.5)
        ratings = rate(one.results)
        held.append((np.abs(ratings.elo - one.elo) <= ratings.errors_95).mean())
    assert np.mean(held) > 0.95


SHAPES = [(2, 0, 5), (2, 800, 10), (3, 600, 4), (3, 600, 20), (5, 300, 4), (8, 100, 1), (8, 800, 4)]
"""Engines, Elo from one to the next, games of each ordered pair."""


@pytest.mark.parametrize("shape", SHAPES)
def test_bars_hold_however_far_apart_engines_are(shape):
    leagues = 60
    seen = coverage_of(*shape, leagues)
    # Half of the deviation of as many independent bars, for those of one league go together.
    assert seen.held >= 0.93 - 3 * (0.25 / leagues / shape[0]) ** 0.5


@pytest.mark.soak
@pytest.mark.parametrize("games", GAMES)
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("engines", ENGINES)
def test_bars_hold_at_least_93_percent_in_every_league(engines, gap, games):
    assert coverage_of(engines, gap, games, 1000).held >= 0.93
