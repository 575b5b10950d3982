"""Commands that come while an engine thinks: what ends a search, and what waits."""

import os
import re
from contextlib import suppress
from threading import Thread

import pytest

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.rave_engine import RaveEngine
from oddly.engines.stdio import CommandInput, serve
from oddly.games.catalogue import create_game
from oddly.protocol.analysis import parse_analysis
from oddly.protocol.evaluation import parse_turn_evaluation
from tests.games.positions import played


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        with suppress(OSError):
            os.close(descriptor)


def test_stop_is_seen_before_its_turn_and_nothing_else_is_a_stop(pipe):
    commands = CommandInput(pipe[0])
    assert not commands.is_stopped()
    assert not commands.has_more()
    os.write(pipe[1], b"genmove b\nname\n2147483648 stop\nstop # now\n")
    assert commands.is_stopped()
    assert commands.has_more()
    heard = [getattr(commands.next(), "name", "?") for _ in range(4)]
    assert heard == ["genmove", "name", "?", "stop"]
    assert not commands.is_stopped()


def test_the_end_of_the_input_ends_an_analysis_and_stops_no_genmove(pipe):
    commands = CommandInput(pipe[0])
    os.close(pipe[1])
    assert commands.has_more(10)
    assert not commands.is_stopped()
    assert commands.next() is None


class Served:
    """An engine in a thread of its own, behind two pipes."""

    def __init__(self, game):
        self.to_engine, self.from_engine = os.pipe(), os.pipe()
        dispatcher = Dispatcher(RaveEngine(), game)
        arguments = (dispatcher, self.to_engine[0], self.from_engine[1])
        self.thread = Thread(target=serve, args=arguments, daemon=True)
        self.thread.start()
        self.output = os.fdopen(self.from_engine[0], "rb")

    def send(self, text):
        os.write(self.to_engine[1], text.encode())

    def line(self):
        return self.output.readline().decode().rstrip("\n")

    def reply(self):
        return list(iter(self.line, ""))

    def close(self):
        os.close(self.to_engine[1])
        self.thread.join(60)
        for descriptor in (self.to_engine[0], self.from_engine[1]):
            os.close(descriptor)
        self.output.close()


@pytest.fixture
def served():
    engine = Served(create_game("xodd", 3))
    yield engine
    engine.close()


def test_an_analysis_goes_on_until_the_next_command(served):
    served.send("1 play b Bb2\n2 analyze 0.01\n")
    assert (served.reply(), served.line()) == (["=1"], "=2")
    lines = [served.line() for _ in range(3)]
    served.send("3 name\n4 legal_turns 0\n")
    lines += served.reply()
    assert (served.reply(), served.reply()) == (["=3 rave"], ["=4"])
    for line in lines:
        for ranked in parse_analysis(line).turns:
            played("xodd", 3, "Bb2", *map(str, ranked.variation))


def test_a_genmove_without_end_is_stopped_and_played(served):
    served.send("set_option simulations 1000000000\nset_option solver false\n")
    assert (served.reply(), served.reply()) == (["="], ["="])
    served.send("1 genmove b\n2 name\n3 stop\n4 undo\n5 stop\n6 reg_genmove b\n7 stop\n8 undo\n")
    replies = [served.reply() for _ in range(8)]
    assert re.fullmatch("=1 [BW][a-c][1-3]", replies[0][0])
    assert replies[1:5] == [["=2 rave"], ["=3"], ["=4"], ["=5"]]
    assert re.fullmatch("=6 [BW][a-c][1-3]", replies[5][0])
    assert replies[6:] == [["=7"], ["?8 cannot undo"]]
    served.send("9 last_evaluation\n10 clear_board\n11 last_evaluation\n")
    assert parse_turn_evaluation(served.reply()[0].removeprefix("=9")).visits
    assert (served.reply(), served.reply()) == (["=10"], ["?11 no evaluation"])


def test_an_engine_ponders_until_the_next_command(served):
    served.send("1 play b Bb2\n2 ponder\n3 name\n4 ponder\n5 genmove w\n6 clear_board\n7 ponder\n")
    replies = [served.reply()[0] for _ in range(7)]
    assert replies[4].startswith("=5 ")
    del replies[4]
    assert replies == ["=1", "=2", "=3 rave", "=4", "=6", "=7"]


def test_a_proof_without_end_is_stopped(served):
    served.send("boardsize 6\n1 solve\n2 stop\n3 evaluate\n4 stop\n5 analyze 0\n6 analyze 1\n")
    replies = [served.reply() for _ in range(6)]
    assert replies[:3] == [["="], ["=1 unknown"], ["=2"]]
    assert replies[3][0].startswith("=3 0.")
    assert replies[4:6] == [["=4"], ["?5 syntax error: an interval is 0.01 s or more"]]
    assert served.line() == "=6"
