"""Ratings that move: against the static ones, and in leagues whose engines do move."""

import math
import sys
from datetime import date, timedelta
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games import MissingExtraError
from oddly.tournaments.ratings import over_time
from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import PERIODS, DatedGame, collect
from oddly.tournaments.ratings.over_time import rate_over_time
from tests.tournaments.ratings.simulated import expected

BEGAN = date(2026, 1, 1)
OTHER = {"first": "second", "second": "first"}


def league(rng, engines, days, games_a_day, spread=150, drift=20, advantage=35):
    """Engines whose strength wanders, with their true strengths by day: (games, days x engines)."""
    steps = rng.normal(0, drift, (days, engines))
    steps[0] = rng.normal(0, spread, engines)
    true = steps.cumsum(axis=0)
    games = []
    for number in range(days * games_a_day):
        day = number // games_a_day
        one, other = rng.choice(engines, 2, replace=False)
        wins = rng.random() < expected(true[day, one] - true[day, other] + advantage)
        winner = "first" if wins else "second"
        games.append(DatedGame(f"e{one}", f"e{other}", winner, BEGAN + timedelta(days=day)))
    return games, true


def test_on_one_day_the_ratings_are_the_static_ones():
    games, _ = league(np.random.default_rng(1), 5, 1, 2000)
    history = rate_over_time(games)
    static = rate(collect(game[:3] for game in games))
    found = {engine.name: engine.periods[0] for engine in history.engines}
    for name, elo, error in zip(static.names, static.elo, static.errors_95, strict=True):
        assert found[name].elo == pytest.approx(elo, abs=1e-3)
        # The static bars allow for effects of pairs as well.
        assert 0.7 * error < found[name].error_95 < 1.05 * error
    assert history.advantage == pytest.approx(static.advantage, abs=1e-3)
    assert history.drift.elo is None


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("day", [date.min, date(5800, 1, 1), date.max])
def test_games_of_any_date_are_rated(day, period):
    """The bug: the number of a game after the year 5741 was too long for an array."""
    games = [DatedGame("a", "b", "first", day), DatedGame("b", "a", "second", day)]
    history = rate_over_time(games, period)
    for engine in history.engines:
        (found,) = engine.periods
        assert found.begins == PERIODS[period](day)
        assert found.games == 2


def gauntlet(day):
    """A challenger that lost to six of thirty opponents, once each, and won all its other games."""
    lost = {f"o{number}" for number in range(6)}
    for opponent in (f"o{number}" for number in range(30)):
        yield DatedGame("challenger", opponent, "first", day)
        yield DatedGame(opponent, "challenger", "first" if opponent in lost else "second", day)


def test_bars_allow_for_what_only_the_prior_says():
    """The bug: of opponents that lost every game the prior says how weak they are, as a fact."""
    games = [*gauntlet(BEGAN)]
    static = rate(collect(game[:3] for game in games))
    wanted = static.errors_95[static.names.index("challenger")]
    (found,) = (e.periods[0] for e in rate_over_time(games).engines if e.name == "challenger")
    assert 0.8 * wanted < found.error_95 < 1.05 * wanted


def test_bars_of_many_states_allow_for_the_prior_too(monkeypatch):
    games = [*gauntlet(BEGAN), *gauntlet(BEGAN + timedelta(days=1))]
    few = rate_over_time(games, drift=30).engines
    monkeypatch.setattr(over_time, "FEW", 0)
    many = {engine.name: engine for engine in rate_over_time(games, drift=30).engines}
    for engine in few:
        for one, other in zip(engine.periods, many[engine.name].periods, strict=True):
            assert one.error_95 == pytest.approx(other.error_95, rel=0.1)
            assert one.moved_error_95 == pytest.approx(other.moved_error_95, rel=0.1, abs=1e-3)


def test_engines_that_beat_all_weaker_ones_are_rated_by_sparse_matrices_too(monkeypatch):
    """The bug: the ratings lie so far apart that the search for them ended too soon."""
    games = [
        DatedGame(*pair, winner, BEGAN)
        for stronger, weaker in combinations("abcdefgh", 2)
        for pair, winner in (((stronger, weaker), "first"), ((weaker, stronger), "second"))
        for _ in range(100)
    ]
    few = rate_over_time(games, drift=30).engines
    monkeypatch.setattr(over_time, "FEW", 0)
    many = {
        engine.name: engine.periods[0].elo for engine in rate_over_time(games, drift=30).engines
    }
    for engine in few:
        assert many[engine.name] == pytest.approx(engine.periods[0].elo, rel=0.01)


def test_a_stronger_prior_draws_ratings_together():
    games = [*gauntlet(BEGAN)]
    usual, strong = (
        {
            engine.name: engine.periods[0].elo
            for engine in rate_over_time(games, prior=prior).engines
        }
        for prior in (0.1, 10.0)
    )
    assert 0 < strong["challenger"] < usual["challenger"] / 2
    with pytest.raises(ValueError, match="the prior must be from"):
        rate_over_time(games, prior=0)


def test_draws_narrow_the_bars_as_much_as_static_ones():
    games = [
        DatedGame(*pair, winner, BEGAN)
        for pair in (("a", "b"), ("b", "c"), ("c", "a"), ("b", "a"), ("c", "b"), ("a", "c"))
        for winner in ["first"] * 5 + ["second"] * 5 + ["draw"] * 30
    ]
    static = rate(collect(game[:3] for game in games))
    for engine in rate_over_time(games).engines:
        assert engine.periods[0].error_95 == pytest.approx(static.errors_95[0], rel=0.01)


