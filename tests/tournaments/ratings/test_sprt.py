"""Sequential tests: the ratios by hand, the bounds, and how often they are wrong."""

import math
import random
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oddly.tournaments.ratings.elo import MAX_ELO, elo_of, expected_score
from oddly.tournaments.ratings.pair_likelihoods import SCORES, likeliest
from oddly.tournaments.ratings.sprt import (
    GameOfPair,
    Hypotheses,
    PairCounts,
    SequentialTest,
    SprtState,
    decisive_pair_ratio,
    normalised_pair_ratio,
    pair_ratio,
)
from tests.tournaments.ratings.simulated import expected

COUNTS = st.builds(PairCounts, st.tuples(*[st.integers(0, 200)] * 5))
RATIOS = pytest.mark.parametrize("ratio", [pair_ratio, normalised_pair_ratio, decisive_pair_ratio])


@given(st.floats(-2000, 2000))
def test_the_scale_is_logistic(difference):
    assert expected_score(difference) == pytest.approx(expected(difference))


def test_the_bounds_are_walds():
    hypotheses = Hypotheses(0, 5, alpha=0.05, beta=0.1)
    assert hypotheses.lower == pytest.approx(math.log(0.1 / 0.95))
    assert hypotheses.upper == pytest.approx(math.log(0.9 / 0.05))
    assert [hypotheses.decide(ratio) for ratio in (-3, -2, 0, 2, 3)] == [
        "H0", "continue", "continue", "continue", "H1",
    ]  # fmt: skip


@pytest.mark.parametrize("tiny", [1e-320, 5e-324, 1e-300])
def test_the_bounds_are_finite_however_rarely_a_test_may_be_wrong(tiny):
    bound = -math.log(tiny)
    strict = Hypotheses(0, 5, alpha=tiny, beta=tiny)
    assert (strict.lower, strict.upper) == (pytest.approx(-bound), pytest.approx(bound))
    assert [strict.decide(ratio) for ratio in (bound - 1, bound + 1)] == ["continue", "H1"]


@pytest.mark.parametrize(
    "words", [(5, 5), (5, 0), (math.nan, 5), (0, math.inf), (0, 5, 0), (0, 5, 0.5, 0.5)]
)
def test_hypotheses_that_cannot_be_are_refused(words):
    with pytest.raises(ValueError, match="must be"):
        Hypotheses(*words)


EDGES = (-MAX_ELO, -6500, -350, 0, 350, 6500, MAX_ELO)


