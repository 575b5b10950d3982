"""Charts and the figures behind them."""

import math
from itertools import pairwise
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalogue import create_game
from interfaces.report import charts
from interfaces.report.axis import axis, whole_step
from interfaces.report.convergence import MAX_STEPS, rating_curves
from interfaces.report.game_section import question_sentence, verdict_sentence
from interfaces.report.reported_event import read_event
from tests.interfaces.report.events import make_ledger
from tournaments.ledger.store import Ledger
from tournaments.ratings.sprt import Hypotheses, SequentialTest
from tournaments.results.sequential import PairTest, Question

SVG = "{http://www.w3.org/2000/svg}"
VALUES = st.floats(-1e6, 1e6)


def parsed(root):
    return ET.fromstring(ET.tostring(root))  # noqa: S314 - our own


@given(one=VALUES, other=VALUES, most=st.integers(3, 9))
@settings(deadline=None)
def test_an_axis_holds_its_values_and_has_few_round_ticks(one, other, most):
    low, high = sorted((one, other))
    if high - low < 1e-6 * max(1, abs(low), abs(high)):
        high = low + 1
    found = axis(low, high, 0, 100, most)
    slack = 1e-6 * (high - low)
    assert found.low - slack <= low
    assert high <= found.high + slack
    assert 2 <= len(found.ticks) <= most
    for a, b in pairwise(found.ticks):
        step = (b - a) / 10 ** math.floor(math.log10(b - a) + 1e-6)
        assert min(abs(step - nice) for nice in (1, 2, 5)) < 1e-3
    assert (found.at(found.low), found.at(found.high)) == (0, 100)


@given(span=st.integers(1, 10_000), most=st.integers(1, 40))
def test_a_whole_step_covers_the_span(span, most):
    step = whole_step(span, most)
    assert step * most >= span
    assert str(step)[0] in "125"
    assert set(str(step)[1:]) <= {"0"}


@given(counts=st.dictionaries(st.integers(0, 400), st.integers(1, 50), min_size=1))
@settings(max_examples=50, deadline=None)
def test_a_histogram_counts_everything_once(counts):
    root = parsed(charts.histogram(counts, "title", ("turns", "games")))
    bars = [bar.findtext(f"{SVG}title") for bar in root.iter(f"{SVG}rect")]
    assert sum(int(bar.rsplit(": ")[1]) for bar in bars) == sum(counts.values())
    assert len(bars) <= charts.MAX_BARS + 1


@given(ends=st.lists(st.floats(26, 216), min_size=1, max_size=charts.SERIES))
def test_names_at_the_ends_of_lines_do_not_touch(ends):
    series = [charts.Series(str(number), [(0, 0), (1, end)]) for number, end in enumerate(ends)]
    root = parsed(charts.lines(series, "title", ("games", "Elo")))
    heights = sorted(float(t.get("y")) for t in root.iter(f"{SVG}text") if t.get("class") == "name")
    assert all(b - a >= charts.TEXT for a, b in pairwise(heights))


@pytest.mark.parametrize("value", [0.0, 5000.0, -5000.0])
def test_everything_is_drawn_within_the_chart(value):
    root = charts.intervals([charts.Interval("x" * 99, value, 700), charts.Interval("y", 0, 1)], "")
    for line in root.iter("line"):
        assert 0 <= float(line.get("x1")) <= float(line.get("x2")) <= charts.WIDTH


@pytest.fixture(scope="module")
def event(tmp_path_factory):
    path = tmp_path_factory.mktemp("figures") / "event.sqlite"
    games = [create_game("odd", 2), create_game("xodd", 2)]
    make_ledger(path, ["one", "two", "three"], games=games, rounds=8)
    with Ledger(path, read_only=True) as ledger:
        return read_event(ledger, 5)


def test_ratings_end_where_the_table_is(event):
    summary = event.event.summaries()[0]
    played = [game for game in event.event.played if game.scheduled.game == summary.game]
    for name, curve in rating_curves(summary.order, played).items():
        assert len(curve) <= MAX_STEPS
        games, elo = curve[-1]
        assert games == len(played)
        assert elo == pytest.approx(summary.strength.elo(name), abs=1e-6)


def test_a_verdict_says_which_pairs_count():
    hypotheses = Hypotheses(0, 50)

    def after(*pairs, waiting=0):
        test = SequentialTest(hypotheses)
        for points in pairs:
            test.add(points)
        question, later = Question(hypotheses), test.not_counted + waiting
        return PairTest("one", "two", question, test.counts, test.state, test.ratios, later)

    assert question_sentence(after()) == "Is one 50 (H1) or 0 (H0) logistic Elo above two?"
    assert verdict_sentence(after(2)) == "No verdict with LLR 0.13 after 1 pair."
    assert verdict_sentence(after(2, waiting=1)) == (
        "No verdict with LLR 0.13 after 1 pair. 1 later pair waits for one that is not finished."
    )
    assert verdict_sentence(after(*[2] * 23)) == "H1 is accepted with LLR 3.07 after 23 pairs."
    assert verdict_sentence(after(*[2] * 23, *[0] * 57)) == (
        "H1 is accepted with LLR 3.07 after 23 pairs. 57 later pairs are not counted."
    )


def test_statistics_leave_the_opening_out(event, tmp_path):
    path = tmp_path / "one.sqlite"
    records = make_ledger(path, ["a", "b"], games=[create_game("odd", 2)], seed=Random(3).random())
    with Ledger(path, read_only=True) as ledger:
        (summary,) = read_event(ledger, 0).event.summaries()
    for name, statistics in summary.statistics_by_name.items():
        own = [
            played.seconds
            for record in records
            for number, played in enumerate(record.turns)
            if number >= record.opening and record.players[number % 2] == name
        ]
        assert statistics.turns == len(own)
        assert math.isclose(statistics.seconds, sum(own), abs_tol=1e-4)
        assert statistics.slowest == pytest.approx(max(own), abs=1e-6)
        assert statistics.games == len(records)
