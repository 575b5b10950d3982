"""GoGui's commands one by one: what they answer, and what they refuse."""

import re
import subprocess
import sys

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import Engine
from oddly.engines.plain_engines import GreedyEngine, RandomEngine
from oddly.engines.rave_engine import RaveEngine
from oddly.games.drop_level import END
from oddly.games.turns import Colour, Drop, Move
from oddly.games.yodd import Yodd
from oddly.interfaces.gogui.dispatcher import GoguiDispatcher
from oddly.interfaces.gogui.display import SettingsDialog
from oddly.protocol.evaluation import Candidate, Evaluation
from oddly.protocol.messages import RESIGN
from oddly.protocol.notation import NO_CLOCK, gtp_time_control, parse_time_control, parse_turn
from tests.interfaces.gogui.double import Talker, talker


class Scripted(Engine):
    """Plays the given turns, and counts how often it is asked."""

    name = "scripted"

    def __init__(self, *turns):
        super().__init__()
        self.turns = list(turns)
        self.seen = []

    def choose(self, position):
        return self.turns.pop(0)

    def evaluate(self, at):
        self.seen.append(at)
        best = Drop(Colour.WHITE, "e5")
        return Evaluation(0.625, 800, (Candidate(best, 0.75, 0.625), Candidate(END, 0.25, 0.5)))


def test_the_engine_is_asked_once_a_turn_and_answers_tap_by_tap():
    engine = Scripted(parse_turn("Wc3"), parse_turn("Wa1,Bb5"), parse_turn("Wd3"))
    talk = talker("xodd", 5, engine)
    assert [talk("genmove b") for _ in range(3)] == ["C3", "C3", "pass"]
    assert [talk("genmove w") for _ in range(4)] == ["A1", "B5", "B5", "C3"]
    assert [talk("genmove b") for _ in range(3)] == ["D3", "D3", "A1"]
    assert engine.turns == []
    assert talk("gogui-rules_side_to_move") == "white"


def test_the_engine_goes_on_with_a_plan_after_an_undo():
    talk = talker("xodd", 5, Scripted(parse_turn("Wc3")))
    assert [talk("genmove b"), talk("genmove b")] == ["C3", "C3"]
    talk("undo")
    assert talk("reg_genmove b") == "C3"
    assert [talk("genmove b"), talk("genmove b")] == ["C3", "pass"]


def test_the_engine_finishes_a_turn_that_a_human_began():
    talk = talker("xodd", 5, Scripted(parse_turn("Ba1,Bb2")))
    talk("gogui-play_sequence b C3 b PASS w E5")
    taps = []
    while talk("gogui-rules_side_to_move") == "white":
        taps.append(talk("genmove w"))
    assert taps[-1] == "C3"
    assert talk("gogui-rules_board").splitlines()[1].endswith(("X", "O"))


def test_the_engine_puts_a_piece_back_that_it_does_not_want_to_move():
    talk = talker("ayu", 5, Scripted(Move("b1", "b2"), Move("b1", "b2")))
    talk("play b D3")
    assert [talk("genmove b") for _ in range(3)] == ["D3", "B1", "B2"]


def test_a_resignation_is_told_and_nothing_is_played():
    talk = talker("xodd", 5, Scripted(RESIGN, RESIGN))
    assert talk("genmove b") == "resign"
    assert talk("oddly-best_turn") == "scripted would resign"
    assert talk("gogui-rules_side_to_move") == "black"


@pytest.mark.parametrize("name", ["yodd", "xodd", "odd", "ayu"])
def test_every_analyze_command_answers_in_its_format(name):
    size = 5 if name == "ayu" else 3
    talk = talker(name, size)
    width = int(talk("gogui-rules_board_size").split()[0])
    formats = {
        "gfx": r"([A-Z]+ [^\n]+\n)*TEXT [^\n]+",
        "string": r"[^\n]+",
        "plist": r"[A-Z][1-9]( [A-Z][1-9])*",
        "sboard": rf'(\n("(")|\d+)( (""|\d+)){{{width - 1}}}){{{width}}}',
        "param": r"(\[(string|bool|list/[^ ]+)\] \w+ \S+\n?)+",
        "cboard": rf'(\n(""|#\w{{6}})( (""|#\w{{6}})){{{width - 1}}}){{{width}}}',
    }
    lines = talk("gogui-analyze_commands").splitlines()
    assert len(lines) == (10 if name == "ayu" else 11)
    for taps in ("", "b C3" if name != "ayu" else "b B1"):
        talk(f"gogui-play_sequence {taps}")
        for line in lines:
            kind, _, command = line.split("/")
            for colour in "bw":
                reply = talk(command.replace("%c", colour))
                assert re.fullmatch(formats[kind], reply), (line, reply)


