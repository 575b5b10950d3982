"""Reading turns, vertices, colours and clocks: the hot path and the grammar are one language.

Our vertices go to the grids of GoGui and SGF and back, on every board there is.
"""

import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.board import hexhex_board, square_board
from oddly.games.turns import PASS, SWAP, Colour, Drop, Drops, Move
from oddly.protocol import codec, grammar, notation
from oddly.protocol import messages as canonical
from oddly.protocol.messages import RESIGN, Command, MalformedCommand, NotationError
from oddly.protocol.notation import (
    gogui_vertex,
    grid_point,
    grid_width,
    gtp_time_control,
    parse_answer,
    parse_colour,
    parse_time_control,
    parse_turn,
    parse_vertex,
    read_gogui_vertex,
    read_sgf_point,
    sgf_point,
    vertex_at,
)

NEAR_TURNS = st.one_of(
    st.text("BWbwk51,- 0", max_size=12),
    st.lists(
        st.sampled_from(["Bk5", "We13", "k5", "-", ",", " ", "pass", "swap", "resign", "B", "9"]),
        max_size=6,
    ).map("".join),
    st.text(max_size=12),
)
# Letters that become ASCII ones when their case is changed.
LOOKALIKES = "\u00df\u017f\u212a\u0131\u0130\ufb06"
NEAR_WORDS = st.text("PASpaswWRGINrginblackBLCKite" + LOOKALIKES, max_size=7)
NEAR_CLOCKS = st.one_of(st.text("0123.+/x", max_size=10), st.just("none"), st.text(max_size=6))
NEAR_LINES = st.one_of(
    st.text("01 9abZ_-\u00e9\u00a0", min_size=1, max_size=14), st.text(min_size=1, max_size=14)
)


def refusal(read, text) -> NotationError | None:
    try:
        read(text)
    except NotationError as error:
        return error
    return None


def outcome(read, text):
    """The value read, or the place and the expectation of the refusal."""
    try:
        return read(text)
    except NotationError as error:
        return error.column, error.expected


@given(NEAR_TURNS | NEAR_WORDS)
@settings(deadline=None)
def test_turns_are_the_same_with_and_without_the_hot_path(text):
    expected = outcome(grammar.read_answer, text)
    if " " in text and refusal(grammar.read_answer, text) is None:
        expected = text.index(" "), "one word without spaces"
    assert outcome(parse_answer, text) == expected


@given(NEAR_TURNS)
@settings(deadline=None)
def test_vertices_are_the_same_with_and_without_the_hot_path(text):
    assert outcome(parse_vertex, text) == outcome(grammar.read_vertex, text)


@pytest.mark.parametrize(("text", "vertex"), [("k5", "k5"), ("K5", "k5"), ("Z99", "z99")])
def test_a_vertex_is_read_in_any_case(text, vertex):
    assert parse_vertex(text) == vertex
    assert grammar.read_vertex(text) == vertex


@given(NEAR_CLOCKS)
@settings(deadline=None)
def test_the_grammar_refuses_a_clock_exactly_if_the_hot_path_does_not_know_it(text):
    known = text == "none" or canonical.TIME_CONTROL.fullmatch(text) is not None
    refusal = outcome(grammar.reject_time_control, text)
    by_the_grammar = refusal[1] != "a time control"
    assert by_the_grammar != known


@given(NEAR_LINES)
@settings(deadline=None)
def test_command_lines_are_the_same_with_and_without_the_hot_path(text):
    line = text.encode("utf-8", "surrogatepass").translate(codec.TABS, codec.CONTROLS)
    if b"\n" in line:
        return
    got = codec._read_line(line)
    stripped = line.partition(b"#")[0].decode("utf-8", "backslashreplace").strip(" ")
    if not stripped:
        assert got is None
        return
    try:
        assert got == grammar.read_command(stripped)
    except NotationError:
        assert isinstance(got, MalformedCommand)


