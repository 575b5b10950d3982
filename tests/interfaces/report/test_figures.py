"""Charts and the figures behind them."""

import math
from collections import Counter
from itertools import pairwise
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalogue import create_game
from interfaces.report import charts
from interfaces.report.axis import axis, whole_step
from interfaces.report.chapter import chapters
from interfaces.report.convergence import MAX_STEPS, courses_of_ratings
from interfaces.report.event import read_event
from interfaces.report.sequential import USUAL, Test
from interfaces.report.sequential import test_of as sequential_test_of
from tests.interfaces.report.events import make_ledger
from tournaments.ledger.store import Ledger
from tournaments.ratings.bradley_terry import rate
from tournaments.ratings.pairs import PairCounts
from tournaments.ratings.results import collect
from tournaments.ratings.sprt import Hypotheses, pair_ratio
from tournaments.results.strength import row_of

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


def test_a_chapter_has_the_ratings_of_its_own_games(event):
    told = chapters(event.engines, event.played)
    assert [str(chapter.game) for chapter in told] == [
        "odd 2 (board hexhex, min_group 5)",
        "xodd 2",
    ]
    for chapter in told:
        own = [g for g in event.played if g.scheduled.game == chapter.game]
        expected = rate(collect(map(row_of, own)))
        for number, name in enumerate(expected.names):
            assert chapter.ratings[name].elo == pytest.approx(expected.elo[number], abs=1e-6)
        assert chapter.order == sorted(chapter.order, key=lambda n: -chapter.ratings[n].elo)
        assert chapter.first_score == sum(game.points[0] for game in own) / len(own)
        assert chapter.lengths == Counter(game.outcome.turns for game in own)
        for name, (first, _) in chapter.seats.items():
            points = [game.points[0] for game in own if game.scheduled.first == name]
            assert first == sum(points) / len(points)


def test_ratings_end_where_the_table_is(event):
    chapter = chapters(event.engines, event.played)[0]
    courses = courses_of_ratings(chapter.order, chapter.played)
    for name, course in courses.items():
        assert len(course) <= MAX_STEPS
        games, elo = course[-1]
        assert games == len(chapter.played)
        assert elo == pytest.approx(chapter.ratings[name].elo, abs=1e-6)


def test_a_sequential_test_goes_by_pairs(event):
    chapter = chapters(event.engines, event.played)[1]
    hypotheses = Hypotheses(0, 50)
    course = Test("one", "two", hypotheses).course(chapter.played)
    assert [pairs for pairs, _ in course] == list(range(1, len(course) + 1))
    by_opening = {}
    for game in chapter.played:
        seats = game.scheduled.first, game.scheduled.second
        if set(seats) == {"one", "two"}:
            legs = by_opening.setdefault(game.scheduled.opening, ([], []))
            legs[seats.index("one")].append(game.points[seats.index("one")])
    counts = PairCounts()
    for first, second in by_opening.values():
        for points in map(sum, zip(first, second, strict=False)):
            counts = counts.plus(points)
    assert len(course) == counts.pairs > 2
    assert course[-1][1] == pytest.approx(pair_ratio(counts, hypotheses))


def test_the_first_crossing_of_a_bound_is_the_verdict():
    test = Test("one", "two", Hypotheses(0, 50))
    assert test.question() == "Is one 50 (H1) or 0 (H0) logistic Elo above two?"
    assert test.verdict([(1, 0.5), (2, 2.95), (3, -9.0)]) == "H1 is accepted after 2 pairs."
    assert test.verdict([(1, -2.95)]) == "H0 is accepted after 1 pair."
    assert test.verdict([(1, 1.0), (2, 2.9)]) == "No verdict after 2 pairs."


def test_an_event_says_what_it_tests():
    told = {"elo0": -10, "elo1": 10, "alpha": 0.01, "beta": 0.1, "scale": "bradley-terry"}
    test = sequential_test_of(["one", "two"], told)
    assert test == Test("one", "two", Hypotheses(-10, 10, 0.01, 0.1), "bradley-terry")
    usual = Test("one", "two", USUAL)
    for others in ({}, {**told, "elo0": 99}, {**told, "scale": "?"}, {**told, "beta": "b"}):
        assert sequential_test_of(["one", "two"], others) == usual
    assert sequential_test_of(["one", "two", "three"], told) is None


def test_conduct_leaves_the_opening_out(event, tmp_path):
    path = tmp_path / "one.sqlite"
    records = make_ledger(path, ["a", "b"], games=[create_game("odd", 2)], seed=Random(3).random())
    with Ledger(path, read_only=True) as ledger:
        statistics_by_name = read_event(ledger, 0).statistics_by_name
    for name, statistics in statistics_by_name.items():
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