@pytest.mark.sampled
@RATIOS
@pytest.mark.parametrize("elos", list(combinations(EDGES, 2)))
@given(counts=COUNTS)
@example(counts=PairCounts((10**6, 0, 0, 0, 0)))
@example(counts=PairCounts((0, 0, 1, 0, 10**6)))
def test_hypotheses_as_far_apart_as_they_may_be_have_a_ratio(ratio, elos, counts):
    found = ratio(counts, Hypotheses(*elos))
    mirrored = ratio(PairCounts(counts.counts[::-1]), Hypotheses(-elos[1], -elos[0]))
    assert math.isfinite(found)
    assert found == pytest.approx(-mirrored, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("elos", [(0, 10_001), (-1e308, 1e308), (-10_000.5, 0)])
def test_hypotheses_beyond_any_rating_are_refused(elos):
    with pytest.raises(ValueError, match=r"must be from -10000 to 10000, not"):
        Hypotheses(*elos)


def test_pairs_are_counted_by_points():
    counts = PairCounts().plus(0).plus(2).plus(2).plus(1.5).plus(0.5).plus(1)
    assert counts == PairCounts((1, 1, 1, 1, 2))
    assert (counts.pairs, counts.won, counts.lost) == (6, 2, 1)
    for points in (-0.5, 2.5, 0.3):
        with pytest.raises(ValueError, match="a pair has"):
            counts.plus(points)
    for wrong in ((0, 0, 0, 0, -1), (1, 2, 3)):
        with pytest.raises(ValueError, match="5 counts"):
            PairCounts(wrong)


def test_the_ratio_of_pairs_is_the_one_of_the_two_best_distributions():
    # Of WW and WL only, under a mean of 1/2: the best has as much LL as WW. Then the share of WW
    # is half of what was observed. Under the observed mean, the best is what was observed.
    counts = PairCounts((0, 0, 60, 0, 40))
    hypotheses = Hypotheses(0, 400 * math.log10(0.7 / 0.3))
    assert pair_ratio(counts, hypotheses) == pytest.approx(40 * math.log(2))


def test_the_ratio_of_pairs_agrees_with_its_normal_approximation_where_that_is_good():
    # Van den Bergh, GSPRT_approximation.pdf: n (s1 - s0) (2 s - s0 - s1) / (2 v).
    counts = PairCounts((900, 2000, 4100, 2100, 1000))
    hypotheses = Hypotheses(0, 4)
    mean = sum(k * n for k, n in enumerate(counts.counts)) / 4 / counts.pairs
    shares = [n / counts.pairs for n in counts.counts]
    variance = sum(share * (k / 4 - mean) ** 2 for k, share in enumerate(shares))
    low, high = expected(0), expected(4)
    approximation = counts.pairs * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert pair_ratio(counts, hypotheses) == pytest.approx(approximation, rel=0.01)


@given(st.floats(-300, 300), st.floats(-1000, 1000))
def test_decisive_pairs_measure_elo_whatever_the_advantage(elo, advantage):
    as_first, as_second = expected(elo + advantage), expected(elo - advantage)
    won, lost = as_first * as_second, (1 - as_first) * (1 - as_second)
    assert won / (won + lost) == pytest.approx(expected(2 * elo))


@given(COUNTS)
def test_the_ratio_of_decisive_pairs_is_that_of_a_coin(counts):
    hypotheses = Hypotheses(-10, 30)
    heads = expected(-20), expected(60)
    by_hand = counts.won * math.log(heads[1] / heads[0])
    by_hand += counts.lost * math.log((1 - heads[1]) / (1 - heads[0]))
    assert decisive_pair_ratio(counts, hypotheses) == pytest.approx(by_hand, abs=1e-9)


@RATIOS
@given(COUNTS)
def test_the_opponent_sees_the_opposite(ratio, counts):
    mirrored = PairCounts(counts.counts[::-1])
    assert ratio(counts, Hypotheses(-10, 30)) == pytest.approx(
        -ratio(mirrored, Hypotheses(-30, 10)), rel=1e-6, abs=1e-6
    )


@RATIOS
@given(counts=COUNTS)
@example(counts=PairCounts((0, 173, 22, 39, 6)))
def test_a_pair_won_speaks_for_h1_and_a_pair_lost_for_h0(ratio, counts):
    hypotheses = Hypotheses(0, 50)
    now = ratio(counts, hypotheses)
    assert ratio(counts.plus(2), hypotheses) > now
    assert ratio(counts.plus(0), hypotheses) < now


@RATIOS
def test_a_test_goes_on_until_its_first_verdict(ratio):
    test = SequentialTest(Hypotheses(0, 100), ratio)
    assert test.state == SprtState("continue", 0.0, test.hypotheses.lower, test.hypotheses.upper)
    states = []
    while not states or states[-1].decision == "continue":
        states.append(test.add(2))
    assert states[-1].decision == "H1"
    assert states[-1].llr >= test.hypotheses.upper > states[-2].llr
    counts = test.counts
    assert [test.add(0) for _ in range(500)] == [states[-1]] * 500
    assert test.counts == counts
    assert test.ratios == [state.llr for state in states]
    assert test.not_counted == 500


def test_pairs_without_a_verdict_leave_the_decisive_test_where_it_is():
    test = SequentialTest(Hypotheses(0, 50), decisive_pair_ratio)
    for points in (0.5, 1, 1.5):
        assert test.add(points).llr == 0


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0])] * 2), min_size=8, max_size=12))
def test_copies_say_hardly_more_than_the_openings(points):
    """Deterministic engines: from each opening comes one pair of games, again and again."""
    single, copies = (SequentialTest(Hypotheses(0, 30)) for _ in range(2))
    for first, second in points:
        single.add(first + second)
    for number in range(8 * len(points)):
        opening = number % len(points)
        games = tuple(GameOfPair(each, opening) for each in points[opening])
        copies.add(sum(points[opening]), games)
    assert not copies.is_decided
    assert copies.openings == pytest.approx(len(points))
    assert abs(copies.state.llr) <= 1.3 * abs(single.state.llr) + 0.1