VERTICES = st.tuples(st.sampled_from("abcdefghijklmnopqrs"), st.integers(1, 25)).map(
    lambda pair: f"{pair[0]}{pair[1]}"
)
DROPS = st.builds(Drop, st.sampled_from(Colour), VERTICES)
TURNS = st.one_of(
    st.just(PASS),
    st.just(SWAP),
    st.builds(Move, VERTICES, VERTICES),
    st.lists(DROPS, min_size=1, max_size=4).map(lambda drops: Drops(tuple(drops))),
)


@given(TURNS, st.randoms())
@settings(deadline=None)
def test_a_turn_is_read_in_any_case_and_any_order(turn, shuffler):
    assert parse_turn(str(turn)) == turn
    text = str(turn)
    if isinstance(turn, Drops):
        words = text.split(",")
        shuffler.shuffle(words)
        text = " , ".join(words)
    mixed = "".join(shuffler.choice((c.lower(), c.upper())) for c in text)
    assert parse_turn(mixed) == turn


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 0, "a turn or resign"),
        ("B", 1, "a row number from 1 to 99"),
        ("Bk", 2, "a row number from 1 to 99"),
        ("Bk0", 2, "a row number from 1 to 99"),
        ("Bk5,", 4, "a stone's colour, B or W"),
        ("Bk5,Xe1", 4, "a stone's colour, B or W"),
        ("Bk5 We1", 3, "the end of the turn"),
        ("Bk100", 4, "the end of the turn"),
        ("d4-", 3, "a column letter"),
        ("d4-d", 4, "a row number from 1 to 99"),
        ("d4-d5-d6", 5, "the end of the turn"),
        ("passport", 4, "the end of the turn"),
        ("k5,e1", 2, "a hyphen"),
    ],
)
def test_a_malformed_turn_points_at_the_character(text, column, expected):
    with pytest.raises(NotationError) as caught:
        parse_turn(text)
    assert (caught.value.column, caught.value.expected) == (column, expected)
    if text:
        assert caught.value.pointed() == f"  {text}\n  {' ' * column}^"
    assert str(caught.value) == (
        f"malformed turn {text!r}: expected {expected} at character {column + 1}"
    )


@pytest.mark.parametrize(
    ("text", "column", "shown", "columns"),
    [
        ("Bk5\x1b[2J", 3, "Bk5?[2J", 3),
        ("Bk5\nWe1", 4, "Bk5?We1", 4),
        ("\u65e5\u672cBk", 2, "\u65e5\u672cBk", 4),
        ("e\u0301Bk", 2, "e\u0301Bk", 1),
        ("\u304b\u3099Bk", 2, "\u304b\u3099Bk", 2),
        ("x" * 99, 90, "x" * 80, 80),
    ],
)
def test_the_caret_stands_below_the_character_whatever_a_terminal_makes_of_the_text(
    text, column, shown, columns
):
    error = NotationError("turn", text, column, "a turn")
    assert error.pointed() == f"  {shown}\n  {' ' * columns}^"


def test_a_blank_text_has_no_caret():
    for text in ("", " ", "\t\n"):
        assert NotationError("turn", text, 0, "a turn").pointed() == ""


def test_a_refusal_quotes_eighty_characters():
    for length in (79, 80, 81, 500):
        error = NotationError("turn", "x" * length, 0, "a turn")
        assert str(error).count("x") - str(error).count("expected") == min(length, 80)


@pytest.mark.parametrize("text", ["Bd2 , Bc4", "Bd2, Bc4", "Bd2 ,Bc4"])
def test_an_answer_is_one_word(text):
    with pytest.raises(NotationError, match="expected one word without spaces"):
        parse_answer(text)
    assert str(parse_turn(text)) == "Bd2,Bc4"


def test_resign_is_an_answer_but_no_turn():
    assert parse_answer("Resign") is RESIGN
    with pytest.raises(NotationError, match="only an answer to genmove"):
        parse_turn("resign")


def test_a_text_without_end_is_refused_without_being_read_to_its_end():
    for text in ("Bk5," * 10**5, "x" * 10**6, "Bk5," * 60 + "Bk5"):
        with pytest.raises(NotationError) as caught:
            parse_turn(text)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["b", "B", "black", "BLACK"])
