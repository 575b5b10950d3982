"""Ratings against other people's programs, whose answers make_oracles.py has written down."""

import json

import numpy as np
import pytest

from oddly.tournaments.ratings.bradley_terry import advantage_test, rate
from oddly.tournaments.ratings.elo import ELO_PER_NAT
from oddly.tournaments.ratings.ordered_pairs import collect
from tests.tournaments.ratings.make_oracles import FILE

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