def test_the_sizes_of_groups():
    talk = talker("xodd", 4)
    talk("gogui-setup b A1 b A2 b B1 w C3 w C2 b A4")
    assert talk("oddly-group_sizes") == ('\n1 "" "" ""\n"" "" 2 ""\n3 "" 2 ""\n3 3 "" ""')
    talk("gogui-setup")
    assert talk("oddly-group_sizes") == '\n"" "" "" ""' * 4


def test_the_points_that_leave_an_odd_number_of_groups():
    talk = talker("xodd", 3)
    talk("gogui-setup b A1")
    assert talk("oddly-odd_points b").count("#88cc88") == 2
    assert talk("oddly-odd_points w").count("#88cc88") == 0
    assert talker("ayu", 5).refused("oddly-odd_points b") == "Ayu has no drops"


def test_the_parity_is_told_in_words():
    talk = talker("yodd", 3)
    assert talk("oddly-parity") == (
        "0 black + 0 white = 0, even: no pass. Black to move, 0 of 1 stone placed"
    )
    talk("gogui-play_sequence b C3 b PASS")
    assert talk("oddly-parity").startswith("1 black + 0 white = 1, odd: a pass is legal. White")
    talk("play w A1")
    assert "1 black + 1 white = 2, even: the turn cannot end" in talk("oddly-parity")
    talk("play w E5")
    assert "= 3, odd: the turn may end; 2 of 2 stones placed" in talk("oddly-parity")
    assert "even in any colours: take a stone back" in dead_end()("oddly-parity")


def dead_end() -> Talker:
    """White has placed two stones that are even in any colours."""
    talk = talker("xodd", 3)
    talk("gogui-setup b B2 w A2 w B1 w C1")
    talk("gogui-setup_player w")
    talk("gogui-play_sequence w A1 w C2")
    return talk


def test_the_engine_says_that_it_cannot_end_such_a_turn():
    talk = dead_end()
    assert talk("gogui-rules_legal_moves") == "A1 C2"
    assert talk.refused("genmove w") == (
        "no legal turn has the stones that are placed: take one back"
    )
    assert "the total must be odd" in talk.refused("play w PASS")
    talk("undo")
    talk("genmove w")


def test_an_evaluation_becomes_marks():
    engine = Scripted()
    talk = talker("xodd", 5, engine)
    assert talk("oddly-evaluation") == (
        "COLOR #00ff00 E5\nLABEL E5 W62\n"
        "TEXT scripted: Black, to move, wins 62% of 800 simulations; 0 black + 0 white = 0; "
        "best: W E5"
    )
    talk("gogui-play_sequence b C3 b PASS w A1")
    talk("oddly-evaluation")
    assert [str(drop) for drop in engine.seen[-1].drops] == ["Wa1"]
    talk("play w E1")
    assert "Black, to move, wins" in talk("oddly-evaluation")
    talk("play w E1")
    talk("play w C3")
    assert talk("gogui-rules_side_to_move") == "black"


def test_an_engine_without_an_opinion_names_its_turn():
    talk = talker("xodd", 5, Scripted(parse_turn("Bc3")))
    talk.dispatcher.engine.evaluate = lambda _: None
    assert talk("oddly-evaluation") == (
        "TEXT scripted rates no positions. scripted would play B C3 as Black"
    )


def commands_by_method(dispatcher: Dispatcher) -> dict[str, set[str]]:
    """The commands that each method of the dispatcher answers by itself."""
    found: dict[str, set[str]] = {}
    for command, handler in dispatcher.handlers.items():
        if getattr(handler, "__self__", None) is dispatcher:
            found.setdefault(handler.__name__, set()).add(command)
    return found


