"""Error bars: against published values, and against what they promise."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.study.complexity import chao
from oddly.study.document import Column, cell_text
from oddly.study.estimates import (
    Estimate,
    IntervalMethod,
    bootstrap,
    exactly,
    mean_or_none,
    means_by_turn,
    ratio_of_sums,
    share,
    student_975,
    transformed,
)


@pytest.mark.parametrize(
    ("freedom", "point"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)],
)
def test_students_t_is_that_of_the_tables(freedom, point):
    assert student_975(freedom) == pytest.approx(point, rel=0.003)


def test_wilsons_interval_is_the_published_one():
    """Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 and 15 of 148."""
    for points, trials, ends in ((81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605))):
        figure = share(points, trials)
        assert (figure.low, figure.high) == pytest.approx(ends, abs=5e-5)


@given(st.integers(1, 200), st.data())
def test_a_share_lies_in_its_interval(trials, data):
    points = data.draw(st.integers(0, 2 * trials)) / 2
    figure = share(points, trials)
    assert 0 <= figure.low <= figure.value <= figure.high <= 1
    mirrored = share(trials - points, trials)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((figure.low, figure.high))


def test_nothing_has_no_figure_and_one_value_no_interval():
    assert share(0, 0) is mean_or_none([]) is bootstrap([], ratio_of_sums) is None
    assert (mean_or_none([3.0]).value, mean_or_none([3.0]).low) == (3.0, None)
    half = Estimate(0.5, None, None, IntervalMethod.BOOTSTRAP, 1)
    assert bootstrap([(1, 2)], ratio_of_sums) == half


def test_students_intervals_hold_95_percent():
    random = Random(1)
    found = [mean_or_none([random.gauss(50, 2) for _ in range(6)]) for _ in range(2000)]
    held = sum(figure.low <= 50 <= figure.high for figure in found)
    assert held / 2000 == pytest.approx(0.95, abs=0.02)


def test_bootstrap_intervals_of_many_games_are_nearly_those_of_the_mean():
    random = Random(2)
    pairs = [(random.gauss(10, 3), 1.0) for _ in range(400)]
    drawn, known = bootstrap(pairs, ratio_of_sums), mean_or_none([above for above, _ in pairs])
    assert (drawn.low, drawn.high) == pytest.approx((known.low, known.high), abs=0.06)


def test_a_rising_function_takes_the_interval_along():
    one, squared = (Estimate(*ends, IntervalMethod.CHAO, 9) for ends in ((2, 1, 3), (4, 1, 9)))
    assert transformed(one, lambda x: x * x) == squared
    assert transformed(Estimate(2, None, None, IntervalMethod.CHAO, 1), abs).low is None
    assert transformed(None, abs) is None


def test_means_by_turn_leave_out_turns_of_one_game():
    found = means_by_turn([[1.0, 2.0, 3.0], [3.0, 4.0]])
    assert [(turn, figure.value) for turn, figure in found] == [(1.0, 2.0), (2.0, 3.0)]


def test_chao_finds_about_as_many_kinds_as_there_are():
    """Each of 200 kinds is as likely as any other, so that the bound is nearly reached."""
    random = Random(3)
    counts = [0] * 200
    for _ in range(30):
        for kind in random.sample(range(200), 10):
            counts[kind] += 1
    figure = chao([count for count in counts if count], 30)
    assert figure.low <= 200 <= figure.high
    assert figure.value == pytest.approx(200, abs=25)
    assert chao([2, 3, 2], 3).value == 3


def estimate(value, low, high, method=IntervalMethod.STUDENT):
    return Estimate(value, low, high, method, 9)


@pytest.mark.parametrize(
    ("cell", "column", "text"),
    [
        (None, Column(""), "-"),
        ("rave 30", Column(""), "rave 30"),
        (57460, Column(""), "57,460"),
        (exactly(80.6355), Column("", digits=2), "80.64"),
        (estimate(173.21, 172.81, 173.61), Column(""), "173.21 ± 0.40"),
        (
            estimate(0.5, 0.15, 0.85, IntervalMethod.WILSON),
            Column("", is_share=True),
            "50.0 % [15.0, 85.0]",
        ),
        (
            estimate(9120.4, 9000.1, 9330.8, IntervalMethod.BOOTSTRAP),
            Column(""),
            "9,120 [9,000, 9,331]",
        ),
        (estimate(3.0, None, None), Column(""), "too few"),
        (estimate(7 / 3, 2.333333333333333, 7 / 3), Column(""), "2.3 (all alike)"),
        (
            estimate(0.1 + 0.2, 0.3, 0.1 + 0.2, IntervalMethod.BOOTSTRAP),
            Column("", is_share=True),
            "30.0 % (all alike)",
        ),
        (estimate(0.0, -1e-17, 1e-17), Column(""), "0.0 (all alike)"),
        (estimate(0.3, 0.2999, 0.3001), Column(""), "0.3000 ± 0.0001"),
    ],
)
def test_figures_are_written_with_their_intervals(cell, column, text):
    assert cell_text(cell, column) == text
