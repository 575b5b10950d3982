"""Charts: what is drawn where."""

import math
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.drawing import charts
from oddly.games.drawing.charts import axis, whole_step

SVG = "{http://www.w3.org/2000/svg}"
VALUES = st.floats(-1e6, 1e6)


def parsed(root):
    return ET.fromstring(ET.tostring(root))  # noqa: S314 - our own


@given(one=VALUES, other=VALUES, most=st.integers(3, 9))
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
@settings(max_examples=50)
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


def test_bands_lie_around_their_lines_within_the_chart():
    points = [(1.0, 2.0, 1.0, 4.0), (2.0, 3.0, 3.0, 3.0), (40.0, 0.0, 0.0, 1.0)]
    root = charts.bands([charts.Band("<black>", points), charts.Band("white", [])], "t", "turn")
    (line,) = (each for each in root.iter("polyline") if each.get("class") == "line-0")
    (band,) = (each for each in root.iter("polygon") if each.get("class") == "band-0")
    middle = [tuple(map(float, place.split(","))) for place in line.get("points").split()]
    around = [tuple(map(float, place.split(","))) for place in band.get("points").split()]
    high, low = around[:3], around[:2:-1]
    width, height = charts.BANDS_SIZE
    for (x, y), (left, top), (right, bottom) in zip(middle, high, low, strict=True):
        assert x == left == right
        assert 0 <= top <= y <= bottom <= height
        assert charts.LEFT <= x <= width
    assert "&lt;black&gt;" in charts.file_of(root)


def test_a_chart_of_shares_goes_up_to_all_and_bears_a_single_turn():
    root = charts.bands([charts.Band("one", [(1.0, 0.5, 0.2, 0.9)])], "t", "turn", is_share=True)
    texts = [each.text for each in root.iter("text")]
    assert texts[:5] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
