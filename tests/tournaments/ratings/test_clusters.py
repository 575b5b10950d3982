"""What repeats widens the error and leaves the mean alone, against sums over all pairs of games."""

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.repeating import repeated_games
from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.clusters import ClusterCounts, design_effect, residuals, t_quantile
from oddly.tournaments.ratings.ordered_pairs import WINNERS, collect, from_counts

GAMES = st.lists(
    st.tuples(st.sampled_from(["ab", "ba"]), st.sampled_from([0, 1, None]), st.integers(1, 4)),
    max_size=25,
)
"""The first player and the second, who of them won, and the opening."""
CHANCES = st.floats(0.05, 0.95)


def counted(games):
    """The clusters of games one at a time."""
    counts = ClusterCounts()
    for (first, second), winner, opening in games:
        counts.add(first, second, winner, opening)
    return counts.repeats


def results_of(games):
    rows = Counter(
        (first, second, WINNERS[2 if winner is None else winner])
        for (first, second), winner, _ in games
    )
    return from_counts(rows, (), None, counted(games))


@given(GAMES, CHANCES, CHANCES)
def test_a_design_effect_is_a_sum_over_all_pairs_of_games_from_one_opening(games, one, other):
    def residual(game):
        seats, winner, _ = game
        points = 0.5 if winner is None else 1.0 - winner
        # The points of a beyond those expected.
        return (points - one) if seats == "ab" else -(points - other)

    squares = sum(residual(game) ** 2 for game in games)
    of_both = of_each = 0.0
    for opening in {game[2] for game in games}:
        inside = [game for game in games if game[2] == opening]
        played = max(sum(game[0] == seats for game in inside) for seats in ("ab", "ba"))
        for (i, left), (j, right) in product(enumerate(inside), repeat=2):
            if i != j:
                both = (1 - 1 / played) * residual(left) * residual(right)
                of_both += both
                of_each += both * (left[0] == right[0])
    expected = max(1.0, 1 + max(of_both, of_each) / squares) if squares else 1.0
    clusters = [(seats, number) for (_, _, seats), number in counted(games).items()]
    assert design_effect(clusters, (one, other), squares) == pytest.approx(expected)


@given(st.integers(1, 30), st.floats(0.2, 0.8))
def test_copies_of_a_pair_are_worth_one_pair(copies, chance):
    """The variance of m copies is m times that of m independent pairs, whoever won."""
    won_both = (copies, 0, 0, 0, copies, 0)
    squares = copies * (residuals((1, 0, 0), chance)[1] + residuals((0, 1, 0), 1 - chance)[1])
    effect = design_effect([(won_both, 1)], (chance, 1 - chance), squares)
    assert effect >= copies


@given(GAMES)
def test_openings_that_come_once_widen_nothing(games):
    once = [(seats, winner, number) for number, (seats, winner, _) in enumerate(games)]
    assert not counted(once)
    results, plain = (
        results_of(once),
        collect(
            (first, second, WINNERS[2 if winner is None else winner])
            for (first, second), winner, _ in games
        ),
    )
    assert rate(results).errors_95 == pytest.approx(rate(plain).errors_95)


@given(GAMES)
def test_what_repeats_moves_no_rating_and_narrows_no_bar(games):
    results = results_of(games)
    plain = results_of([(seats, winner, n) for n, (seats, winner, _) in enumerate(games)])
    clustered, independent = rate(results), rate(plain)
    assert clustered.elo == pytest.approx(independent.elo, abs=1e-9)
    assert (clustered.errors_95 >= independent.errors_95 - 1e-6).all()


def test_the_worth_of_openings_is_their_number_if_all_come_equally_often():
    games = [
        (seats, (number + opening) % 2, opening)
        for number in range(6)
        for opening in range(9)
        for seats in ("ab", "ba")
    ]
    assert results_of(games).clusters_of_engines() == pytest.approx([9, 9])


def test_students_t_is_that_of_the_tables():
    """Abramowitz and Stegun, table 26.10."""
    for freedom, quantile in ((3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042)):
        assert t_quantile(freedom) == pytest.approx(quantile, rel=0.01)


@pytest.mark.parametrize("kind", ["deterministic", "half", "random"])
def test_bars_hold_from_a_book_of_ten_openings(kind):
    held = []
    for seed in range(60):
        ratings = rate(repeated_games(kind, 10, 60, 80, seed))
        held.append(abs(ratings.elo[0] - 30) <= ratings.errors_95[0])
    assert np.mean(held) >= 0.93 - 3 * (0.06 / 60) ** 0.5


def test_a_line_that_is_repeated_in_six_of_ten_games_leaves_the_rating_where_the_score_is():
    """What made oddly rate 235 to 65 points as equal."""
    chance = random.Random(2)
    counts, rows = ClusterCounts(), Counter()
    for number in range(300):
        first, second = ("a", "b") if number % 2 else ("b", "a")
        is_line = chance.random() < 0.6
        won = is_line or chance.random() < 0.45
        winner = int(won == (first == "b"))
        rows[first, second, WINNERS[winner]] += 1
        counts.add(first, second, winner, (first, 0 if is_line else number + 1))
    clustered, plain = rate(from_counts(rows, (), None, counts.repeats)), rate(from_counts(rows))
    score = plain.score(0)
    assert score is not None
    assert score > 0.7
    assert clustered.elo == pytest.approx(plain.elo)
    assert 2 * clustered.elo[0] == pytest.approx(400 * np.log10(score / (1 - score)), abs=10)
    assert clustered.errors_95[0] > 2 * plain.errors_95[0]


def test_a_single_opening_is_no_rating():
    clusters, rows = ClusterCounts(), Counter()
    for number in range(40):
        rows["a", "b", WINNERS[number % 3 % 2]] += 1
        clusters.add("a", "b", number % 3 % 2, "the only opening")
    ratings = rate(from_counts(rows, (), None, clusters.repeats))
    assert ratings.unknown(0) == "too few openings"
