"""Lines that come while an engine thinks, and lines of any kind: each has its one reply."""

import os
import re
import select
import tempfile
from contextlib import suppress
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.rave_engine import RaveEngine
from oddly.engines.stdio import CommandInput, serve
from oddly.games.catalogue import create_game
from oddly.protocol.evaluation import (
    Analysis,
    RankedTurn,
    TurnEvaluation,
    parse_analysis,
    parse_turn_evaluation,
)
from tests.engines.talking import lines_in
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
    os.write(pipe[1], b"genmove b\nname\n2147483648 stop\nstop now\n")
    assert not commands.is_stopped()
    os.write(pipe[1], b"stop # now\n")
    assert commands.is_stopped()
    assert commands.has_more()
    heard = [getattr(commands.next(), "name", "?") for _ in range(5)]
    assert heard == ["genmove", "name", "?", "stop", "stop"]
    assert not commands.is_stopped()


def test_stop_is_seen_behind_any_number_of_lines(pipe):
    commands = CommandInput(pipe[0])
    lines = [f"{number} name" for number in range(30_000)]
    text = "".join(f"{line}\n" for line in lines).encode()
    os.set_blocking(pipe[1], False)
    for start in range(0, len(text), 10_000):
        os.write(pipe[1], text[start : start + 10_000])
        assert not commands.is_stopped()
    os.write(pipe[1], b"stop\nversion\n")
    assert commands.is_stopped()
    assert [commands.next().id for _ in lines] == list(range(30_000))
    assert commands.is_stopped()
    assert [commands.next().name for _ in range(2)] == ["stop", "version"]
    assert not commands.has_more()


def test_input_is_not_read_ahead_without_end(pipe, monkeypatch):
    monkeypatch.setattr("oddly.engines.stdio.MAX_AHEAD", 1000)
    commands = CommandInput(pipe[0])
    for _ in range(2):
        os.write(pipe[1], b"name\n" * 300)
        assert not commands.is_stopped()
    assert select.select(pipe[:1], [], [], 0)[0] == [pipe[0]]
    assert {commands.next().name for _ in range(600)} == {"name"}
    assert not commands.has_more()


def test_a_stop_is_seen_behind_any_number_of_comments(pipe, monkeypatch):
    monkeypatch.setattr("oddly.engines.stdio.MAX_AHEAD", 1000)
    commands = CommandInput(pipe[0])
    for _ in range(10):
        os.write(pipe[1], b"# a comment\n" * 100)
        assert not commands.is_stopped()
    os.write(pipe[1], b"st")
    assert not commands.has_more()
    os.write(pipe[1], b"op\n")
    assert commands.is_stopped()
    assert commands.next().name == "stop"


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
    assert replies[4:6] == [
        ["=4"],
        ["?5 syntax error: an interval is from 0.01 to 1000000 s, not 0"],
    ]
    assert served.line() == "=6"


KNOWN = """
    set_game xodd|set_game odd min_group 2|set_game ayu pie true|set_game odd board square
    boardsize 2|clear_board|setup w B... passes 1|setup b B.|setup w B... swap
    play b Ba1|play w Wb1,Wa2|play b pass|play w swap|play b b1-b2|play b resign
    genmove b|genmove w|reg_genmove b|undo|legal_turns|legal_turns 2
    showboard|group_counts|final_score|game_over W+ adjudication: x|evaluate|evaluate Ba1|solve 0
    analyze 0.01|stop|ponder|last_evaluation|time_control 10+2|time_left b 5.000 0
    time_settings 1 1 1|opponent 300+2.5 Deep Odd|list_settings|list_options|set_option seed 7
    known_command stop|name|version|list_commands|list_games|protocol_version|oddly_version
"""
LINES = lines_in(KNOWN)
PIECES = st.text(
    st.sampled_from("abwBW019 -,.+#/x\t\r\x00\x7f\x1b=?é☃\u2028\u0130\u0660"), max_size=4
)


class Analyst(RandomEngine):
    """Has an opinion at once, and goes on until the next command."""

    can_analyze = True

    def analyze(self, position, interval, has_more):
        turn = next(position.legal_turns())
        while True:
            yield Analysis((RankedTurn(turn, 1, 0.5, None, (turn,)),))
            if has_more(60):
                return

    def last_evaluation(self):
        return TurnEvaluation(0.5)


@st.composite
def lines(draw):
    """A line of the protocol, often with an id, and sometimes with a piece of it exchanged."""
    text = draw(st.sampled_from(LINES))
    if draw(st.booleans()):
        text = f"{draw(st.sampled_from((0, 7, 2**31 - 1, 2**31)))} {text}"
    if draw(st.integers(0, 2)) == 0:
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 4))
        text = text[:start] + draw(PIECES) + text[end:]
    return text.replace("boardsize", "boardsize 2 #") if "boardsize" in text else text


def ids_to_come(sent):
    """The id of each line that is to be answered, None without one. Nothing of ours reads it."""
    found = []
    for line in sent:
        words = re.sub("[\0-\x08\x0b-\x1f\x7f]", "", line.split("#")[0]).replace("\t", " ")
        if first := words.strip(" ").split(" ")[0]:
            is_id = re.fullmatch("[0-9]+", first) and int(first) < 2**31
            found.append(str(int(first)) if is_id else "")
    return found


@given(st.lists(lines(), max_size=12))
@settings(max_examples=60)
def test_any_lines_are_answered_one_by_one(sent):
    reading, writing = os.pipe()
    os.write(writing, "".join(f"{line}\n" for line in [*sent, "99 name"]).encode())
    os.close(writing)
    dispatcher = Dispatcher(Analyst(), create_game("xodd", 2))
    with tempfile.TemporaryFile() as output:
        serve(dispatcher, reading, output.fileno())
        output.seek(0)
        *replies, nothing = output.read().decode().split("\n\n")
    os.close(reading)
    assert nothing == ""
    assert replies[-1] == "=99 random"
    assert not [reply for reply in replies if "internal error" in reply]
    heads = [re.match(r"[=?]([0-9]*)(?: |\n|$)", reply) for reply in replies]
    assert [head and head[1] for head in heads] == ids_to_come([*sent, "99 name"])
