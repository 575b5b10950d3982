"""What is painted on GoGui's board: the parity, what ends the turn, and what an engine thinks."""

import re

import pytest

from oddly.engines.engine import Engine, Thought
from oddly.games.ayu import Ayu
from oddly.games.drop_level import END, DropPosition
from oddly.games.turns import Colour, Drop, Drops, Move
from oddly.games.xodd import Xodd
from oddly.interfaces.gogui.display import View
from oddly.interfaces.gogui.marks import HELPFUL, SPACE_ON_A_STONE
from oddly.interfaces.gogui.marks import painted as painted_thought
from oddly.protocol.evaluation import Candidate, Evaluation
from tests.interfaces.gogui.double import Talker, talker


def after(name, size, taps="", setup="", **settings) -> Talker:
    """After these taps, from a position that was set up or from the start."""
    talk = talker(name, size, **settings)
    if setup:
        talk(f"gogui-setup {setup}")
    talk(f"gogui-play_sequence {taps}")
    return talk


def painted(talk: Talker) -> dict[str, set[str]]:
    """The points of each kind of mark; of a colour as `COLOR #00dd00`."""
    found: dict[str, set[str]] = {}
    for line in talk("gogui-rules_board_gfx").splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "COLOR":
            colour, _, rest = rest.partition(" ")
            kind += f" {colour}"
        if kind not in ("TEXT", "LABEL"):
            found[kind] = set(rest.split())
    return found


def labels(talk: Talker) -> dict[str, tuple[str, str]]:
    """The word and the sentence on each point that has a label."""
    found = {}
    for line in talk("gogui-rules_board_gfx").splitlines():
        if line.startswith("LABEL "):
            for point, text in re.findall(r'(\S+) "([^"]*)"', line[6:]):
                word, _, sentence = text.partition(" " * SPACE_ON_A_STONE)
                found[point] = word.strip(), sentence
    return found


def test_the_first_stone_says_that_only_pass_ends_the_turn():
    talk = after("xodd", 5, "b C3")
    word, sentence = labels(talk)["C3"]
    assert word == "Pass"
    assert sentence == (
        "1 black + 0 white = 1, odd: the turn may end; "
        "Pass to end the turn, a new stone to change its colour"
    )
    assert painted(talk) == {}


def test_the_parity_is_on_the_new_stones_and_older_stones_that_end_the_turn_are_green():
    talk = after("xodd", 5, "b C3 b PASS w B2")
    assert labels(talk)["B2"][0] == "even"
    assert labels(talk)["C3"][1] == "1 black + 1 white = 2, even: the turn cannot end"
    assert painted(talk) == {"CIRCLE": {"C3"}}
    talk("play w E5")
    assert [labels(talk)[point][0] for point in ("B2", "E5")] == ["odd", "odd"]
    assert painted(talk)[f"COLOR {HELPFUL}"] == {"C3"}
    assert "C3" not in labels(talk)


def test_both_stones_of_the_turn_before_have_circles_until_the_next_turn_ends():
    talk = after("xodd", 5, "b C3 b PASS w B2 w E5 w C3")
    assert painted(talk) == {"CIRCLE": {"B2", "E5"}}
    assert labels(talk)["C3"] == ("", "occupied: a turn begins on an empty point")
    talk("play b A5")
    assert painted(talk)["CIRCLE"] == {"B2", "E5"}
    talk("undo")
    talk("play b PASS")
    assert "CIRCLE" not in painted(talk)


def test_a_stone_that_mends_the_parity_is_green():
    talk = after("xodd", 5, "b C3 b PASS w C4 w C5")
    assert labels(talk)["C4"][1].endswith("tap one of them to change its colour")
    assert painted(talk)[f"COLOR {HELPFUL}"] == {"C5"}
    for point in painted(talk)[f"COLOR {HELPFUL}"]:
        talk(f"play w {point}")
        assert f"COLOR {HELPFUL}" in painted(talk)
        talk(f"play w {point}")


def test_a_turn_that_no_colours_mend_says_to_go_back():
    talk = after("xodd", 3, setup="b B2 w A2 w B1 w C1")
    talk("gogui-setup_player w")
    talk("gogui-play_sequence w A1 w C2")
    assert labels(talk)["A1"][1].endswith("take a stone back; go Backward")
    assert painted(talk) == {}


def test_points_where_no_stone_may_be_dropped_are_crossed_out():
    talk = after("xodd", 3, setup="b B2 w A2 w B1 w C1")
    closed = painted(talk).get("MARK", set())
    legal = set(talk("gogui-rules_legal_moves").split())
    assert closed == {"A1", "A3", "B3", "C2", "C3"} - legal


def test_odd_has_a_parity_too():
    talk = after("odd", 2, "b A1 b PASS w B3", min_group=1)
    assert labels(talk)["B3"][0] == "even"
    assert painted(talk)[f"COLOR {HELPFUL}"] == {"A1"}


