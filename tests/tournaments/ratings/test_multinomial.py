"""The likelihood of pair scores under a given mean, against a maximiser that knows no formula."""

import math
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oddly.tournaments.ratings.pair_likelihoods import log_likelihood

COUNTS = st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(any)
MEANS = st.floats(0.1, 0.9)


def brute_force(counts, mean):
    """The greatest log-likelihood with that mean, relative to that of the observed shares.

    From a distribution that has the mean, move between three outcomes at a time such that the mean
    stays, as far as it pays. No such move pays only at the peak, as the function is concave and a
    sum over outcomes (Rockafellar's monotropic programming).
    """
    values = [index / 4 for index in range(5)]
    # A binomial distribution has any mean, and all outcomes.
    shares = [math.comb(4, k) * mean**k * (1 - mean) ** (4 - k) for k in range(5)]
    moves = []
    for low, middle, high in combinations(range(5), 3):
        move = [0.0] * 5
        move[low], move[middle], move[high] = high - middle, low - high, middle - low
        moves.append(move)
    best = -math.inf
    while True:
        for move in moves:
            shares = best_along(counts, shares, move)
        now = likelihood(counts, shares)
        if now - best < 1e-10:
            break
        best = now
    assert sum(shares) == pytest.approx(1)
    assert sum(map(float.__mul__, shares, values)) == pytest.approx(mean)
    return now - likelihood(counts, [count / sum(counts) for count in counts])


def likelihood(counts, shares):
    pairs = [(count, share) for count, share in zip(counts, shares, strict=True) if count]
    return sum(n * math.log(max(share, 1e-300)) for n, share in pairs)


def best_along(counts, shares, move):
    """Ternary search."""

    def moved(by):
        return [max(0.0, share + by * part) for share, part in zip(shares, move, strict=True)]

    low = max(-s / m for s, m in zip(shares, move, strict=True) if m > 0)
    high = min(-s / m for s, m in zip(shares, move, strict=True) if m < 0)
    for _ in range(70):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if likelihood(counts, moved(left)) < likelihood(counts, moved(right)):
            low = left
        else:
            high = right
    return max((shares, moved((low + high) / 2)), key=lambda some: likelihood(counts, some))


@pytest.mark.sampled
@settings(max_examples=25, deadline=None)
@given(COUNTS, MEANS)
@example([0, 0, 7, 0, 0], 0.5)
@example([0, 0, 7, 0, 0], 0.6)
@example([0, 0, 0, 0, 9], 0.5)
@example([0, 3, 0, 3, 0], 0.2)
@example([5, 0, 20, 0, 9], 0.55)
def test_it_is_the_greatest_there_is(counts, mean):
    assert log_likelihood(counts, mean) == pytest.approx(brute_force(counts, mean), abs=1e-4)


@given(COUNTS, MEANS)
def test_it_is_0_at_the_observed_mean_and_below_elsewhere(counts, mean):
    observed = sum(index * count for index, count in enumerate(counts)) / 4 / sum(counts)
    if 0 < observed < 1:
        assert log_likelihood(counts, observed) == pytest.approx(0, abs=1e-9)
    assert log_likelihood(counts, mean) <= 1e-9


@given(COUNTS, MEANS)
def test_seen_from_the_other_side_it_is_the_same(counts, mean):
    assert log_likelihood(counts[::-1], 1 - mean) == pytest.approx(
        log_likelihood(counts, mean), rel=1e-9, abs=1e-9
    )


@given(COUNTS, MEANS, st.integers(1, 1000))
def test_it_grows_with_the_number_of_pairs(counts, mean, times):
    more = [times * count for count in counts]
    assert log_likelihood(more, mean) == pytest.approx(
        times * log_likelihood(counts, mean), rel=1e-6, abs=1e-6
    )