def test_black_in_any_form(text):
    assert parse_colour(text) is Colour.BLACK


@pytest.mark.parametrize("text", ["pa\u00df", "pa\u017fs", "\u017fwap", "re\u017fign", "pass\n"])
def test_letters_of_other_alphabets_make_no_word_of_ours(text):
    with pytest.raises(NotationError):
        parse_answer(text)


@given(NEAR_WORDS | st.text(max_size=6))
@settings(deadline=None)
def test_a_colour_is_one_of_four_words_in_ascii(text):
    words = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}
    ascii_lower = "".join(c.lower() if c.isascii() else c for c in text)
    expected = words.get(ascii_lower, (0, "b, w, black or white"))
    assert outcome(parse_colour, text) == expected


@given(NEAR_TURNS | NEAR_WORDS | NEAR_CLOCKS | st.text(max_size=300))
@settings(deadline=None)
def test_every_refusal_points_into_the_text_or_at_its_end(text):
    for read in (parse_turn, parse_answer, parse_vertex, parse_colour, parse_time_control):
        error = refusal(read, text)
        if error is None:
            continue
        assert 0 <= error.column <= len(text)
        assert error.text == text
        assert error.expected
        assert "\n" not in str(error)
        assert error.pointed().endswith("^") == bool(text.strip())
        assert error.pointed().replace("\n", "").isprintable()


def test_a_refusal_is_copied_with_its_notes():
    error = refusal(parse_time_control, "5x")
    error.add_note("in the third file")
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - we made it
    assert (str(copied), vars(copied)) == (str(error), vars(error))


@pytest.mark.parametrize("spec", ["5", "0.5", "300+0", "300+2.5", "600+20/300", "0+5x30", "none"])
def test_a_time_control_is_written_as_it_is_read(spec):
    assert str(parse_time_control(spec)) == spec


MILLISECONDS = st.integers(1, 9_999_999_999).map(lambda number: f"{number / 1000:.3f}")
COUNTS = st.integers(1, 9999)
SPECS = st.one_of(
    MILLISECONDS,
    st.builds("{}+{}".format, MILLISECONDS, MILLISECONDS),
    st.builds("{}+{}/{}".format, MILLISECONDS, COUNTS, MILLISECONDS),
    st.builds("{}+{}x{}".format, MILLISECONDS, COUNTS, MILLISECONDS),
)


@given(SPECS)
@settings(deadline=None)
def test_a_time_control_survives_being_written(spec):
    control = parse_time_control(spec)
    assert parse_time_control(str(control)) == control
    assert len(str(control)) <= len(spec)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("0", "more than 0 seconds at character 1"),
        ("0+5", "more than 0 seconds at character 1"),
        ("5+", "seconds, turns/seconds or periods x seconds"),
        ("5+3/", "seconds, as in 5 or 0.5 at character 5"),
        ("5+0/3", "1 turn or period or more at character 3"),
        ("5+1x0", "more than 0 seconds at character 5"),
        ("-5", "at character 1"),
        ("5s", "the end of the time control at character 2"),
        ("", "at character 1"),
    ],
)
def test_a_time_control_that_cannot_be_is_refused(spec, expected):
    with pytest.raises(NotationError) as caught:
        parse_time_control(spec)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("40/60", "did you mean '0+40/60'?"),
        ("5x30", "did you mean '0+5x30'?"),
        ("5s", "did you mean '5'?"),
        ("300 + 2,5", "did you mean '300+2.5'?"),
        ("600+5X30", "did you mean '600+5x30'?"),
        ("NONE", "did you mean 'none'?"),
        ("non", "did you mean 'none'?"),
        ("5:00", "a time control is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"),
        ("0/60", "is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"),
        ("5+", "5x30 at character 3"),
        ("+5", "is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"),
        ("5+5+5", "is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"),
        ("0", "is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"),
        ("5" * 300, "is written as 5, 300+2.5, 600+20/300, 600+5x30 or none"),
    ],
)
def test_a_refused_time_control_names_the_nearest_or_all_forms(spec, hint):
    error = refusal(parse_time_control, spec)
    assert str(error).endswith(hint)


