"""How long the engines think, under every time control."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.search.timing import seconds_for_turn, turns_to_come
from games.catalogue import create_game
from protocol.time_control import parse_time_control


@pytest.mark.parametrize("spec", ["0.02", "5", "300+0", "60+2", "60+20/300", "0+5x30"])
def test_no_turn_takes_all_the_time_there_is(spec):
    control = parse_time_control(spec)
    overtime = control.turns or control.periods
    left = (control.main_seconds or control.period_seconds or control.increment_seconds, overtime)
    if control.main_seconds:
        left = (control.main_seconds, 0)
    seconds = seconds_for_turn(control, left, turns_to_come=20)
    assert seconds is not None
    allowed = left[0] + control.period_seconds + control.increment_seconds
    assert 0 < seconds < allowed


def test_without_a_clock_there_is_no_limit():
    assert seconds_for_turn(None, None, 10) is None
    assert seconds_for_turn(parse_time_control("none"), (3.0, 0), 10) is None


@given(
    main=st.floats(0.5, 1000),
    increment=st.floats(0, 30),
    lag=st.floats(0, 0.002),
    turns=st.integers(1, 400),
)
def test_a_game_of_any_length_never_runs_out(main, increment, lag, turns):
    control = parse_time_control(f"{main:.3f}+{increment:.3f}")
    left = control.main_seconds
    for turn in range(turns):
        seconds = seconds_for_turn(control, (left, 0), max(60 - turn, 3))
        assert seconds is not None
        left -= seconds + min(lag, seconds * 0.15)
        assert left >= 0
        left += control.increment_seconds


@given(periods=st.integers(1, 5), period=st.floats(0.1, 60))
def test_byo_yomi_is_not_overstepped(periods, period):
    control = parse_time_control(f"0+{periods}x{period:.3f}")
    seconds = seconds_for_turn(control, (control.period_seconds, periods), 10)
    assert seconds is not None
    assert seconds < control.period_seconds


def test_turns_to_come_shrink_with_the_empty_cells():
    game = create_game("yodd", 4)
    assert turns_to_come(game.start()) > 10
    assert turns_to_come(create_game("ayu", 5).start()) > 1
