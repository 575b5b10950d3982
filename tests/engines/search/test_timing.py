"""How long the engines think, under every time control."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.engines.search.thinking_time import (
    Allotment,
    Comparison,
    allotment,
    fixed,
    turns_to_come,
)
from oddly.games.catalogue import create_game
from oddly.protocol.notation import parse_time_control

CLEAR = Comparison(actions=30, first=900, second=100, is_best=True)
DOUBTFUL = Comparison(actions=30, first=500, second=490, is_best=False)
comparisons = st.builds(
    lambda second, more, actions, is_best: Comparison(actions, second + more, second, is_best),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(2, 300),
    st.booleans(),
)


@pytest.mark.parametrize("spec", ["0.02", "5", "300+0", "60+2", "60+20/300", "0+5x30", "9+5x30"])
@pytest.mark.parametrize("is_overtime", [False, True])
def test_no_turn_takes_all_the_time_there_is(spec, is_overtime):
    control = parse_time_control(spec)
    overtime = control.turns or control.periods
    left = control.main_seconds, 0
    if overtime and (is_overtime or not control.main_seconds):
        left = control.period_seconds, overtime
    given = allotment(control, left, turns_to_come=20)
    assert given is not None
    allowed = left[0] + control.period_seconds
    assert 0 < given.wished <= given.most < allowed


@given(
    main=st.floats(0.5, 1000),
    increment=st.floats(0, 30),
    lag=st.floats(0, 0.002),
    turns=st.integers(1, 400),
)
def test_a_game_of_any_length_never_runs_out_even_if_all_is_doubtful(main, increment, lag, turns):
    control = parse_time_control(f"{main:.3f}+{increment:.3f}")
    left = control.main_seconds
    for turn in range(turns):
        given = allotment(control, (left, 0), max(60 - turn, 3))
        assert given is not None
        left -= given.most + min(lag, given.most * 0.15)
        assert left >= 0
        left += control.increment_seconds


@pytest.mark.parametrize("spec", ["10+0", "10+2", "10+1x5", "10+3x5", "10+1/5", "10+3/30"])
@given(main=st.floats(0.001, 10), turns=st.integers(1, 100))
def test_a_turn_at_the_end_of_the_main_time_takes_less_than_all_that_is_left(spec, main, turns):
    control = parse_time_control(spec)
    seconds = main + max(control.periods, 1) * control.period_seconds
    given = allotment(control, (seconds, 0), turns)
    assert given is not None
    assert 0 < given.wished <= given.most < seconds


@given(periods=st.integers(1, 5), period=st.floats(0.1, 60))
def test_byo_yomi_is_not_overstepped(periods, period):
    control = parse_time_control(f"0+{periods}x{period:.3f}")
    given = allotment(control, (control.period_seconds, periods), 10)
    assert given is not None
    assert given.most < control.period_seconds


@given(turns=st.integers(1, 30), period=st.floats(0.1, 600))
def test_a_canadian_period_lasts_for_its_turns(turns, period):
    control = parse_time_control(f"0+{turns}/{period:.3f}")
    left = control.period_seconds
    for to_come in range(turns, 0, -1):
        given = allotment(control, (left, to_come), 10)
        assert given is not None
        left -= given.most
        assert left > 0


def test_without_a_clock_there_is_no_limit_and_turns_to_come_are_more_on_a_larger_board():
    assert allotment(None, None, 10) is None
    assert allotment(parse_time_control("none"), (3.0, 0), 10) is None
    assert turns_to_come(create_game("yodd", 4).start()) > 10
    assert turns_to_come(create_game("ayu", 5).start()) > 1


@given(wished=st.floats(0.001, 100), more=st.floats(0, 100), comparison=comparisons)
def test_thinking_ends_at_the_most_and_not_before_anything_is_known(wished, more, comparison):
    given = Allotment(wished, wished + more)
    assert given.is_enough(given.most, 1000, comparison)
    untried = Comparison(comparison.actions, 0, 0, is_best=True)
    assert not given.is_enough(0.0, 0, untried)


@given(spent=st.floats(0.001, 0.99), simulations=st.integers(1, 10**7), comparison=comparisons)
def test_no_lead_ends_a_fixed_time_early(spent, simulations, comparison):
    assert not fixed(1.0).is_enough(spent, simulations, comparison)
    assert fixed(1.0).is_enough(1.0, simulations, comparison)


@given(spent=st.floats(0.001, 0.99), simulations=st.integers(1, 10**7), comparison=comparisons)
def test_a_lead_that_cannot_be_made_up_for_ends_the_first_drop_of_a_fixed_time(
    spent, simulations, comparison
):
    is_safe = comparison.first - comparison.second > simulations / spent * (1 - spent)
    given = fixed(10.0).for_first_drop(0.1)
    assert given.is_enough(spent, simulations, comparison) == is_safe


@pytest.mark.parametrize(
    ("spent", "comparison", "is_enough"),
    [
        (1.0, CLEAR, True),
        (1.0, DOUBTFUL, False),
        (2.0, DOUBTFUL, True),
        # The only action takes no time.
        (0.0, DOUBTFUL._replace(actions=1), True),
    ],
)
def test_more_is_thought_where_the_choice_is_in_doubt(spent, comparison, is_enough):
    assert Allotment(1.0, 2.0).is_enough(spent, 1000 * spent or 1, comparison) == is_enough


def test_what_the_first_drop_leaves_is_for_the_second():
    turn = Allotment(1.0, 2.0)
    assert turn.for_first_drop(0.7).less(0.2) == Allotment(pytest.approx(0.5), pytest.approx(1.2))
    assert turn.less(1.5) == Allotment(0.0, 0.5)


def test_a_clock_that_goes_on_ends_thinking_where_the_second_action_hardly_wins():
    leads = Comparison(actions=2, first=850, second=150, is_best=True)
    assert Allotment(1.0, 1.0).is_enough(0.5, 1000, leads)
    assert not Allotment(1.0, 1.0).is_enough(0.3, 1000, leads)
    assert not fixed(2.0).for_first_drop(0.5).less(0.25).is_enough(0.375, 1000, leads)
