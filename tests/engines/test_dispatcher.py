"""Commands that the transcripts of the spec do not show: their errors and their side effects."""

from dataclasses import dataclass

import pytest

from oddly.engines.engine import Engine
from oddly.engines.plain_engines import RandomEngine
from oddly.games import GAMES, Odd, Shape
from oddly.games.drop_level import DropPosition
from oddly.games.settings import setting
from oddly.protocol.evaluation import MAX_CANDIDATES, Candidate, Evaluation
from oddly.protocol.messages import RESIGN
from oddly.protocol.notation import parse_turn
from tests.engines.talking import Talker, lines_in

WRONG_ARGUMENTS = """
    name x|known_command|quit now|set_game|set_game odd min_group|boardsize|boardsize x
    boardsize -3|boardsize \u0663|boardsize 1_0|play b|play red Bb2|play b Bb|play b Bb2 Wc3
    genmove|genmove purple|legal_turns x|legal_turns 1 2|legal_turns +1|time_left b|time_left b x
    time_left b -1|time_left b nan|time_left b inf|time_left b 1_0|time_left b 1e3|time_left b 1 x
    time_left b \u0661|time_settings 1 2|time_settings 1.5 2 3|time_control|time_control soon
    set_option seed
"""
NO_GAMES = """
    boardsize 1|boardsize 14|boardsize 999999999|set_game chess|set_game odd min_group 0
    set_game odd min_group x|set_game odd board round|set_game yodd board square
    set_game ayu pie maybe
"""


@pytest.fixture
def talk():
    return Talker()


@pytest.mark.parametrize("line", lines_in(WRONG_ARGUMENTS))
def test_wrong_arguments_are_a_syntax_error_and_change_nothing(line, talk):
    before = talk("showboard")
    assert talk.refused(line).startswith("syntax error: ")
    assert talk("showboard") == before


def test_a_malformed_line_gets_a_reply_with_its_id(talk):
    reply = talk.reply("12")
    assert (reply.ok, reply.id) == (False, 12)


def test_set_game_restores_the_defaults(talk):
    talk("set_game odd board square min_group 2")
    talk("boardsize 4")
    assert talk.game == "odd 4 (board square, min_group 2)"
    talk("set_game ODD")
    assert talk.game == "odd 5 (board hexhex, min_group 5)"


def test_boardsize_and_clear_board_keep_the_settings(talk):
    for line in ("set_game ayu pie true", "boardsize 5", "play b b1-b2", "clear_board"):
        talk(line)
    assert talk.game == "ayu 5 (pie true)"
    assert talk.refused("undo") == "cannot undo"


@pytest.mark.parametrize("line", lines_in(NO_GAMES))
def test_a_game_that_cannot_be_leaves_the_old_one(line, talk):
    talk("play b Bc3")
    talk.refused(line)
    assert (talk("group_counts"), talk.game) == ("1 0", "yodd 3")


def test_undo_takes_back_a_swap(talk):
    for line in ("set_game ayu pie true", "boardsize 5", "play b b1-c1"):
        talk(line)
    before = talk("showboard")
    talk("play w swap")
    talk("undo")
    assert talk("showboard") == before


def test_genmove_plays_and_reg_genmove_does_not(talk):
    legal = talk("legal_turns").split("\n")
    assert talk("reg_genmove b") in legal
    assert talk("group_counts") == "0 0"
    assert talk("genmove b") in legal
    assert talk("group_counts") != "0 0"


def test_legal_turns_takes_a_limit(talk):
    assert len(talk("legal_turns").split("\n")) == 38
    assert len(talk("legal_turns 5").split("\n")) == 5
    assert talk("legal_turns 0") == ""


def choosing(choose):
    """A conversation with an engine that chooses so."""
    return Talker(type("Chooser", (Engine,), {"name": "chooser", "choose": choose})())


def test_an_engine_that_raises_refuses_and_lives_on(capsys):
    def broken(self, position):
        print("a stray word")
        raise ZeroDivisionError("no groups")

    talk = choosing(broken)
    assert talk.refused("genmove b") == "internal error: ZeroDivisionError: no groups"
    assert talk("name") == "chooser"


def test_an_engine_that_chooses_an_illegal_turn_is_refused_by_its_own_session():
    talk = choosing(lambda _, at: next(at.play(next(at.legal_turns())).legal_turns()))
    assert talk.refused("genmove b").startswith("illegal move: ")
    assert talk("group_counts") == "0 0"


