"""Commands that the transcripts of the spec do not show: their errors and their side effects."""

import pytest

from engines.dispatcher import Dispatcher
from engines.engine import Engine
from engines.random_engine import RandomEngine
from games.catalogue import create_game
from protocol.codec import CommandDecoder
from protocol.messages import Reply
from protocol.notation import RESIGN


class Talker:
    """Sends lines to a dispatcher and gives the replies."""

    def __init__(self, engine: Engine | None = None, game: str = "yodd", size: int = 3) -> None:
        self.dispatcher = Dispatcher(engine or RandomEngine(), create_game(game, size))

    def reply(self, line: str) -> Reply:
        decoder = CommandDecoder()
        decoder.feed(line.encode() + b"\n")
        command = decoder.next_event()
        assert command is not None
        return self.dispatcher.answer(command)

    def __call__(self, line: str) -> str:
        reply = self.reply(line)
        assert reply.ok, reply.text
        return reply.text

    def refused(self, line: str) -> str:
        reply = self.reply(line)
        assert not reply.ok
        return reply.text

    @property
    def game(self) -> str:
        return str(self.dispatcher.session.game)


@pytest.mark.parametrize(
    "line",
    [
        "name x",
        "known_command",
        "quit now",
        "set_game",
        "set_game odd min_group",
        "boardsize",
        "boardsize x",
        "boardsize -3",
        "play b",
        "play red Bb2",
        "play b Bb",
        "play b Bb2 Wc3",
        "genmove",
        "genmove purple",
        "legal_turns x",
        "legal_turns 1 2",
        "time_left b",
        "time_left b x",
        "time_left b -1",
        "time_left b nan",
        "time_settings 1 2",
        "time_settings 1.5 2 3",
        "time_control",
        "time_control soon",
        "set_option seed",
    ],
)
def test_wrong_arguments_are_a_syntax_error_and_change_nothing(line):
    talk = Talker()
    before = talk("showboard")
    assert talk.refused(line).startswith("syntax error: ")
    assert talk("showboard") == before


def test_a_malformed_line_gets_a_reply_with_its_id():
    reply = Talker().reply("12")
    assert (reply.ok, reply.id) == (False, 12)


def test_set_game_restores_the_defaults():
    talk = Talker()
    talk("set_game odd board square min_group 2")
    talk("boardsize 4")
    assert talk.game == "odd 4 (board square, min_group 2)"
    talk("set_game ODD")
    assert talk.game == "odd 5 (board hexhex, min_group 5)"


def test_boardsize_and_clear_board_keep_the_settings():
    talk = Talker()
    talk("set_game ayu pie true")
    talk("boardsize 5")
    talk("play b b1-b2")
    talk("clear_board")
    assert talk.game == "ayu 5 (pie true)"
    assert talk.refused("undo") == "cannot undo"


@pytest.mark.parametrize(
    "line",
    [
        "boardsize 1",
        "boardsize 14",
        "boardsize 999999999",
        "set_game chess",
        "set_game odd min_group 0",
        "set_game odd min_group x",
        "set_game odd board round",
        "set_game yodd board square",
        "set_game ayu pie maybe",
    ],
)
def test_a_game_that_cannot_be_leaves_the_old_one(line):
    talk = Talker()
    talk("play b Bc3")
    talk.refused(line)
    assert talk("group_counts") == "1 0"
    assert talk.game == "yodd 3"


def test_undo_takes_back_a_swap():
    talk = Talker(game="ayu", size=5)
    talk("set_game ayu pie true")
    talk("boardsize 5")
    talk("play b b1-c1")
    before = talk("showboard")
    talk("play w swap")
    talk("undo")
    assert talk("showboard") == before


def test_genmove_plays_and_reg_genmove_does_not():
    talk = Talker()
    legal = talk("legal_turns").split("\n")
    assert talk("reg_genmove b") in legal
    assert talk("group_counts") == "0 0"
    assert talk("genmove b") in legal
    assert talk("group_counts") != "0 0"


def test_legal_turns_takes_a_limit():
    talk = Talker()
    assert len(talk("legal_turns").split("\n")) == 38
    assert len(talk("legal_turns 5").split("\n")) == 5
    assert talk("legal_turns 0") == ""


class Broken(Engine):
    name = "broken"

    def choose(self, position):
        print("a stray word")
        raise ZeroDivisionError("no groups")


class Cheat(Engine):
    name = "cheat"

    def choose(self, position):
        return next(position.play(next(position.legal_turns())).legal_turns())


class Quitter(Engine):
    name = "quitter"

    def choose(self, position):
        return RESIGN


def test_an_engine_that_raises_refuses_and_lives_on(capsys):
    talk = Talker(Broken())
    assert talk.refused("genmove b") == "internal error: ZeroDivisionError: no groups"
    assert talk("name") == "broken"


def test_an_engine_that_chooses_an_illegal_turn_is_refused_by_its_own_session():
    talk = Talker(Cheat())
    assert talk.refused("genmove b").startswith("illegal move: ")
    assert talk("group_counts") == "0 0"


def test_a_resignation_is_answered_and_plays_nothing():
    talk = Talker(Quitter())
    assert talk("genmove b") == "resign"
    assert talk("group_counts") == "0 0"


def test_what_an_engine_is_told_about_time_is_kept():
    talk = Talker()
    talk("time_control 300+2.5")
    talk("time_left w 12.5 3")
    known = talk.dispatcher.engine.time
    assert str(known.control) == "300+2.5"
    assert list(known.left.values()) == [(12.5, 3)]
    talk("time_settings 60 0 0")
    assert str(known.control) == "60+0"
