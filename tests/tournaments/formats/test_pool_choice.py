"""Which pair a rating pool chooses: by a direct calculation, and live as well as among all."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.live_ratings import Pool
from oddly.tournaments import RatingPool, Ratings, collect, rate
from oddly.tournaments.formats import pool_choice
from oddly.tournaments.formats.pool_choice import UNMET, Expectation
from oddly.tournaments.ratings.elo import ELO_PER_NAT, expected_score
from tests.tournaments.formats.playing import event, played
from tests.tournaments.results.outcomes import outcome


@st.composite
def leagues(draw):
    names = "abcdef"[: draw(st.integers(2, 6))]
    pairs = [(one, other) for one in names for other in names if one != other]
    rows = draw(
        st.lists(st.tuples(st.sampled_from(pairs), st.sampled_from(["first", "second", "draw"])))
    )
    return rate(collect([(*pair, winner) for pair, winner in rows], names))


def covariance_of(ratings: Ratings, covariance: np.ndarray | None = None) -> np.ndarray:
    """That of the ratings around their mean, where groups that never met may be anywhere."""
    engines = len(ratings.names)
    apart = UNMET**2 * (ratings.groups[:, None] == ratings.groups)
    centre = np.eye(engines) - 1 / engines
    return centre @ ((ratings.covariance if covariance is None else covariance) + apart) @ centre


def errors_after(ratings: Ratings, one: int, other: int, games: int) -> np.ndarray:
    """The bars after some games, by adding their information and inverting all of it again.

    What makes them wider than those of ideal games is a factor that stays.
    Centred ratings have no information on their mean; a constant in all entries gives them some.
    """
    engines = len(ratings.names)
    ones = np.ones((engines, engines))
    ideal = covariance_of(ratings, ratings.ideal_covariance)
    wider = np.diag(covariance_of(ratings)) / np.diag(ideal)
    information = np.linalg.inv(ideal + ones)
    difference = ratings.elo[one] - ratings.elo[other]
    direction = np.eye(engines)[one] - np.eye(engines)[other]
    for seat in (1, -1):
        wins = expected_score(float(difference + seat * ratings.advantage))
        weight = wins * (1 - wins) / ELO_PER_NAT**2
        information = information + games / 2 * weight * np.outer(direction, direction)
    variances = wider * np.diag(np.linalg.inv(information) - ones)
    return 1.959963984540054 * np.sqrt(variances)


@given(leagues(), st.data())
@settings(max_examples=50, deadline=None)
def test_expected_bars_are_those_of_the_added_information(ratings, data):
    one, other = data.draw(st.sampled_from(list(combinations(range(len(ratings.names)), 2))))
    games = data.draw(st.integers(1, 4))
    expected = Expectation(ratings, ratings.names)
    expected.add(ratings.names[one], ratings.names[other], games)
    of_games = errors_after(ratings, one, other, games) * expected.stretches
    assert expected.errors_95() == pytest.approx(np.hypot(of_games, ratings.moves), 1e-6)


@given(leagues(), st.data())
@settings(max_examples=50, deadline=None)
def test_no_other_pair_shrinks_the_widest_bar_more(ratings, data):
    pairs = list(combinations(ratings.names, 2))
    barred = data.draw(st.lists(st.sampled_from(pairs), max_size=3))
    chosen = Expectation(ratings, ratings.names).best_pair(barred)
    allowed = [pair for pair in pairs if pair not in barred]
    if not allowed:
        assert chosen is None
        return
    assert chosen in allowed
    number = {name: place for place, name in enumerate(ratings.names)}
    may_play = {number[name] for pair in allowed for name in pair}
    variances = np.round(np.diag(covariance_of(ratings)), 6)
    widest = max(may_play, key=lambda engine: (variances[engine], -engine))

    def after(pair):
        return errors_after(ratings, *(number[name] for name in pair), 2)[widest]

    assert after(chosen) == pytest.approx(min(map(after, allowed)), 1e-6)


@pytest.mark.parametrize("seed", [4, 5])
def test_a_pair_with_an_effect_of_its_own_does_not_keep_a_pool_from_ending(seed):
    """Its bars are no narrower after more of its games, which were chosen again and again."""
    pool = Pool(4, seed)
    while not (expected := Expectation(pool.fit(), pool.names)).are_below(100):
        one, other = expected.best_pair()
        pool.play(one, other)
        pool.play(other, one)
        assert pool.counts.total() < 600


@given(leagues())
def test_some_engines_are_seen_from_their_own_mean(ratings):
    """Of two engines that is half the bar of their difference."""
    difference = np.array([1.0, -1.0])
    covariance = covariance_of(ratings)[:2, :2]
    bar = 1.959963984540054 * np.sqrt(difference @ covariance @ difference) / 2
    expected = Expectation(ratings, ["a", "b"])
    moves = (ratings.moves[0] - ratings.moves[1]) / 2
    assert expected.errors_95() == pytest.approx(np.hypot(bar * expected.stretches, moves))


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [2, 4])
def test_the_opponents_of_one_engine_do_as_well_as_all_pairs(monkeypatch, seed):
    """The live choice weighs the opponents of the widest bar only. Engines are 80 Elo apart."""
    elo = {name: -80 * place for place, name in enumerate("abcdefghijkl")}

    def by_elo(scheduled):
        wins = expected_score(elo[scheduled.first] - elo[scheduled.second])
        return outcome(int(Random(scheduled.seed).random() >= wins))

    games = []
    for least in (2, 100):
        monkeypatch.setattr(pool_choice, "LIVE_ENGINES", least)
        plan = RatingPool(until=120).plan(event(12, seed=seed))
        games.append(len(played(plan, result=by_elo, most=2000)))
    live, of_all_pairs = games
    assert live <= 1.1 * of_all_pairs