def test_a_resignation_is_answered_and_plays_nothing():
    talk = choosing(lambda *_: RESIGN)
    assert talk("genmove b") == "resign"
    assert talk("group_counts") == "0 0"


def test_what_an_engine_is_told_about_time_is_kept(talk):
    talk("time_control 300+2.5")
    talk("time_left w 12.5 3")
    known = talk.dispatcher.engine.time
    assert str(known.control) == "300+2.5"
    assert list(known.left.values()) == [(12.5, 3)]
    talk("set_game odd")
    assert list(known.left.values()) == [(12.5, 3)]
    talk("time_settings 60 0 0")
    assert str(known.control) == "60+0"


@pytest.mark.parametrize("clock", ["time_control 1+0", "time_settings 1 0 0"])
def test_a_new_clock_starts_with_all_its_time(talk, clock):
    talk("time_control 60+0")
    talk("time_left w 50 0")
    talk(clock)
    assert talk.dispatcher.engine.time.left == {}
    talk("time_left w 0.5")
    assert list(talk.dispatcher.engine.time.left.values()) == [(0.5, 0)]


def test_every_command_without_arguments_refuses_one(talk):
    with_none = [name for name in talk.dispatcher.handlers if not talk.reply(f"{name} x").ok]
    assert len(with_none) > 10
    for name in with_none:
        text = talk.refused(f"{name} x y z z")
        assert text.startswith(("syntax error: expected ", "unknown game 'x'", "unknown option"))
    assert talk.refused("name x") == "syntax error: expected no arguments, got 1 argument"
    assert not talk.dispatcher.has_quit


@pytest.mark.parametrize("start", ["", "set_game ", "set_game odd ", "play b ", "set_option "])
def test_a_refusal_is_short_however_long_the_command(start, talk):
    for word in ("x" * 60_000, "x " * 30_000, "\u00df" * 30_000):
        reply = talk.reply(start + word)
        assert not reply.ok
        assert len(reply.text) < 1100


OVER = {
    "yodd": (2, "pass", "pass"),
    "xodd": (2, "pass", "Bb1"),
    "odd": (2, None, "Bb2"),
    "ayu": (3, None, "b1-b2"),
}
"""A size, the turn that ends a game of one drop, and a turn tried after the end."""


@pytest.mark.parametrize("game", OVER)
def test_after_the_end_only_play_and_genmove_fail_and_undo_goes_back(game):
    size, last, turn = OVER[game]
    talk = Talker(game=game, size=size)
    talk("genmove b")
    while not talk.dispatcher.session.position.is_over:
        side = talk.dispatcher.session.position.to_move.letter
        talk(f"play {side} {last}" if last else f"genmove {side}")
    score, counts = talk("final_score"), talk("group_counts")
    assert talk("legal_turns") == ""
    assert talk.refused(f"play b {turn}").startswith("illegal move: the game is over")
    for command in ("genmove", "reg_genmove"):
        for colour in "bw":
            assert talk.refused(f"{command} {colour}") == "the game is over"
    assert (talk("final_score"), talk("group_counts")) == (score, counts)
    talk("undo")
    assert talk.refused("final_score") == "game is not over"
    assert talk("legal_turns 1") != ""
    talk("clear_board")
    assert talk.refused("undo") == "cannot undo"


@pytest.mark.parametrize(("game", "size"), [("yodd", 3), ("xodd", 3), ("odd", 3), ("ayu", 5)])
def test_undo_goes_back_to_the_start_turn_by_turn(game, size):
    talk = Talker(game=game, size=size)
    boards = []
    while not talk.dispatcher.session.position.is_over:
        boards.append((talk("showboard"), talk("legal_turns")))
        talk(f"genmove {talk.dispatcher.session.position.to_move.letter}")
    for board in reversed(boards):
        talk("undo")
        assert (talk("showboard"), talk("legal_turns")) == board
    assert talk.refused("undo") == "cannot undo"


def test_known_command_and_list_commands_agree(talk):
    listed = talk("list_commands").split("\n")
    assert listed == list(talk.dispatcher.handlers)
    assert {talk(f"known_command {name}") for name in listed} == {"true"}
    assert talk("known_command NAME") == "false"
    assert talk.refused("NAME") == "unknown command"


def test_a_new_game_starts_the_random_numbers_anew(talk):
    talk("set_option seed 7")
    first = [talk("genmove b"), talk("genmove w")]
    for line in ("clear_board", "boardsize 3", "set_option seed 7"):
        talk(line)
        if line.startswith("set_option"):
            talk("clear_board")
        assert [talk("genmove b"), talk("genmove w")] == first


