"""Ratings that move: against the static ones, and in leagues whose engines do move."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.tournaments.ratings.bradley_terry import rate
from oddly.tournaments.ratings.ordered_pairs import collect
from oddly.tournaments.ratings.over_time import PERIODS, DatedGame, rate_over_time
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
        # The priors differ, which 2000 games make small.
        assert found[name].elo == pytest.approx(elo, abs=2)
        # Opponents held for given: the bar is narrower, but not by much among five.
        assert 0.6 * error < found[name].error_95 < 1.3 * error
    assert history.advantage == pytest.approx(static.advantage, abs=1)


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
    for engine in rate_over_time(games, period).engines:
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
    with pytest.raises(ValueError, match="above 0"):
        rate_over_time([], drift=0)


def coverage(leagues, seed):
    """The shares of true strengths within the bars, and of true moves: on the last day."""
    rng = np.random.default_rng(seed)
    held, moved = [], []
    for _ in range(leagues):
        games, true = league(rng, 8, 20, 40)
        engines = rate_over_time(games, drift=20).engines
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


def test_bars_hold_the_truth_nearly_as_often_as_they_should():
    held, moved = coverage(4, 5)
    # Of 32 of each.
    assert held > 0.7
    assert moved > 0.75


@pytest.mark.soak
def test_bars_hold_the_truth_as_often_as_documented():
    held, moved = coverage(500, 6)
    assert 0.85 < held < 0.96
    assert 0.90 < moved < 0.97
