"""Error bars of 95 % hold the truth about 95 times in 100."""

import numpy as np
import pytest

from tests.tournaments.ratings.simulated import league
from tournaments.ratings.bradley_terry import rate

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
    # Between 93 and 97 %, give or take four standard errors of a sample so small.
    assert (shares + 4 * errors >= 0.93).all()
    assert (shares - 4 * errors <= 0.97).all()
    assert (errors < 0.025).all()


@pytest.mark.soak
@pytest.mark.parametrize("shape", LEAGUES)
def test_bars_cover_between_93_and_97_percent(shape):
    shares, _ = coverage(2500, 32, *shape)
    assert (shares >= 0.93).all()
    assert (shares <= 0.97).all()


def test_draws_make_the_bars_too_wide_rather_than_too_narrow():
    rng = np.random.default_rng(33)
    held = []
    for _ in range(200):
        one = league(rng, 6, 200, 10, draws=0.5)
        ratings = rate(one.results)
        held.append((np.abs(ratings.elo - one.elo) <= ratings.errors_95).mean())
    assert np.mean(held) > 0.95
