"""The session in the terminal as a machine: lines and answers in, requests out, no process.

`typed` gives the lines of a human and returns what was said. A property at the end lets humans
type anything, in all four games, beside a list of turns that is kept here in the plainest way.
"""

import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.game_records.kept_game import KeptGame
from oddly.game_records.line_formats import json_line
from oddly.games.catalogue import create_game
from oddly.games.legal_turns import random_turn
from oddly.games.turns import Colour, IllegalTurn
from oddly.interfaces.terminal.play.messages import (
    COMMANDS,
    QUIT,
    AskEngine,
    AskHint,
    Keep,
    Leave,
    Save,
    Say,
    ShowBoard,
)
from oddly.interfaces.terminal.play.play_session import PlaySession
from oddly.interfaces.terminal.play.scoresheet import Participant, Scoresheet
from oddly.protocol.messages import RESIGN, NotationError
from oddly.protocol.notation import parse_turn

HUMAN, ENGINE = Participant("human", True), Participant("rave", False)
PAIRS = {
    "alone": (Participant("human 1", True), Participant("human 2", True)),
    "black": (HUMAN, ENGINE),
    "white": (ENGINE, HUMAN),
}


def session(game="yodd", size=3, pair="black", turns=(), **options):
    return PlaySession(Scoresheet(create_game(game, size, options), PAIRS[pair], turns))


def said(requests):
    return "\n".join(request.text for request in requests if isinstance(request, Say))


def kinds(requests):
    return [type(request) for request in requests]


def turns(at):
    return [played.turn for played in at.scoresheet.turns]


def test_a_human_plays_and_the_engine_is_asked():
    at = session()
    begun = at.begin()
    assert kinds(begun) == [Say, ShowBoard, Say]
    assert said(begun).endswith(
        "Turn 1, human, Black (X): 0 black + 0 white = 0, even: "
        "the first turn is one stone, of either colour."
    )
    assert at.prompt == "black> "
    assert kinds(at.line("Bc3")) == [Keep, ShowBoard, AskEngine]
    answered = at.played(parse_turn("Wa3,We3"), 1.25)
    assert kinds(answered) == [Say, Keep, ShowBoard, Say]
    assert said(answered).startswith(
        "rave plays Wa3,We3 (1.2 s).\nTurn 3, human, Black (X): 1 black"
    )
    assert "1 black + 2 white = 3, odd" in said(answered)
    assert set(answered[2].marked) == {"a3", "e3"}
    assert [played.seconds for played in at.scoresheet.turns] == [0.0, 1.25]


def test_the_engine_begins_for_a_human_with_white():
    assert kinds(session(pair="white").begin()) == [Say, ShowBoard, AskEngine]


@pytest.mark.parametrize("typed", ["We3,bd4", "  bD4 , wE3", "Bd4 We3", "We3   Bd4", "Bd4 ,We3"])
def test_drops_are_read_in_any_order_and_spacing(typed):
    at = session(pair="alone", turns=["Bc3"])
    at.line(typed)
    assert turns(at) == ["Bc3", "We3,Bd4"]


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("Bc3", "Bc3 is not legal: c3 is occupied"),
        ("We3", "We3 is not legal: that would leave 2 groups: 1 black, 1 white"),
        ("Bz9", "Bz9 is not legal: z9 is off the hexhex board of base 3"),
        ("Ba3,Bb3,Bd3", "a turn is one drop or two; these are 3"),
        ("swap", "swap is not a turn of Yodd"),
        ("E3", "e3 lacks a colour: Be3 is a black stone, We3 a white one"),
        ("Be3-", "a turn is typed as in Bc3, Bc3,Wd4 or pass\n  Be3-\n     ^"),
        ("We", "expected a row number from 1 to 99 at character 3"),
        ("udno", "unknown command 'udno'; did you mean 'undo'?"),
        ("abcdefg", "'abcdefg' is neither a turn, as in Bc3, Bc3,Wd4 or pass, nor a command"),
        ("\x1b[2J", "\\x1b[2J"),
        ("undo now", "undo stands alone; 'now' is too much"),
        ("save", "a name is missing"),
        ("restart", "restart is for an engine that has failed"),
        ("x" * 9999, "a line of 9999 characters is neither"),
    ],
)
def test_what_cannot_be_played_is_explained_and_changes_nothing(typed, reason):
    at = session(pair="alone", turns=["Bc3"])
    requests = at.line(typed)
    assert reason in said(requests)
    assert "\x1b" not in said(requests)
    assert kinds(requests) == [Say]
    assert turns(at) == ["Bc3"]