def test_no_method_for_a_command_of_gogui_replaces_one_of_the_protocol():
    engine, game = RandomEngine(), Yodd(3)
    ours = commands_by_method(GoguiDispatcher(engine, game))
    for method, commands in commands_by_method(Dispatcher(engine, game)).items():
        assert ours[method] == commands


def test_the_protocols_groups_are_blacks_and_whites_and_goguis_prisoners_the_other_way_round():
    talk = talker("xodd", 4)
    talk("gogui-play_sequence b C3 b PASS w B2 w D4")
    assert talk("gogui-rules_captured_count") == "2 1"
    talk("gogui-play_sequence w C3")
    assert talk("group_counts") == "1 2"


def test_a_position_in_the_protocols_words_is_set_up():
    talk = talker("xodd", 3)
    talk("gogui-play_sequence b B2 b PASS w A1")
    talk("setup white B........")
    assert talk("gogui-rules_board") == "\n. . .\n. . .\nX . ."
    assert talk("gogui-rules_side_to_move") == "white"
    assert "A1" not in talk("gogui-rules_legal_moves").split()
    assert talk.refused("undo") == "cannot undo"
    assert "illegal position" in talk.refused("setup white B.......B")
    talk("clear_board")
    assert "X" not in talk("gogui-rules_board")


BAD = [
    ("play", "expected a colour, and a point or pass, got 0 arguments"),
    ("play null", "expected a colour, and a point or pass, got 1 argument"),
    ("play b", "expected a colour, and a point or pass, got 1 argument"),
    ("play green C3", "green"),
    ("play w C3", "illegal move: it is Black's turn"),
    ("play b F9", "illegal move: malformed vertex 'F9'"),
    ("play b I3", "illegal move: malformed vertex 'I3'"),
    ("play b Bc3", "illegal move: malformed vertex 'Bc3'"),
    ("play b PASS", "illegal move: a pass would leave 0 groups"),
    ("undo", "cannot undo"),
    ("undo 3", "expected no arguments"),
    ("genmove w", "it is Black's turn"),
    ("genmove", "expected a colour"),
    ("boardsize", "expected the board's width"),
    ("boardsize 99", "unacceptable size 99"),
    ("boardsize five", "'five' is not a width: expected a whole number"),
    ("komi", "expected a number"),
    ("komi much", "'much' is not a number"),
    ("gogui-setup b", "expected pairs of a colour and a point"),
    ("gogui-setup b C3 w C3", "C3 is named twice"),
    ("gogui-setup b A1 b C3", "cannot set up that position: 2 groups"),
    ("gogui-setup_player", "expected a colour"),
    ("gogui-setup_player w", "cannot set up that position: an empty board is Black's"),
    ("gogui-play_sequence b C3 w C3", "it is Black's turn (move 2 of the sequence)"),
    ("gogui-rules_final_result", "game is not over"),
    ("oddly-odd_points", "expected a stone's colour"),
    ("oddly-odd_points x", "'x'"),
    ("gogui-rules_board 1", "expected no arguments, got 1 argument"),
    ("time_settings 1 2", "expected main time"),
    ("no-such", "unknown command"),
]


@pytest.mark.parametrize(("line", "sentence"), BAD)
def test_what_is_wrong_is_said_and_changes_nothing(line, sentence):
    talk = talker("xodd", 5)
    assert sentence in talk.refused(line)
    assert talk("gogui-rules_board") == "\n. . . . ." * 5
    assert talk("gogui-rules_side_to_move") == "black"
    if line not in ("undo", "play b PASS"):
        talk("play b C3")
        talk.refused(line)
        assert talk("gogui-rules_board").count("X") == 1


def test_a_width_chooses_the_board():
    talk = talker("yodd", 3)
    talk("play b C3")
    talk("boardsize 5")
    assert talk("gogui-rules_legal_moves").count(" ") == 18
    talk("boardsize 9")
    assert talk("gogui-rules_board_size") == "9 hex"
    assert talk.refused("boardsize 10") == (
        "unacceptable size 10: a hexhex board of base n is 2n - 1 points wide, this one 9"
    )
    assert talk("gogui-rules_board_size") == "9 hex"
    talk = talker("ayu", 5)
    talk("boardsize 7")
    assert talk("gogui-rules_captured_count") == "12 12"
    assert "odd size" in talk.refused("boardsize 8")