def test_an_engine_that_improves_is_seen_to():
    games = [
        DatedGame(*pair, winner, BEGAN + timedelta(days=day))
        for day in range(20)
        for pair, better in ((("old", "new"), "second"), (("new", "old"), "first"))
        for winner in [better] * (3 + day // 2) + [OTHER[better]] * 3
    ]
    new, old = rate_over_time(games).engines
    assert (new.name, old.name) == ("new", "old")
    assert len(new.periods) == 20
    assert new.periods[0].moved == new.periods[0].moved_error_95 == 0
    assert new.periods[-1].moved > 40
    assert new.periods[-1].elo + old.periods[-1].elo == pytest.approx(0, abs=1e-6)
    assert new.periods[0].games == 12


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(list(PERIODS)))
def test_every_game_is_in_the_period_of_its_day(seed, period):
    games, _ = league(np.random.default_rng(seed), 3, 40, 2)
    for engine in rate_over_time(games, period, drift=20).engines:
        begins = [rating.begins for rating in engine.periods]
        assert begins == sorted({PERIODS[period](g.day) for g in games if engine.name in g[:2]})
        assert sum(rating.games for rating in engine.periods) == sum(
            engine.name in game[:2] for game in games
        )


def test_weeks_begin_on_mondays_and_months_on_their_first():
    assert PERIODS["week"](date(2026, 11, 22)) == date(2026, 11, 16)
    assert PERIODS["week"](date(2026, 11, 16)) == date(2026, 11, 16)
    assert PERIODS["month"](date(2026, 11, 22)) == date(2026, 11, 1)


def test_draws_and_names_of_all_kinds_are_rated():
    games = [DatedGame("D", "=cmd\x1b", winner, BEGAN) for winner in ("first", "draw", "second")]
    one, other = rate_over_time(games).engines
    assert one.periods[0].elo == pytest.approx(0, abs=1e-3)
    assert {one.name, other.name} == {"D", "=cmd\x1b"}


def test_what_cannot_be_rated_is_refused():
    with pytest.raises(ValueError, match="no games"):
        rate_over_time([])
    for drift in (0, 0.001, 1001, math.inf, math.nan):
        with pytest.raises(ValueError, match=f"from 0.01 to 1000 Elo a day, not {drift}"):
            rate_over_time([], drift=drift)


def test_groups_that_never_met_have_a_mean_each():
    games, _ = league(np.random.default_rng(4), 4, 6, 20)
    others = [
        DatedGame(f"x{one}", f"x{other}", *rest) for (_, one), (_, other), *rest in games[:60]
    ]
    engines = rate_over_time([*games, *others]).engines
    for group, first in ((0, "e"), (1, "x")):
        members = [engine for engine in engines if engine.group == group]
        assert {engine.name[0] for engine in members} == {first}
        ends = [engine.periods[-1] for engine in members]
        assert sum(end.elo for end in ends) == pytest.approx(0, abs=1e-6)
        assert all(end.error_95 < 600 for end in ends)


def test_the_drift_is_estimated_with_a_range():
    for drift, seed in ((0, 7), (100, 8)):
        games, _ = league(np.random.default_rng(seed), 8, 20, 60, drift=drift)
        found = rate_over_time(games).drift
        assert found.low <= drift <= found.high
        assert found.low <= found.elo <= found.high
    given_one = rate_over_time(games, drift=50).drift
    assert (given_one.elo, given_one.low, given_one.high) == (50, None, None)


def test_without_scipy_few_states_are_rated_and_many_are_refused(monkeypatch):
    games, _ = league(np.random.default_rng(10), 5, 12, 20)
    usual = rate_over_time(games)
    for name in ("scipy", "scipy.sparse", "scipy.sparse.linalg"):
        monkeypatch.setitem(sys.modules, name, None)
    assert rate_over_time(games) == usual
    monkeypatch.setattr(over_time, "MAX_DENSE", 10)
    with pytest.raises(MissingExtraError, match=r"of more than 10 ratings.*scipy"):
        rate_over_time(games)


def coverage(leagues, seed, drift):
    """The shares of true strengths within the bars, and of true moves: on the last day."""
    rng = np.random.default_rng(seed)
    held, moved = [], []
    for _ in range(leagues):
        games, true = league(rng, 8, 20, 40, drift=drift)
        engines = rate_over_time(games).engines
        first, last = (
            np.array(
                [true[(c.periods[which].begins - BEGAN).days, int(c.name[1:])] for c in engines]
            )
            for which in (0, -1)
        )
        ends = [engine.periods[-1] for engine in engines]
        off = [end.elo for end in ends] - (last - last.mean())
        held.append(np.abs(off) <= [end.error_95 for end in ends])
        off = [end.moved for end in ends] - (last - first)
        moved.append(np.abs(off) <= [end.moved_error_95 for end in ends])
    return np.mean(held), np.mean(moved)


@pytest.mark.parametrize("drift", [0, 30, 100])
def test_bars_hold_the_truth_nearly_as_often_as_they_should(drift):
    held, moved = coverage(4, 5, drift)
    # Of 32 of each.
    assert held > 0.75
    assert moved > 0.75


@pytest.mark.soak
@pytest.mark.parametrize("drift", [0, 10, 30, 100])
def test_bars_hold_the_truth_as_often_as_documented(drift):
    held, moved = coverage(300, 6, drift)
    assert held > 0.93
    assert moved > 0.92