OPENING = ["Bc3", "Wa3,We3"]


@pytest.mark.parametrize(
    ("pair", "made", "left"),
    [("black", OPENING, []), ("alone", OPENING, ["Bc3"]), ("white", [*OPENING, "pass"], ["Bc3"])],
)
def test_undo_takes_back_to_ones_own_last_turn(pair, made, left):
    at = session(pair=pair, turns=made)
    taken = said(at.line("undo"))
    assert turns(at) == left
    if not left:
        assert "taken back: black's Bc3, white's Wa3,We3" in taken
        assert said(at.line("undo")) == "you have no turn to take back"


def test_two_passes_end_the_game_and_undo_goes_on():
    at = session(turns=["Bc3", "pass"])
    requests = at.line("pass")
    assert kinds(requests) == [Keep, ShowBoard, Say, Keep]
    assert said(requests) == (
        "White wins by one group: both players passed. 1 black + 0 white = 1, odd. rave wins: W+1"
    )
    assert at.prompt == "over> "
    assert "the game is over" in said(at.line("Bd3"))
    assert "the game is over" in said(at.line("legal"))
    assert "already" in said(at.line("resign"))
    at.line("undo")
    assert turns(at) == ["Bc3", "pass"]
    assert at.prompt == "black> "


def test_a_resignation_is_the_humans_own_and_can_be_taken_back():
    at = session(pair="white", turns=["Bc3"])
    assert "rave wins: B+R" in said(at.line("resign"))
    assert at.scoresheet.record().outcome.winner == 0
    assert "the resignation" in said(at.line("undo"))
    assert not at.scoresheet.is_over


def test_an_engine_that_fails_is_restarted_or_the_game_taken_back():
    at = session(turns=["Bc3"])
    assert "rave did not play: it died" in said(at.failed("it died"))
    assert at.prompt == "restart? "
    assert "it is rave's turn" in said(at.line("Ba3"))
    assert kinds(at.line("hint")) == [Say]
    assert kinds(at.line("restart")) == [AskEngine]
    at.failed("it died again")
    at.line("undo")
    assert at.prompt == "black> "
    assert turns(at) == []


def test_the_engine_may_resign_and_one_may_resign_to_one_that_failed():
    assert "human wins: B+R" in said(session(turns=["Bc3"]).played(RESIGN, 0.5))
    at = session(turns=["Bc3"])
    at.failed("it died")
    assert "rave wins: W+R" in said(at.line("resign"))


def test_undo_after_the_engine_has_resigned_takes_back_ones_own_last_turn():
    at = session(turns=["Bc3"])
    at.played(RESIGN, 0.5)
    taken = at.line("undo")
    assert "taken back: the resignation, black's Bc3" in said(taken)
    assert AskEngine() not in taken
    assert (turns(at), at.prompt) == ([], "black> ")


def test_an_illegal_answer_of_the_engine_changes_nothing():
    at = session(turns=["Bc3"])
    with pytest.raises(IllegalTurn):
        at.played(parse_turn("Wc3"), 0.1)
    assert turns(at) == ["Bc3"]


def test_a_swap_exchanges_colours_and_the_former_black_is_to_move():
    at = session("ayu", 5, pair="white", pie=True, turns=["b1-c1"])
    assert kinds(at.line("swap")) == [Keep, ShowBoard, AskEngine]
    assert at.scoresheet.colour_of(1) is Colour.BLACK
    at.played(parse_turn("a2-b2"), 0.1)
    assert at.prompt == "black> "
    assert "human" in said(at.line("board"))
    assert "rave wins: W+R" in said(at.line("resign"))


def test_hints_saving_and_leaving_are_requested():
    at = session(turns=["Bc3", "pass"])
    assert kinds(at.line("hint")) == [AskHint]
    hint = said(at.hinted("uct", parse_turn("Wa3,We3"), 2.0))
    assert hint == "uct would play Wa3,We3, which leaves 1 black + 2 white = 3, odd (2.0 s)."
    assert said(at.hinted("uct", RESIGN, 2.0)) == "uct would resign (2.0 s)."
    (save,) = at.line("save my game.sgf")
    assert isinstance(save, Save)
    assert str(save.path) == "my game.sgf"
    for word in ("QUIT", "exit", "q"):
        assert kinds(at.line(word)) == [Leave]
    assert at.line("   ") == []