def test_the_pie_rules_swap_is_a_pass():
    talk = talker("ayu", 5, pie=True)
    talk("gogui-play_sequence b B1 b B2")
    assert "pass" in talk("gogui-rules_legal_moves")
    talk("play w PASS")
    assert talk("gogui-rules_side_to_move") == "white"
    assert "pass" not in talk("gogui-rules_legal_moves")
    assert talk.refused("play w PASS") == "illegal move: Ayu has no pass: move a piece"


def test_times_and_options_reach_the_engine():
    engine = GreedyEngine()
    talk = talker("xodd", 5, engine)
    talk("time_settings 60 10 5")
    talk("time_left b 12 3")
    assert engine.time.control == gtp_time_control(60, 10, 5)
    assert engine.time.left[Colour.BLACK] == (12.0, 3)
    talk("set_option seed 9")
    assert engine.values["seed"] == 9
    assert talk("komi 6.5") == ""
    assert float(talk("cputime")) > 0
    assert talk("gogui-title") == "oddly greedy: Xodd on the 5x5 board"
    assert talk("name") == "oddly greedy, Xodd 5"


def test_the_board_is_drawn_with_goguis_coordinates():
    talk = talker("odd", 2)
    talk("gogui-play_sequence b A1 b PASS w B3")
    assert talk("showboard").splitlines()[1:5] == [" 3   O .", " 2 . . .", " 1 X .", "   A B C"]


