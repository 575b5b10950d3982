"""Whether ratings explain the results: the test by hand, its alarms, and what it widens."""

import numpy as np
import pytest

from benchmarks.leagues import SHAPES, simulated
from oddly.interfaces.text.summary_tables import caveat_lines
from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.fit import chi_square_tail
from oddly.tournaments.ratings.ordered_pairs import collect, from_counts
from oddly.tournaments.ratings.playing_first import advantage_test
from oddly.tournaments.results.results_json import ratings_json


def in_a_circle(games):
    """a beats b, b beats c, c beats a, each in three of four games in either seat."""
    rows = {}
    for one, other in ("ab", "bc", "ca"):
        rows |= {(one, other, "first"): 3 * games, (one, other, "second"): games}
        rows |= {(other, one, "second"): 3 * games, (other, one, "first"): games}
    return from_counts(rows)


def test_a_circle_of_three_is_found_and_told():
    ratings = rate(in_a_circle(10))
    assert ratings.elo == pytest.approx([0, 0, 0], abs=1e-6)
    # Each pair of 80 games has 20 points more than expected, of a variance of 20.
    assert ratings.fit.statistic == pytest.approx(3 * 20**2 / 20, rel=0.01)
    assert ratings.fit.freedom == pytest.approx(1, abs=0.01)
    assert ratings.fit.is_poor
    (line,) = caveat_lines(ratings, ratings.names)
    assert line.startswith("ratings do not explain the results (chi-square 60.0 with 1.0 degrees")
    assert "a has 60 of 80 points against b, expected 40.0" in line
    facts = ratings_json(ratings)["fit"]
    assert facts["is_poor"]
    assert len(facts["worst"]) == 3


def test_pairs_that_vary_widen_the_bars_by_their_effect():
    ratings = rate(in_a_circle(10))
    # The effect makes the expected statistic what it is: 1 + 20 x effect^2, in log-odds.
    log_odds = ratings.fit.effect * np.log(10) / 400
    assert 1 + 20 * log_odds**2 == pytest.approx(ratings.fit.statistic, rel=0.02)
    plain = rate(collect([row for row in _even() for _ in range(20)]))
    assert plain.fit.effect == 0
    wider = (ratings.errors_95 / plain.errors_95) ** 2
    assert wider == pytest.approx(ratings.fit.statistic, rel=0.03)


def _even():
    """Every ordered pair of three wins as often as it loses."""
    for one in "abc":
        for other in "abc":
            if one != other:
                yield one, other, "first"
                yield one, other, "second"


@pytest.mark.parametrize("games", [[("a", "b", "first"), ("b", "a", "first")] * 20, []])
def test_without_a_degree_of_freedom_nothing_is_tested(games):
    ratings = rate(collect(games))
    assert ratings.fit.freedom == 0
    assert not ratings.fit.is_poor
    assert ratings_json(ratings)["fit"] is None


def test_the_tail_is_that_of_the_tables():
    """Abramowitz and Stegun, table 26.8."""
    for freedom, statistic, p_value in (
        (1, 3.841, 0.05), (2, 5.991, 0.05), (3, 7.815, 0.05), (4, 9.488, 0.05), (7, 24.322, 0.001)
    ):  # fmt: skip
        assert chi_square_tail(statistic, freedom) == pytest.approx(p_value, rel=0.002)
    # Otherwise it is approximate.
    for freedom, statistic, p_value in ((2.000001, 7.378, 0.025), (100, 135.8, 0.01)):
        assert chi_square_tail(statistic, freedom) == pytest.approx(p_value, rel=0.06)


@pytest.mark.parametrize("shape", ["a round robin of 8", "with half the games drawn"])
def test_false_alarms_are_rare(shape):
    rng = np.random.default_rng(5)
    alarms = sum(rate(simulated(rng, SHAPES[shape])).fit.is_poor for _ in range(150))
    # Of 150 with a probability of 5 % at most, 16 or more come in 0.4 % of samples.
    assert alarms < 16


def test_effects_of_60_elo_between_pairs_are_seen_and_covered():
    rng, shape = np.random.default_rng(6), SHAPES["60 Elo between pairs, 20 engines"]
    held, seen = [], []
    for _ in range(40):
        ratings = rate(simulated(rng, shape))
        held.append((np.abs(ratings.elo - shape.truth) <= ratings.errors_95).mean())
        seen.append(ratings.fit.is_poor)
    assert np.mean(seen) > 0.9
    assert np.mean(held) >= 0.93 - 3 * np.std(held) / len(held) ** 0.5


@pytest.mark.parametrize("advantage", [0, 35])
def test_effects_of_pairs_leave_the_advantage_as_certain_as_it_is(advantage):
    """Both orders were played, so what is good for one engine as first player is bad as second."""
    rng, shape = np.random.default_rng(7), SHAPES["60 Elo between pairs, 8 engines"]
    results = [simulated(rng, shape, advantage) for _ in range(60)]
    ratings = [rate(each) for each in results]
    errors = np.array([each.advantage - advantage for each in ratings])
    bars = np.array([each.advantage_error_95 for each in ratings])
    # Of 60 bars with a probability of 95 %, 51 or fewer hold in 0.2 % of samples.
    assert (np.abs(errors) <= bars).sum() > 51
    # A standard deviation from 60 is right to 9 %.
    assert bars.mean() == pytest.approx(1.96 * errors.std(), rel=3 * 0.09)
    found = sum(advantage_test(each).p_value < 0.05 for each in results)
    assert found == 60 if advantage else found < 9


def test_engines_that_never_met_are_said_to_be_incomparable():
    games = [("a", "b", "first"), ("b", "a", "first"), ("c", "d", "second"), ("d", "c", "second")]
    ratings = rate(collect(games, engines=["idle"]))
    assert ratings.likelihood_of_superiority(0, 2) == 0.5
    assert caveat_lines(ratings, ratings.names) == [
        "no games connect these groups, so that ratings compare within each alone: a, b | c, d"
    ]
    assert caveat_lines(rate(collect(games[:2])), ["a", "b"]) == []