def test_legal_tells_where_a_stone_ends_the_turn():
    at = session(turns=["Bc3", "pass"])
    board, text = at.line("legal")
    assert board.notes["d3"] == "b"  # joined to c3, where a white stone is a second group
    assert board.notes["e3"] == "-"
    assert "c3" not in board.notes
    number = len(list(at.scoresheet.position.legal_turns()))
    assert text.text.startswith(f"{number} legal turns.")
    board, text = at.line("legal Be3")
    assert text.text.startswith("Be3 needs a second stone.")
    assert board.notes["e3"] == "X"
    assert board.notes["d3"] == "*"  # black joins both, white is a third group
    assert "c3 is occupied" in said(at.line("legal Bc3"))
    assert "legal takes a drop" in said(at.line("legal c"))


def test_legal_tells_which_pieces_move():
    at = session("ayu", 5)
    board, text = at.line("legal")
    assert set(board.marked) == {"b1", "d1", "b3", "d3", "b5", "d5"}
    assert "  b1: c1 b2" in text.text
    board, _ = at.line("legal b1")
    assert board.notes == {"c1": "*", "b2": "*"}
    assert "c3 can move" in said(at.line("legal c3"))
    assert "is legal and leaves" in said(at.line("legal b1-b2"))


def test_the_list_of_turns_and_help():
    at = session(turns=["Bc3", "pass"])
    assert said(at.line("turns")) == "   1  black  Bc3\n   2  white  pass"
    listed = said(at.line("help"))
    assert at._commands.keys() == {*COMMANDS, *QUIT}
    for command in COMMANDS:
        assert f"\n  {command} " in listed
    assert "your last turn" in said(at.line("help undo"))
    assert said(at.line("help q")) == said(at.line("help quit"))
    assert "did you mean 'undo'" in said(at.line("help undoo"))


GAMES = {
    "yodd": create_game("yodd", 2),
    "xodd": create_game("xodd", 3),
    "odd": create_game("odd", 2, {"min_group": 2}),
    "ayu": create_game("ayu", 3, {"pie": True}),
}
NOISE = ["board", "legal", "turns", "hint", "help", "Bb2", "pass", "swap", "Wz9", "", "resign"]


class Model:
    """The game as a list of positions and of who made each turn, in the plainest way."""

    def __init__(self, game):
        self.positions, self.owners, self.resigned = [game.start()], [], False

    @property
    def is_over(self):
        return self.positions[-1].is_over or self.resigned

    def play(self, turn, *, human):
        self.positions.append(self.positions[-1].play(turn))
        self.owners.append(human)

    def type(self, line):
        if line == "undo":
            self.undo()
        elif line == "resign":
            self.resigned = not self.positions[-1].is_over
        elif not self.is_over:
            with suppress(IllegalTurn, NotationError):
                self.play(parse_turn(line), human=True)

    def undo(self):
        if not self.resigned and any(self.owners):
            keep = max(number for number, human in enumerate(self.owners) if human)
            del self.owners[keep:], self.positions[keep + 1 :]
        self.resigned = False


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(GAMES)),
    st.sampled_from(sorted(PAIRS)),
    st.lists(st.one_of(st.sampled_from(["turn"] * 5 + ["undo"]), st.sampled_from(NOISE))),
    st.integers(0, 99),
)
def test_whatever_is_typed_the_game_is_one_that_the_rules_know(name, pair, lines, seed):
    chance = random.Random(seed)
    at, model = PlaySession(Scoresheet(GAMES[name], PAIRS[pair])), Model(GAMES[name])

    def heed(requests):
        while AskEngine() in requests:
            turn = random_turn(model.positions[-1], chance)
            model.play(turn, human=False)
            requests = at.played(turn, 0.0)

    heed(at.begin())
    for typed in lines:
        is_turn = typed == "turn" and not model.is_over
        line = str(random_turn(model.positions[-1], chance)) if is_turn else typed
        model.type(line)
        heed(at.line(line))
    assert at.scoresheet.position.key == model.positions[-1].key
    assert at.scoresheet.is_over == model.is_over
    record = at.scoresheet.record()
    assert KeptGame.read(json_line(KeptGame(record))).record == record