def test_gtps_time_settings_have_their_meaning():
    assert str(gtp_time_control(300, 0, 0)) == "300+0"
    assert str(gtp_time_control(300, 30, 5)) == "300+5/30"
    assert str(gtp_time_control(0, 10, 1)) == "0+1/10"
    assert str(gtp_time_control(300, 30, 0)) == "none"
    assert str(gtp_time_control(0, 0, 0)) == "none"


def test_commands_in_canonical_form_never_need_the_grammar(monkeypatch):
    def refuse(text):
        raise AssertionError(text)

    monkeypatch.setattr(grammar, "read_command", refuse)
    monkeypatch.setattr(grammar, "read_answer", refuse)
    chooser = random.Random(1)
    for number in range(200):
        turn = f"B{chooser.choice('abc')}{chooser.randrange(1, 20)}"
        assert codec._read_line(f"{number} play b {turn}".encode()) == Command(
            "play", ("b", turn), number
        )
        assert str(parse_turn(turn)) == turn
    assert notation.parse_answer("pass") is PASS


BOARDS = [*map(square_board, range(2, 20)), *map(hexhex_board, range(2, 14))]
each_board = pytest.mark.parametrize("board", BOARDS, ids=str)

HEXHEX_STEPS = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)]
SQUARE_STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1)]


@each_board
def test_every_vertex_comes_back(board):
    for vertex in board.vertices:
        assert vertex_at(board, *grid_point(board, vertex)) == vertex
        assert read_gogui_vertex(board, gogui_vertex(board, vertex)) == vertex
        assert read_gogui_vertex(board, gogui_vertex(board, vertex).lower()) == vertex
        assert read_sgf_point(board, sgf_point(board, vertex)) == vertex


@each_board
def test_the_board_is_the_one_that_gogui_draws(board):
    axis = range(-1, grid_width(board) + 3)
    inside = range(1, grid_width(board) + 1)
    drawn = {
        (x, y) for x in inside for y in inside if board.shape == "square" or abs(x - y) < board.size
    }
    assert {(x, y) for x in axis for y in axis if vertex_at(board, x, y)} == drawn
    steps = HEXHEX_STEPS if board.shape == "hexhex" else SQUARE_STEPS
    for index, vertex in enumerate(board.vertices):
        x, y = grid_point(board, vertex)
        neighbours = {grid_point(board, board.vertices[n]) for n in board.neighbours[index]}
        assert neighbours == {(x + dx, y + dy) for dx, dy in steps} & drawn


@pytest.mark.parametrize(
    ("board", "vertex", "gogui", "sgf"),
    [
        (hexhex_board(8), "h8", "H8", "hh"),
        (hexhex_board(8), "a8", "A8", "ah"),
        (hexhex_board(8), "a15", "A1", "ao"),
        (hexhex_board(8), "o1", "P15", "oa"),
        (hexhex_board(8), "i3", "J13", "ic"),
        (square_board(19), "a1", "A1", "as"),
        (square_board(19), "i19", "J19", "ia"),
    ],
)
def test_what_vertices_are_called(board, vertex, gogui, sgf):
    assert gogui_vertex(board, vertex) == gogui
    assert sgf_point(board, vertex) == sgf


@pytest.mark.parametrize(
    "text", ["", "K", "I5", "A16", "A0", "P1", "5K", "K\u0665", "K5 ", "K" * 99]
)
def test_what_is_no_vertex_of_gogui(text):
    with pytest.raises(NotationError, match=r"as GoGui names it"):
        read_gogui_vertex(hexhex_board(8), text)


@pytest.mark.parametrize("text", ["", "h", "hhh", "HH", "h8", "aa", "tt", "\u00e9a", "zz"])
def test_what_is_no_point_of_sgf(text):
    with pytest.raises(NotationError, match="two letters"):
        read_sgf_point(hexhex_board(8), text)
