"""Diagrams: what is drawn is read back as the same position, and what is no diagram is refused."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.diagram import draw, read
from oddly.games.drop_level import DropPosition
from oddly.games.turns import Colour, DiagramError, Drop
from tests.games.positions import place, played, walked

BOARDS = [
    *(("yodd", size, {}) for size in (2, 5, 13)),
    *(("xodd", size, {}) for size in (2, 12, 19)),
    *(("odd", 3, {}), ("odd", 10, {"board": "square", "min_group": 3})),
    *(("ayu", 3, {}), ("ayu", 5, {"pie": True}), ("ayu", 11, {})),
]


HEXHEX = """
    O . .  5
   . . . .  4
  . . X . .  3
 a . . . .  2
  b . . X  1
   c d e
White (O) to move
Groups: 2 black + 1 white = 3
"""

SQUARE = """
 4 . . . X
 3 . . . .
 2 . O . .
 1 X O . .
   a b c d
Black (X) to move
Groups: 2 black + 1 white = 3
"""


@pytest.mark.parametrize(("name", "size", "options"), BOARDS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_what_is_drawn_is_read_back_as_the_same_position(name, size, options, seed):
    random, game = Random(seed), create_game(name, size, options)
    position = walked(game, random, random.randrange(12))
    text = draw(position)
    back = read(game, text)
    assert back.key == position.key
    assert back.group_counts == position.group_counts
    if str(position.result) != "0":
        assert draw(back) == text


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_a_diagram_may_be_indented_and_may_lack_labels_and_all_below_the_board(seed):
    random = Random(seed)
    position = walked(create_game("yodd", 4), random, 2 * random.randrange(4))
    if position.is_over or position.status.passes:
        return
    bare = "\n".join(
        " ".join(symbol for symbol in line if symbol in "XO.")
        for line in draw(position).splitlines()[:7]
    )
    assert read(position.game, bare).stones == position.stones
    assert read(position.game, "\n\n" + bare.replace("\n", "\n      ")).key == (
        position.key if position.to_move is Colour.BLACK else read(position.game, bare).key
    )


def test_a_diagram_shows_the_notation():
    position = place("yodd", 3, black="c3 e1", white="a5", to_move=Colour.WHITE)
    assert draw(position) == HEXHEX.strip("\n")
    position = place("xodd", 4, black="a1 d4", white="b1 b2")
    assert draw(position) == SQUARE.strip("\n")


def test_inside_a_turn_the_board_on_which_it_began_is_drawn_with_its_drops():
    start = played("yodd", 3, "Bc3")
    assert draw(DropPosition(start)) == draw(start)
    inside = DropPosition(start).act(Drop(Colour.WHITE, "d4"))
    assert draw(inside) == f"{draw(start)}\nThis turn: Wd4"


@pytest.mark.parametrize(
    ("position", "line"),
    [
        (played("xodd", 2, "Ba1", "pass"), "Black (X) to move, 1 pass"),
        (played("xodd", 2, "Ba1", "pass", "pass"), "White (O) to move, 2 passes"),
        (played("ayu", 5, "b1-c1", pie=True), "White (O) to move, swap open"),
        (played("xodd", 2, "Ba1", "pass", "pass"), "Result: W+1"),
    ],
)
def test_passes_in_a_row_an_open_swap_and_the_result_are_shown(position, line):
    assert line in draw(position).splitlines()
    assert read(position.game, draw(position)).key == position.key


GOOD = ["2 . X", "1 . .", "  a b", "White (O) to move"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({0: "2 . x"}, "line 1: .*'2 . x'"),
        ({1: "1 . . ."}, "line 2: rank 1 has 2 vertices, not 3"),
        ({1: "1 ."}, "line 2: rank 1 has 2 vertices, not 1"),
        ({1: "2 . ."}, "line 2: rank 2 where rank 1 was expected"),
        ({2: "1 . ."}, "line 3: .*row too many"),
        ({3: "White to move"}, "line 4: 'White to move'"),
        ({3: "Red (R) to move"}, "line 4: 'Red"),
        ({3: "white to move"}, "line 4: 'white to move'"),
        ({3: "White (O) to move, 3 passes"}, "line 4"),
        ({0: "9" * 5_000 + " . X"}, "line 1: .* is longer than 200 characters"),
        ({0: f".{' ' * 100_000}x"}, "line 1: .* is longer than 200 characters"),
        ({0: "9" * 100 + " . X"}, "line 1: .* is neither a row"),
        ({0: "٢ . X"}, "line 1: .* is neither a row"),
        ({1: "", 2: "", 3: ""}, "ends before rank 1"),
        ({0: "", 1: "", 2: "", 3: ""}, "ends before rank 2"),
    ],
)
def test_a_malformed_diagram_is_refused_with_the_line(changes, message):
    lines = [changes.get(number, line) for number, line in enumerate(GOOD)]
    game = create_game("xodd", 2)
    assert read(game, "\n".join(GOOD)).to_move is Colour.WHITE
    with pytest.raises(DiagramError, match=message) as refusal:
        read(game, "\n".join(lines))
    assert "\n" not in str(refusal.value)


IMPOSSIBLE, WITHOUT = "not a position of ", "passes or an open swap that cannot be"


@pytest.mark.parametrize(
    ("name", "size", "text", "words"),
    [
        ("xodd", 2, "2 . X\n1 O .\nBlack (X) to move", IMPOSSIBLE + "Xodd"),
        ("xodd", 2, "2 . .\n1 . .\nWhite (O) to move", IMPOSSIBLE + "Xodd"),
        ("yodd", 2, ". .\n. . .\n. .\nBlack (X) to move, 1 pass", IMPOSSIBLE + "Yodd"),
        ("odd", 2, ". .\n. X .\n. .\nBlack (X) to move", IMPOSSIBLE + "Odd"),
        ("ayu", 3, ". X .\nO . O\n. . X\nWhite (O) to move, swap open", IMPOSSIBLE + "Ayu"),
        ("odd", 2, ". .\n. X .\n. .\nWhite (O) to move, 1 pass", WITHOUT),
        ("xodd", 2, "2 . X\n1 . .\nWhite (O) to move, swap open", WITHOUT),
        ("ayu", 3, ". X .\nO . O\n. X .\nBlack (X) to move, 1 pass", WITHOUT),
        ("xodd", 2, "2 . .\n1 . .\nBlack (O) to move", "line 3"),
    ],
    ids=[
        "even groups", "White before Black", "a pass before Black", "not his turn", "no pie rule",
        "a pass in Odd", "a swap in Xodd", "a pass in Ayu", "the other side's symbol",
    ],
)  # fmt: skip
def test_a_diagram_that_no_game_comes_to_is_refused(name, size, text, words):
    with pytest.raises(DiagramError, match=words):
        read(create_game(name, size), text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (". X .\nO . O\n. X .\nWhite (O) to move, swap open", "only after Black's first turn"),
        (". X .\n. O .\nX . O\nWhite (O) to move, swap open", "only after Black's first turn"),
        (". X .\nO X O\n. . .\nBlack (X) to move, swap open", "only to White"),
    ],
    ids=["nobody has moved", "a move too many", "not his turn"],
)
def test_a_swap_is_open_only_after_a_first_turn(text, words):
    """The bug: White could swap before anybody had moved."""
    game = create_game("ayu", 3, {"pie": True})
    assert read(game, draw(game.start().play("b1-b2"))).may_swap
    with pytest.raises(DiagramError, match=words):
        read(game, text)


@pytest.mark.parametrize(
    ("stones", "sentence"),
    [(". X .", "with 1 stone on the board it is White's turn"),
     (". X O", "with 2 stones on the board it is Black's turn")],
)  # fmt: skip
def test_whose_turn_it_is_in_odd_is_told_by_the_number_of_stones(stones, sentence):
    to_move = "Black (X)" if stones == ". X ." else "White (O)"
    with pytest.raises(DiagramError, match=sentence):
        read(create_game("odd", 2), f". .\n{stones}\n. .\n{to_move} to move")


@given(text=st.text(alphabet="XO.xo 123ab\n", max_size=60))
@settings(max_examples=150)
def test_any_text_is_read_or_refused_with_a_diagram_error(text):
    game = create_game("xodd", 2)
    try:
        position = read(game, text)
    except DiagramError as error:
        refusal = str(error)
    else:
        assert read(game, draw(position)).key == position.key
        return
    assert "\n" not in refusal