class Opinionated(RandomEngine):
    """Rates every action the same, and counts how many there are."""

    def evaluate(self, at):
        actions = [Candidate(action, 0.25, 0.5) for action in at.actions()]
        return Evaluation(0.5, len(actions), tuple(actions))


def test_evaluate_tells_what_the_engine_thinks_and_changes_nothing():
    talk = Talker(Opinionated(), "yodd", 2)
    first, *candidates = talk("evaluate").split("\n")
    assert first == "0.5000 14"
    assert candidates[0] == "Bb1 0.2500 0.5000"
    assert len(candidates) == MAX_CANDIDATES
    talk("play b Bb2")
    inside = talk("evaluate Wa2").split("\n")
    assert inside[0] == f"0.5000 {len(list(opened(talk, 'Wa2').actions()))}"
    assert talk("legal_turns 1") == "pass"
    assert talk.refused("evaluate Bb2") == "illegal move: b2 is occupied"
    assert talk.refused("evaluate pass") == "syntax error: expected drops, got pass"
    assert talk.refused("evaluate x").startswith("syntax error: ")
    talk("play w pass")
    talk("play b pass")
    assert talk.refused("evaluate") == "the game is over"
    for line in ("evaluate zz", "evaluate b1-b2", "evaluate pass"):
        assert talk.refused(line).startswith("syntax error: ")


def opened(talk, drop):
    (drop,) = parse_turn(drop).drops
    return DropPosition(talk.dispatcher.session.position).act(drop)


def test_an_engine_without_opinions_says_so(talk):
    assert talk.refused("evaluate") == "no evaluation"


def test_a_list_of_turns_that_exceeds_a_reply_is_refused_and_one_with_a_limit_is_not():
    talk = Talker(game="xodd", size=12)
    talk("play b Ba1")
    assert len(talk("legal_turns")) < 2**20
    talk("boardsize 19")
    talk("play b Ba1")
    refused = talk.refused("legal_turns")
    assert refused.startswith("too many turns for a reply: give a limit of at most ")
    assert 1_000_000 < len(talk(f"legal_turns {refused.rpartition(' ')[2]}")) < 2**20


def test_a_position_is_set_up_and_can_be_played_from_but_not_taken_back():
    talk = Talker(game="odd", size=2)
    talk("play b Bb2")
    talk("setup black BW.....")
    assert talk("group_counts") == "0 0"
    assert talk.refused("undo") == "cannot undo"
    assert "occupied" in talk.refused("play b Wb1")
    talk("play b Bc2")
    talk("undo")
    for line in ("setup w BW.....", "setup b BW", "setup b BX.....", "setup b BW..... passes 2"):
        assert talk.refused(line).startswith("illegal position: ")
    for line in (
        "setup",
        "setup b",
        "setup b ....... swop",
        "setup b ....... passes x",
        "setup x ....... passes 2",
    ):
        assert talk.refused(line).startswith("syntax error: ")
    talk("play b Bc2")


def test_the_engine_hears_the_result():
    heard = []
    talk = Talker()
    talk.dispatcher.engine.game_over = lambda *words: heard.append(words)
    talk("game_over W+3 double pass")
    assert heard == [("W+3", "double pass")]
    assert talk.refused("game_over").startswith("syntax error")


def test_no_more_drops_are_evaluated_than_a_turn_has():
    """A second drop is not the first of the opponent's turn."""
    talk = Talker(Opinionated(), "yodd", 3)
    assert talk.refused("evaluate Ba3,Be3").startswith("illegal move: Black's first turn")
    talk("play b Ba3")
    talk("evaluate Wb3,We2")
    assert talk.refused("evaluate Wb3,We2,We3").startswith("illegal move: ")


@dataclass(frozen=True)
class SquareOdd(Odd):
    """Odd that is played on square boards only, as a game of another package may be."""

    shape: Shape = setting("square", name="board", choices={"square": "lines of squares"})


def test_the_sizes_are_listed_for_the_boards_that_the_game_has(talk, monkeypatch):
    monkeypatch.setitem(GAMES._loaded, "odd", SquareOdd)
    lines = talk("list_settings").splitlines()
    boards = [line for line in lines if line.startswith("odd size ")]
    assert len(boards) == 1
    assert boards[0].endswith(" if board square")