def test_a_ratio_is_divided_by_the_design_effect():
    """Ten openings, four times each, half of them won twice and half lost once."""
    test = SequentialTest(Hypotheses(0, 30))
    for number in range(40):
        points = 1.0 if number % 10 < 6 else 0.0
        test.add(2 * points, tuple(GameOfPair(points, number % 10) for _ in range(2)))
    assert test.openings == pytest.approx(10)
    # As many pairs as openings, times 10 / 9 because these are few; the two games of a pair, which
    # go together, are not what makes them repeat.
    assert 40 / 10 < test.design_effect < 2 * 40 / 9
    plain = pair_ratio(test.counts, test.hypotheses)
    assert test.state.llr == pytest.approx(plain / test.design_effect)


def test_pairs_without_repeats_are_independent():
    chance, test, plain = random.Random(1), *(SequentialTest(Hypotheses(0, 30)) for _ in range(2))
    for number in range(60):
        first, second = (float(chance.random() < 0.55) for _ in range(2))
        test.add(first + second, (GameOfPair(first, number), GameOfPair(second, number)))
        assert test.state == plain.add(first + second)
    assert test.openings == test.counts.pairs


@given(
    st.tuples(*[st.sampled_from([0, 1, 3, 200])] * 5).filter(any),
    st.sampled_from([(0, 300), (-300, 0), (-900, 800), (0, 3000), (5000, 10000)]),
)
def test_the_normalised_ratio_is_finite_however_far_apart_the_hypotheses_are(counts, elos):
    ratio = normalised_pair_ratio(PairCounts(counts), Hypotheses(*elos))
    assert math.isfinite(ratio)


@given(st.tuples(*[st.integers(0, 30)] * 5).filter(any), st.floats(-1, 1), st.integers(0, 999))
def test_no_shares_so_many_deviations_above_a_half_are_likelier(counts, deviations, seed):
    """Against shares drawn at random and moved onto the same number of deviations."""
    weights = [count or 1e-3 for count in counts]
    best, chance = likeliest(weights, deviations), random.Random(seed)

    def log_likelihood(shares):
        return sum(w * math.log(share) for w, share in zip(weights, shares, strict=True))

    def excess(shares):
        mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
        square = sum(s * (score - mean) ** 2 for s, score in zip(shares, SCORES, strict=True))
        return (mean - 0.5) - deviations * math.sqrt(square)

    assert excess(best) == pytest.approx(0, abs=1e-6)
    for _ in range(20):
        noise = [share * math.exp(chance.gauss(0, 0.3)) for share in best]

        def tilted(by, noise=noise):
            shares = [n * math.exp(by * score) for n, score in zip(noise, SCORES, strict=True)]
            return [share / sum(shares) for share in shares]

        low, high = -60.0, 60.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(tilted(middle)) < 0 else (low, middle)
        other = tilted(low)
        # Some cannot be moved there.
        if abs(excess(other)) < 1e-9 and min(other) > 0:
            assert log_likelihood(other) <= log_likelihood(best) + 1e-5 * sum(weights)


def pair_player(elo, advantage, draws):
    """A way to draw the points of a pair; the expected score of a game is the model's."""
    wins = expected(elo + advantage), expected(elo - advantage)

    def game(chance, win):
        draw = 2 * draws * min(win, 1 - win)
        throw = chance.random()
        return 0.5 if throw < draw else float(throw - draw < win - draw / 2)

    return lambda chance: game(chance, wins[0]) + game(chance, wins[1])


def mean_score(elo, advantage):
    """The mean score over both seats."""
    return (expected(elo + advantage) + expected(elo - advantage)) / 2


def deviations(elo, advantage):
    """How many standard deviations of a game the mean score of drawless pairs is above 1/2."""
    wins = expected(elo + advantage), expected(elo - advantage)
    variance = sum(win * (1 - win) for win in wins) / 4
    return (mean_score(elo, advantage) - 0.5) / math.sqrt(2 * variance)


def solved(function, wanted):
    """The difference of Bradley-Terry in Elo at which an increasing function has this value."""
    low, high = -3000.0, 3000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < wanted else (low, middle)
    return low


def wrong_verdicts(runs, seed, hypotheses, ratio, advantage, draws):
    """How often H1 is accepted where H0 is true, and H0 where H1 is."""
    chance = random.Random(seed)
    wrong = []
    for truth, error in ((hypotheses.elo0, "H1"), (hypotheses.elo1, "H0")):
        elo = truth
        if ratio is pair_ratio:
            elo = solved(lambda elo: mean_score(elo, advantage), expected(truth))
        elif ratio is normalised_pair_ratio:
            elo = solved(lambda elo: deviations(elo, advantage), truth / 347.4355855)
        player = pair_player(elo, advantage, draws)
        wrong.append(sum(verdict(hypotheses, ratio, player, chance) == error for _ in range(runs)))
    return wrong