def test_a_live_engine_serves_gogui_until_its_input_ends():
    words = [sys.executable, "-m", "oddly", "engine", "random", "--game", "yodd"]
    words += ["--size", "8", "--profile", "gogui", "--seed", "3"]
    lines = b"1 gogui-rules_game_id\r\n2 gogui-rules_board_size\n\xff\xfe\n# remark\n3 play b H8\n"
    done = subprocess.run(words, input=lines + b"4 gogui-rules_legal_moves\n", capture_output=True)
    assert done.returncode == 0
    assert done.stderr == b""
    first, second, third, *rest = done.stdout.decode().split("\n\n")
    assert (first, second, third[0]) == ("=1 Yodd", "=2 15 hex", "?")
    assert rest == ["=3", "=4 H8 pass", ""]
    done = subprocess.run([*words[:-4], "--profile", "gogu"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "gogui" in done.stderr


def test_a_saved_game_is_where_the_board_is_cleared_to():
    turns = [(Colour.BLACK, parse_turn("Bc3")), (Colour.WHITE, parse_turn("Wa3,Be3"))]
    talk = Talker(GoguiDispatcher(RandomEngine(), Yodd(3), turns))
    board = talk("gogui-rules_board")
    assert board.count("X") + board.count("O") == 3
    assert talk("gogui-rules_side_to_move") == "black"
    assert "CIRCLE A3 E3" in talk("gogui-rules_board_gfx").replace("E3 A3", "A3 E3")
    assert talk.refused("undo") == "cannot undo"
    talk("genmove b")
    talk("boardsize 5")
    talk("clear_board")
    assert talk("gogui-rules_board") == board
    talk("boardsize 7")
    assert talk("gogui-rules_board").count(".") == 37


def test_the_settings_of_an_engine_are_a_dialog():
    engine = RaveEngine()
    talk = talker("xodd", 5, engine)
    lines = talk("oddly-param").splitlines()
    assert [line.split()[1] for line in lines] == [
        "level", "threads", "ponder", "seconds_a_turn", "while_it_thinks_show",
    ]  # fmt: skip
    for name, text in [("level", "3_learner"), ("threads", "2"), ("ponder", "1")]:
        talk(f"oddly-param {name} {text}")
    assert (engine.values["level"], engine.values["threads"]) == (3, 2)
    assert engine.values["ponder"] is True
    talk("oddly-param seconds_a_turn 2.5")
    assert engine.time.control == parse_time_control("2.5")
    talk("oddly-param while_it_thinks_show groups")
    values = dict(line.split()[1:] for line in talk("oddly-param").splitlines())
    assert values == {
        "level": "3_learner", "threads": "2", "ponder": "1", "seconds_a_turn": "2.5",
        "while_it_thinks_show": "groups",
    }  # fmt: skip
    talk("oddly-param seconds_a_turn 0")
    talk("oddly-param level full_strength")
    assert engine.time.control == NO_CLOCK
    assert engine.values["level"] == 0
    assert "did you mean 'level'" in talk.refused("oddly-param levl 3")
    assert "option level is a whole number" in talk.refused("oddly-param level 12")
    assert "number of seconds" in talk.refused("oddly-param seconds_a_turn 5+3")
    assert "one of wins, visits" in talk.refused("oddly-param while_it_thinks_show all")
    assert talker("xodd", 5)("oddly-param").count("\n") == 1


def test_the_dialog_shows_the_time_in_force_and_sending_it_back_leaves_the_clock():
    engine = GreedyEngine()
    talk = talker("xodd", 5, engine)
    for line, shown in [
        ("time_settings 600 0 0", "0"),
        ("oddly-param seconds_a_turn 5", "5"),
        ("time_settings 600 10 5", "0"),
        ("time_control 2.5", "2.5"),
        ("time_settings 0 1 0", "0"),
    ]:
        talk(line)
        control, left = engine.time.control, {Colour.BLACK: (12.0, 3)}
        engine.time.left.update(left)
        assert talk("oddly-param").splitlines()[-2] == f"[string] seconds_a_turn {shown}"
        talk(f"oddly-param seconds_a_turn {shown}")
        assert engine.time.control == control
        assert engine.time.left == left
    talk("oddly-param seconds_a_turn 5")
    talk("oddly-param seconds_a_turn 0")
    assert engine.time.control == NO_CLOCK


def test_the_levels_of_another_program_are_its_own():
    values = {}
    options = "level type integer default 3 min 1 max 9\nponder type choice default on choices on 1"
    dialog = SettingsDialog(
        lambda: options, lambda: values, values.__setitem__, lambda: None, lambda _: None
    )
    assert dialog.listing().splitlines()[:2] == ["[string] level 3", "[string] ponder on"]
    dialog.change("level", "5")
    dialog.change("ponder", "1")
    assert values == {"level": "5", "ponder": "1"}
    assert dialog.listing().splitlines()[:2] == ["[string] level 5", "[string] ponder 1"]


@pytest.mark.parametrize("value", ["٣", "²", "11", "9" * 5_000])
def test_what_is_none_of_our_levels_is_listed_as_it_is(value):
    options = f"level type integer default {value} min 0 max 10"
    dialog = SettingsDialog(lambda: options, dict, {}.__setitem__, lambda: None, lambda _: None)
    assert dialog.listing().splitlines()[0] == f"[string] level {value}"


@pytest.mark.parametrize(
    ("name", "size", "settings", "label"),
    [
        ("ayu", 9, {"pie": False}, "Ayu 9"),
        ("ayu", 9, {"pie": True}, "Ayu 9, with the pie rule"),
        ("odd", 7, {"board": "square"}, "Odd 7 on a square board, groups of 5 or more"),
    ],
)
def test_a_game_is_named_in_words(name, size, settings, label):
    assert talker(name, size, **settings)("name") == f"oddly random, {label}"


class Counting(Scripted):
    """Stops when it is told to, after some evaluations."""

    def __init__(self, most):
        super().__init__()
        self.is_stopped = lambda: len(self.seen) >= most


def test_an_analysis_goes_on_for_a_turns_time_and_adds_up(monkeypatch, capsys):
    monkeypatch.setattr("oddly.interfaces.gogui.dispatcher.SECONDS_BETWEEN_PAINTINGS", 0)
    talk = talker("xodd", 5, Counting(3))
    assert "of 800 simulations" in talk("oddly-wins")
    assert capsys.readouterr().err == ""
    talk = talker("xodd", 5, Counting(3))
    talk("oddly-param seconds_a_turn 1000")
    assert "of 2400 simulations" in talk("oddly-visits")
    shown = capsys.readouterr().err
    assert shown.count("gogui-gfx:\n") == 2
    assert shown.endswith("gogui-gfx: CLEAR\n")
