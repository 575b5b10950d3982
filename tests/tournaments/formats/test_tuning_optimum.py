"""What tunings say is right as often as they say, on simulated engines.

`python -m benchmarks.tuning --intervals` tries many more settings, with many more runs.
"""

from itertools import product
from random import Random
from statistics import fmean

import numpy as np
import pytest

from benchmarks.tuning import Setting, SimulatedEngine, judged, searched
from oddly.tournaments.formats.spsa import PairAtPlaces
from oddly.tournaments.formats.tuning_optimum import (
    CERTAIN,
    MAX_CROSSED,
    Surface,
    centred,
    crossed,
    features,
    fitted,
    gradient_rows,
    optimum_of,
)
from tests.tournaments.ratings.test_sprt import most_by_chance

TRUE = np.array([0.4, -0.6, -1.1, -0.8, 0.5])
"""g, q and c of two options, in log-odds."""


def height(places) -> float:
    return float((features(centred([places])) @ TRUE)[0])


def pairs(number, opponent=None, games=0, seed=1) -> list[PairAtPlaces]:
    """Pairs at random places, with the expected shares, or those of as many games."""
    random, found = Random(seed), []
    for _ in range(number):
        one, other = ((random.random(), random.random()) for _ in range(2))
        ahead = height(one) - (height(other) if opponent is None else opponent)
        share = float(1 / (1 + np.exp(-ahead)))
        if games:
            share = sum(random.random() < share for _ in range(games)) / games
        found.append(PairAtPlaces(one, None if opponent is not None else other, share))
    return found


@pytest.mark.parametrize("opponent", [None, -2.0, 3.0])
def test_it_finds_the_surface_that_games_were_played_on(opponent):
    found = fitted(pairs(3000, opponent))
    assert found.coefficients == pytest.approx(TRUE, abs=0.02)


def test_its_errors_are_those_of_many_fits():
    fits = [fitted(pairs(300, games=2, seed=seed)) for seed in range(100)]
    spread = np.std([fit.coefficients for fit in fits], axis=0)
    told = np.sqrt(np.mean([np.diag(fit.covariance) for fit in fits], axis=0))
    assert told == pytest.approx(spread, rel=0.25)


def test_the_dispersion_is_what_the_residuals_show():
    assert fitted(pairs(1000, games=2)).dispersion == pytest.approx(1, abs=0.15)
    assert fitted(pairs(1000, games=8)).dispersion == pytest.approx(0.25, abs=0.05)
    split = [each._replace(share=0.5) for each in pairs(90)]
    assert fitted(split).dispersion == pytest.approx(0.1, rel=0.1)


def test_copies_make_nothing_more_certain():
    once = pairs(100, games=2)
    copies = [each._replace(is_copy=True) for each in once]
    alone, copied, taken_for_new = (fitted(each) for each in (once, once + copies * 3, once * 4))
    assert np.diag(copied.covariance) == pytest.approx(np.diag(alone.covariance), rel=0.2)
    assert np.diag(copied.covariance).min() > 2 * np.diag(taken_for_new.covariance).min()


def test_one_pair_says_little():
    found = fitted([PairAtPlaces((0.9, 0.9), (0.1, 0.1), 1.0)])
    assert 0 < found.coefficients[0] < 2 * found.covariance[0, 0] ** 0.5


@pytest.mark.parametrize("seed", range(20))
def test_climbing_ends_on_the_highest_point_of_a_grid(seed):
    random = np.random.default_rng(seed)
    surface = Surface(2, random.normal(0, 1, 5), np.eye(5), 1)
    grid = np.array(list(product(np.linspace(-1, 1, 21), repeat=2)))
    corners = np.array(list(product((-1.0, 0.0, 1.0), repeat=2)))
    highest = surface.heights(surface.climbed(corners)).max()
    assert highest >= surface.heights(grid).max() - 1e-9
    fixed = surface.climbed(corners, fixed=1)
    assert (fixed[:, 1] == corners[:, 1]).all()
    for point, best in zip(fixed, surface.heights(fixed), strict=True):
        line = grid[np.isclose(grid[:, 1], point[1])]
        if surface.curvature[0, 0] < 0:
            assert best >= surface.heights(line).max() - 1e-9


@pytest.mark.parametrize("options", [1, 2, 3, MAX_CROSSED + 1])
def test_the_gradient_is_the_slope_of_the_surface(options):
    random = np.random.default_rng(options)
    size = 2 * options + len(crossed(options))
    surface = Surface(options, random.normal(0, 1, size), np.eye(size), 1)
    point, step = random.uniform(-1, 1, options), 1e-5
    steps = step * np.eye(options)
    slopes = (surface.heights(point + steps) - surface.heights(point - steps)) / (2 * step)
    assert gradient_rows(point) @ surface.coefficients == pytest.approx(slopes, abs=1e-6)
    assert surface.slope + surface.curvature @ point == pytest.approx(slopes, abs=1e-6)


RUNS = 60
SETTINGS = [
    Setting(games=300),
    Setting(steepness=8, games=300),
    Setting(steepness=20, games=300, start="the optimum"),
    Setting(steepness=100, games=300, best="at an edge"),
    Setting(games=300, draws=0.6),
    Setting(2, games=300),
]


@pytest.mark.sampled
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_intervals_hold_and_hardly_any_recommendation_is_worse(setting):
    found = [judged(setting, seed) for seed in range(RUNS)]
    missed = sum((1 - each.holds) * setting.options for each in found)
    assert missed <= most_by_chance(RUNS * setting.options, 0.08)
    assert sum(each.is_worse for each in found) <= most_by_chance(RUNS, 0.025)
    assert sum(not each.gain_holds for each in found) <= most_by_chance(RUNS, 0.05)


def test_an_option_that_matters_is_found_and_shown():
    found = [judged(Setting(games=600, best="at an edge"), seed) for seed in range(20)]
    assert fmean(each.width for each in found) < 0.7
    assert fmean(each.gain for each in found) > 0.8 * fmean(each.loss for each in found)


def test_an_option_that_does_nothing_may_have_any_value():
    found = [judged(Setting(steepness=0, games=300), seed) for seed in range(20)]
    assert fmean(each.width for each in found) > 0.8
    assert sum(each.is_shown for each in found) <= most_by_chance(20, 0.025)


def test_where_all_pairs_are_split_there_is_no_gain():
    pairs = [PairAtPlaces((0.5 + at / 200,), (0.5 - at / 200,), 0.5) for at in range(1, 80)]
    found = optimum_of(pairs, (0.5,), (0.5,))
    assert found.between == ((0, 1),)
    assert found.gain.elo == pytest.approx(0, abs=1e-6)
    assert not found.gain.is_shown


def test_the_start_has_no_gain_over_itself():
    pairs = [PairAtPlaces((0.6,), (0.4,), 1.0)] * 10
    found = optimum_of(pairs, (0.7,), (0.7,), lambda places: (0.7,))
    assert found.gain == (0, 0, 0)


def test_the_interval_of_one_option_is_fiellers():
    engine = SimulatedEngine(Setting(games=2000), 4)
    search, pairs = searched(engine, 1000, 4)
    (low, high), *_ = optimum_of(pairs, tuple(engine.start), search.best).between
    surface = fitted(pairs)
    assert 0 < low < high < 1
    for end in (low, high):
        row = (1, 2 * (2 * end - 1))
        error = (row @ surface.covariance @ row) ** 0.5
        assert abs(row @ surface.coefficients) / error == pytest.approx(CERTAIN, abs=0.05)
