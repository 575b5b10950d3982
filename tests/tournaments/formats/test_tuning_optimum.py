"""What tunings say is right as often as they say, on simulated engines.

`python -m benchmarks.tuning --intervals` tries many more settings, with many more runs.
"""

from statistics import fmean

import pytest

from benchmarks.tuning import Setting, SimulatedEngine, judged, searched
from oddly.tournaments.formats.spsa import PairAtPlaces
from oddly.tournaments.formats.tuning_optimum import CERTAIN, fitted, optimum_of
from tests.tournaments.ratings.test_sprt import most_by_chance

RUNS = 60
SETTINGS = [
    Setting(games=300),
    Setting(steepness=8, games=300),
    Setting(steepness=20, games=300, start="the optimum"),
    Setting(steepness=100, games=300, best="at an edge"),
    Setting(games=300, draws=0.6),
    Setting(2, games=300),
]


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
