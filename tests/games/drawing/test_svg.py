"""Pictures and charts: every stone where it lies, strangers' text as text, and PNG."""

import math
from itertools import pairwise
from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import GAMES, create_game
from oddly.games.drawing import charts
from oddly.games.drawing.charts import axis, whole_step
from oddly.games.drawing.picture import Heat, Picture, picture_of, trace_of
from oddly.games.drawing.png import NO_FONT, draws_text, lacks_words, png
from oddly.games.drawing.svg import CIVIDIS, FONT, ink_on, on_scale, svg
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from oddly.games.turns import EMPTY, Colour
from tests.games.lockstep import turn_from_text
from tests.games.positions import SIZES, played

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>&\"'\x1b[31m\u202e\x00\ud800"


def parsed(picture):
    return ET.fromstring(svg(picture))  # noqa: S314 - our own


def vertices_with(root, kind):
    """The vertices whose group holds a circle of this class."""
    return {
        group.get("data-vertex")
        for group in root.iter(f"{SVG}g")
        for circle in group.iter(f"{SVG}circle")
        if circle.get("class") == kind
    }


@pytest.mark.parametrize("name", GAMES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=6)
def test_a_picture_has_each_stone_on_its_vertex(name, seed):
    random = Random(seed)
    position = create_game(name, 5).start()
    turns = []
    for _ in range(random.randrange(1, 12)):
        if position.is_over:
            break
        turns.append(random_turn(position, random))
        position = position.play(turns[-1])
    root = parsed(picture_of(position, trace_of(turns), numbers=True))
    board = position.game.board
    for kind, stone in (("black", Colour.BLACK), ("white", Colour.WHITE)):
        lying = {board.vertices[i] for i, its in enumerate(position.stones) if its == stone}
        assert vertices_with(root, kind) == lying
    empty = {board.vertices[i] for i, its in enumerate(position.stones) if its == EMPTY}
    assert not vertices_with(root, "mark") & empty
    assert vertices_with(root, "left") <= empty


def test_the_last_turn_is_marked_and_stones_are_numbered():
    turns = ["Bc3", "Wa5,We1", "pass"]
    position = played("yodd", 3, *turns)
    root = parsed(picture_of(position, trace_of(map(turn_from_text, turns[:2])), numbers=True))
    assert vertices_with(root, "mark") == {"a5", "e1"}
    numbers = {
        group.get("data-vertex"): text.text
        for group in root.iter(f"{SVG}g")
        for text in group.iter(f"{SVG}text")
    }
    assert numbers == {"c3": "1", "a5": "2", "e1": "2"}
    assert trace_of(map(turn_from_text, turns)).placed == frozenset()


def test_a_moved_piece_takes_its_number_along_and_leaves_a_dot():
    trace = trace_of(map(turn_from_text, ["b1-c1", "a2-a1", "c1-c2"]))
    assert trace.numbers == {"a1": 2, "c2": 3}
    assert trace.left == {"c1"}


def test_a_position_is_no_picture():
    """The bug: a bare AttributeError."""
    with pytest.raises(TypeError, match=r"not YoddPosition; try svg\(picture_of\(position\)\)"):
        svg(create_game("yodd", 3).start())


def test_strangers_text_stays_text():
    position = played("xodd", 2, "Ba1")
    picture = picture_of(position, caption=HOSTILE, heat=Heat({"a1": 1.0}, title=HOSTILE))
    root = parsed(picture)
    assert [element.tag for element in root.iter() if "script" in element.tag] == []
    words = "".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))
    assert "<script>alert(1)</script>&" in words
    assert "\\x1b[31m\\u202e\\x00\\ud800" in words


def test_a_heat_map_colours_the_cells_that_have_a_value():
    position = played("odd", 3)
    root = parsed(picture_of(position, heat=Heat({"c3": 0.25, "a4": 0.75, "e2": 0.5}, "value")))
    fills = {
        group.get("data-vertex"): (polygon.get("fill"), group.findtext(f"{SVG}title"))
        for group in root.iter(f"{SVG}g")
        for polygon in group.iter(f"{SVG}polygon")
        if polygon.get("class") == "heat"
    }
    assert fills == {
        "c3": (CIVIDIS[0], "c3: 0.25"),
        "e2": (CIVIDIS[4], "e2: 0.5"),
        "a4": (CIVIDIS[-1], "a4: 0.75"),
    }
    scale = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "scale"]
    assert scale == ["0.25", "0.75", "value"]


def test_equal_values_and_fixed_ends_have_a_place_on_the_scale():
    assert Heat({"a1": 3.0, "b1": 3.0}).share(3.0) == 0.5
    assert Heat({"a1": 3.0}, lowest=0.0, highest=4.0).share(3.0) == 0.75
    assert Heat({"a1": 3.0}, lowest=0.0, highest=2.0).share(3.0) == 1.0


