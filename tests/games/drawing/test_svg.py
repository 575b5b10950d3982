"""Pictures: every stone where it lies, strangers' text as text, and PNG."""

from random import Random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import GAMES, create_game
from oddly.games.colour import EMPTY, Colour
from oddly.games.drawing.picture import Heat, Picture, picture_of, trace_of
from oddly.games.drawing.png import NO_FONT, draws_text, lacks_words, png
from oddly.games.drawing.svg import CIVIDIS, FONT, ink_on, on_scale, svg
from oddly.games.legal_turns import random_turn
from tests.games.lockstep import turn_from_text
from tests.games.positions import played

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
