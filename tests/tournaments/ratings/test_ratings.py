"""What follows from ratings: expected scores, superiority, order."""

import numpy as np
import pytest
from hypothesis import given

from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import collect
from tests.tournaments.ratings.simulated import expected, league, superiority_matrix
from tests.tournaments.ratings.test_ordered_pairs import LISTS


@given(LISTS)
def test_superiority_is_a_probability_and_its_opposite_the_rest(games):
    ratings = rate(collect(games, engines=["idle", "idler"]))
    matrix = superiority_matrix(ratings)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert matrix + matrix.T == pytest.approx(np.ones_like(matrix))
    assert (np.diag(matrix) == 0.5).all()
    ahead = ratings.elo[:, None] > ratings.elo + 1e-6
    connected = ratings.groups[:, None] == ratings.groups
    assert (matrix[ahead & connected] >= 0.5).all()
    assert (matrix[~connected] == 0.5).all()


@given(LISTS.filter(bool))
def test_expected_scores_are_those_of_the_model(games):
    ratings = rate(collect(games))
    for one in range(len(ratings.names)):
        for other in range(len(ratings.names)):
            difference = ratings.elo[one] - ratings.elo[other] + ratings.advantage
            assert ratings.expected_score(one, other) == pytest.approx(expected(difference))


@given(LISTS)
def test_the_order_is_from_the_strongest_on_and_equals_go_by_name(games):
    ratings = rate(collect(games))
    order = ratings.order()
    assert sorted(order) == list(range(len(ratings.names)))
    keys = [(ratings.groups[i], -round(float(ratings.elo[i]), 6), ratings.names[i]) for i in order]
    assert keys == sorted(keys)


def test_superiority_is_as_often_right_as_it_says():
    rng = np.random.default_rng(21)
    said, right = [], []
    for _ in range(300):
        one = league(rng, 4, 100, 4)
        ratings = rate(one.results)
        above, below = rng.choice(4, 2, replace=False)
        said.append(ratings.likelihood_of_superiority(above, below))
        right.append(one.elo[above] > one.elo[below])
    said, right = np.array(said), np.array(right)
    # The sum of independent throws with the probabilities said, within four standard deviations.
    for low, high in ((0, 0.5), (0.5, 1)):
        inside = (said >= low) & (said < high)
        deviation = np.sqrt((said * (1 - said))[inside].sum())
        assert abs(right[inside].sum() - said[inside].sum()) < 4 * deviation