def verdict(hypotheses, ratio, player, chance):
    test = SequentialTest(hypotheses, ratio)
    while test.state.decision == "continue":
        test.add(player(chance))
    return test.state.decision


def most_by_chance(runs, rate):
    """Exceeded by a binomial count in less than 1 of 10,000 samples."""
    chance, total, count = (1 - rate) ** runs, 0.0, 0
    while total + chance < 1 - 1e-4:
        total += chance
        chance *= (runs - count) / (count + 1) * rate / (1 - rate)
        count += 1
    return count


CASES = [
    (pair_ratio, Hypotheses(0, 100), 0, 0.0),
    (pair_ratio, Hypotheses(0, 100), 150, 0.0),
    (pair_ratio, Hypotheses(-50, 50), 100, 0.5),
    (normalised_pair_ratio, Hypotheses(0, 100), 150, 0.0),
    (decisive_pair_ratio, Hypotheses(0, 100), 0, 0.0),
    (decisive_pair_ratio, Hypotheses(0, 100), 150, 0.0),
]
"""Ratio, hypotheses, advantage of playing first in Elo, and how many games are drawn."""


@pytest.mark.parametrize("case", CASES)
def test_a_sample_of_tests_is_wrong_no_more_often_than_agreed(case):
    ratio, hypotheses, advantage, draws = case
    wrong = wrong_verdicts(120, 41, hypotheses, ratio, advantage, draws)
    assert max(wrong) <= most_by_chance(120, 0.05 + 0.015)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES)
def test_tests_are_wrong_in_at_most_1_5_percent_more_than_agreed(case):
    ratio, hypotheses, advantage, draws = case
    runs = 4000
    wrong = wrong_verdicts(runs, 42, hypotheses, ratio, advantage, draws)
    assert max(wrong) / runs <= 0.05 + 0.015


@pytest.mark.parametrize("deviations", [-0.3, 0.0, 0.05, 0.4])
@pytest.mark.parametrize(
    "counts", [(120, 1e-3, 500, 1e-3, 160), (3, 20, 40, 30, 1), (1, 1, 1, 1, 1)]
)
def test_the_likeliest_shares_are_so_many_deviations_above_a_half(counts, deviations):
    shares = likeliest(counts, deviations)
    mean = sum(share * score for share, score in zip(shares, SCORES, strict=True))
    variance = sum(share * (score - mean) ** 2 for share, score in zip(shares, SCORES, strict=True))
    assert sum(shares) == pytest.approx(1)
    assert (mean - 0.5) / math.sqrt(variance) == pytest.approx(deviations, abs=1e-6)


@given(COUNTS, st.floats(-0.9, 0.9))
@example(PairCounts((0, 173, 22, 39, 7)), 0.0)
def test_the_likeliest_shares_are_shares(counts, deviations):
    shares = likeliest([count or 1e-3 for count in counts.counts], deviations)
    assert min(shares) > 0
    assert sum(shares) == pytest.approx(1)


def test_normalised_elo_is_logistic_elo_where_pairs_are_independent_decided_games():
    counts = PairCounts((2450, 0, 5000, 0, 2550))
    hypotheses = Hypotheses(0, 5)
    assert normalised_pair_ratio(counts, hypotheses) == pytest.approx(
        pair_ratio(counts, hypotheses), rel=0.02
    )


def test_the_normalised_ratio_agrees_with_its_normal_approximation():
    """By the same, of a mean in standard deviations: n (t1 - t0) (2 t - t0 - t1) / 2."""
    counts = PairCounts((900, 2000, 4100, 2100, 1000))
    mean = sum(k * n for k, n in enumerate(counts.counts)) / 4 / counts.pairs
    variance = sum(n * (k / 4 - mean) ** 2 for k, n in enumerate(counts.counts)) / counts.pairs
    seen, high = (mean - 0.5) / math.sqrt(variance), 5 * math.sqrt(2) / 347.4355855
    approximation = counts.pairs * high * (2 * seen - high) / 2
    ratio = normalised_pair_ratio(counts, Hypotheses(0, 5))
    assert ratio == pytest.approx(approximation, rel=0.02)


@given(difference=st.floats(-1500, 1500))
def test_a_score_stands_for_the_difference_at_which_it_is_expected(difference):
    assert elo_of(expected_score(difference)) == pytest.approx(difference, abs=1e-6)