def test_the_scale_grows_lighter_from_end_to_end():
    lightness = [sum(bytes.fromhex(on_scale(step / 50)[1:])) for step in range(51)]
    assert lightness == sorted(lightness)
    assert (ink_on(on_scale(0)), ink_on(on_scale(1))) == ("#ffffff", "#161616")


def test_a_picture_fetches_and_runs_nothing():
    text = svg(picture_of(played("ayu", 5)))
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text


def test_labels_can_be_left_out():
    board = create_game("yodd", 3).board
    with_labels, without = (parsed(Picture(board, coordinates=on)) for on in (True, False))
    assert len(list(with_labels.iter(f"{SVG}text"))) == 10
    assert list(without.iter(f"{SVG}text")) == []
    assert float(with_labels.get("width")) > float(without.get("width"))


def test_png_has_the_width_asked_for():
    pytest.importorskip("resvg_py")
    data = png(picture_of(played("xodd", 4, "Ba1"), coordinates=False), 123)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") == 123


def test_there_is_a_font_exactly_where_the_words_of_a_picture_are_drawn():
    draw = pytest.importorskip("resvg_py").svg_to_bytes
    picture = picture_of(played("xodd", 4, "Ba1"), caption="A word")
    bare = draw(svg_string=svg(picture), skip_system_fonts=True)
    assert draws_text() == (draw(svg_string=svg(picture)) != bare)
    assert not draws_text(system_fonts=False)


def test_the_fonts_that_are_said_to_be_missing_are_those_of_the_pictures():
    named = NO_FONT.removeprefix("neither ").removesuffix(" is installed").split(" nor ")
    assert len(named) == 2
    assert all(name in FONT for name in named)


def test_a_picture_with_words_lacks_them_where_no_font_is_installed(monkeypatch):
    pytest.importorskip("resvg_py")
    with_words = picture_of(played("xodd", 4, "Ba1"))
    without = picture_of(played("xodd", 4, "Ba1"), coordinates=False)
    for there in (True, False):
        monkeypatch.setattr("oddly.games.drawing.png.draws_text", lambda there=there: there)
        assert lacks_words(with_words) is not there
        assert not lacks_words(without)


VALUES = st.floats(-1e6, 1e6)


def parsed_chart(root):
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
    root = parsed_chart(charts.histogram(counts, "title", ("turns", "games")))
    bars = [bar.findtext(f"{SVG}title") for bar in root.iter(f"{SVG}rect")]
    assert sum(int(bar.rsplit(": ")[1]) for bar in bars) == sum(counts.values())
    assert len(bars) <= charts.MAX_BARS + 1


@given(ends=st.lists(st.floats(26, 216), min_size=1, max_size=charts.SERIES))
def test_names_at_the_ends_of_lines_do_not_touch(ends):
    series = [charts.Series(str(number), [(0, 0), (1, end)]) for number, end in enumerate(ends)]
    root = parsed_chart(charts.lines(series, "title", ("games", "Elo")))
    heights = sorted(float(t.get("y")) for t in root.iter(f"{SVG}text") if t.get("class") == "name")
    assert all(b - a >= charts.TEXT for a, b in pairwise(heights))


@pytest.mark.parametrize("value", [0.0, 5000.0, -5000.0])
def test_everything_is_drawn_within_the_chart(value):
    root = charts.intervals([charts.Interval("x" * 99, value, 700), charts.Interval("y", 0, 1)], "")
    for line in root.iter("line"):
        assert 0 <= float(line.get("x1")) <= float(line.get("x2")) <= charts.WIDTH


@pytest.mark.parametrize(
    "points",
    [
        [(1.0, 2.0, 1.0, 4.0), (2.0, 3.0, 3.0, 3.0), (40.0, 0.0, 0.0, 1.0)],
        [(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0)],
        [(1.0, 0.0, -90.0, 90.0), (2.0, -60.0, -160.0, 40.0), (3.0, -500.0, -620.0, -380.0)],
        [(1.0, -200.0, -300.0, -100.0), (2.0, -9.5, -10.0, -9.0), (3.0, -8.0, -8.0, -8.0)],
    ],
)
def test_bands_lie_around_their_lines_within_the_chart(points):
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


@pytest.mark.parametrize("name", GAMES)
def test_a_notebook_shows_a_position_and_whose_turn_it_is(name):
    position = create_game(name, SIZES[name]).start()
    random = Random(1)
    while not position.is_over:
        shown = position._repr_svg_()
        root = ET.fromstring(shown)  # noqa: S314 - our own
        assert vertices_with(root, "black") == set(position.vertices_with(Colour.BLACK))
        assert f"{position.game.title}: {position.to_move} to move" in shown
        position = position.play_action(random.choice(position.legal_actions()))
        if isinstance(position, DropPosition):
            root = ET.fromstring(position._repr_svg_())  # noqa: S314 - our own
            assert len(vertices_with(root, "black") | vertices_with(root, "white")) == sum(
                stone != EMPTY for stone in position.stones
            )
            position = position.play_action(random.choice(position.legal_actions()))
    assert f"{position.game.title}: {position.result}" in position._repr_svg_()