def test_ayu_shows_where_a_piece_may_go_and_which_piece_may_not():
    talk = after("ayu", 5, "b B1 b B2 w A4 w B4")
    assert painted(talk) == {"MARK": {"B3"}, "CIRCLE": {"A4", "B4"}}
    assert labels(talk)["B3"] == ("", "this piece has no legal move")
    assert labels(talk)["B4"] == ("", "it is Black's turn: this piece is not")
    talk("play b D1")
    assert painted(talk)["SQUARE"] == {"D1"}
    assert labels(talk)["D3"][1].startswith("occupied: tap a green point to move there")


@pytest.mark.parametrize(
    ("passes", "word", "sentence"),
    [("", "", "occupied: a turn begins"), (" w PASS b PASS", "W+1", "White wins (W+1)")],
)
def test_the_result_is_on_the_last_stones(passes, word, sentence):
    label = labels(after("xodd", 3, f"b B2 b PASS{passes}"))["B2"]
    assert label[0] == word
    assert label[1].startswith(sentence)


FIRST = Drop(Colour.WHITE, "e5")
THOUGHT = Thought(
    DropPosition(Xodd(5).start()),
    Evaluation(0.625, 800, (Candidate(FIRST, 0.75, 0.625),)),
    (FIRST, END, Drop(Colour.BLACK, "a1"), Drop(Colour.BLACK, "e5")),
)


class Thinking(Engine):
    """Thinks aloud once a turn."""

    name = "thinking"

    def choose(self, position):
        if self.on_thought is not None:
            self.on_thought(THOUGHT)
        return Drops((FIRST,))


def test_candidates_and_the_best_line_are_painted_and_wiped_off_at_the_end(capsys):
    talk = talker("xodd", 5, Thinking())
    assert talk("genmove b") == "E5"
    assert capsys.readouterr().err == (
        "gogui-gfx:\n"
        "VAR W E5 B A1\n"
        "COLOR #00ff00 E5\n"
        "LABEL E5 W62\n"
        "TEXT thinking: Black, to move, wins 62% of 800 simulations; 0 black + 0 white = 0; "
        "best: W E5, then B A1, B E5\n"
        "\n"
        "gogui-gfx: CLEAR\n"
    )
    talk("genmove b")
    assert capsys.readouterr().err == ""
    talk("oddly-best_turn")
    assert capsys.readouterr().err == ""


def test_a_move_has_squares():
    move = Move("b1", "b2")
    thought = Thought(
        DropPosition(Ayu(5).start()), Evaluation(0.5, 10, (Candidate(move, 1.0, 0.5),)), (move,)
    )
    assert "SQUARE B1 B2" in painted_thought("rave", thought)
    assert "VAR" not in painted_thought("rave", thought)


def test_each_view_shows_its_part_of_a_thought():
    wins, visits, line, groups = (painted_thought("rave", THOUGHT, view) for view in View)
    assert "LABEL E5 W62\n" in wins
    assert "LABEL E5 W600\n" in visits
    assert line.startswith("VAR W E5 B A1\nTEXT ")
    assert groups == line
    position = Xodd(5).start().play(Drops((Drop(Colour.BLACK, "c3"),)))
    at = DropPosition(position, (Drop(Colour.BLACK, "c4"),))
    thought = Thought(at, THOUGHT.evaluation, THOUGHT.line)
    assert painted_thought("rave", thought, View.GROUPS).startswith(
        "VAR W E5 B A1\nLABEL C4 2 C3 2\n"
    )


def test_a_long_line_has_fewer_ghosts_beside_other_marks_than_alone():
    line = tuple(Drop(Colour.BLACK, f"{column}{row}") for row in (1, 2, 3) for column in "abcde")
    thought = Thought(THOUGHT.at, THOUGHT.evaluation, line)
    shown = [painted_thought("rave", thought, view).partition("\n")[0] for view in View]
    assert [ghosts.count("B ") for ghosts in shown] == [6, 6, 10, 6]


@pytest.mark.parametrize(
    ("visits", "text"), [(0, "0"), (999, "999"), (1234, "1.2k"), (34_567, "34k"), (2_300_000, "2M")]
)
def test_visits_are_short_enough_for_a_stone(visits, text):
    evaluation = Evaluation(0.5, visits, (Candidate(FIRST, 1.0, 0.5),))
    thought = Thought(DropPosition(Xodd(5).start()), evaluation, (FIRST,))
    assert f"LABEL E5 W{text}\n" in painted_thought("rave", thought, View.VISITS)


def test_the_parity_is_on_every_stone_so_that_a_letter_over_one_hides_it_not():
    talk = after("xodd", 5, "b C3 b PASS w B2 w E5 w E5 w C3 b A1 b A3")
    words = {point: word for point, (word, _) in labels(talk).items() if word}
    assert set(words.values()) == {"odd" if "odd" in words.values() else "even"}
    assert set(words) == {"A1", "A3"}


def test_the_status_says_what_is_owed():
    talk = after("xodd", 5, "b C3 b PASS w C4 w C5")
    # First of all: GoGui cuts the line where its window ends.
    assert talk("oddly-parity") == (
        "White: all stones are placed: tap one of them to change its colour. "
        "1 black + 1 white = 2, even: the turn cannot end; 2 of 2 stones placed"
    )
    talk("play w C5")
    assert talk("oddly-parity").startswith("White: tap an older stone, or Pass to end the turn")
