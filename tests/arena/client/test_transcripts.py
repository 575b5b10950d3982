"""The sessions on the page of the wire, with our machine as the client."""

import json

import pytest

from oddly.arena import Hello, TurnSent, Welcome, parse_from_arena, parse_from_engine
from oddly.arena.client.events import FindOut, LeaveArena, Redial, SendMessage, SetGameUp, Think
from oddly.arena.client.identity import Identity, rules_of
from oddly.arena.client.machine import ClientMachine
from tests.arena.wire.transcripts import HOST, SECRET, transcripts

SESSIONS = {json.loads(lines[0].text)["type"]: lines for lines in transcripts()}
BEFORE_THE_CUT = """
{"type":"start","id":"g2","pool":"odd-3-60+1","game":"odd","size":3,"settings":{"board":"hexhex",\
"min_group":5},"time":"60+1","opponent":"greedy","side":0,"turns":["Ba3","Wb2"],"opening":2,\
"clocks":[60.0,60.0],"address":"http://a","rated":true,"seed":8}
{"type":"go","id":"g2","number":2,"colour":"black","last":["Wb2"],"clocks":[60.0,60.0]}
{"type":"accepted","id":"g2","number":2,"clock":50.0,"credit":0.0}
"""


class Author:
    """A machine, and an engine that answers what the session says it answers."""

    def __init__(self, about, turns) -> None:
        who = Identity("mine 1.5", "mine", "ann", SECRET, HOST, about)
        self.machine = ClientMachine(who, "mine 1.5", games=1)
        self.turns = {(turn.id, turn.number): turn for turn in turns}
        self.said = []

    def hears(self, text):
        self.does(self.machine.heard(parse_from_arena(text)))

    def does(self, effects):
        for effect in effects:
            match effect:
                case SendMessage(message):
                    self.said.append(message)
                case FindOut(pools):
                    self.does(self.machine.found_out({rules_of(pool): "" for pool in pools}))
                case SetGameUp(table):
                    self.does(self.machine.is_set(table.id))
                case Think(table):
                    turn = self.turns[table.id, table.number]
                    self.does(self.machine.answered(
                        turn.id, turn.number, turn.turn, turn.took, turn.evaluation
                    ))  # fmt: skip
                case LeaveArena() | Redial():
                    self.left = effect


def turns_of(lines):
    said = [parse_from_engine(text) for side, text in lines if side == "C"]
    return [message for message in said if isinstance(message, TurnSent)]


def test_the_first_session():
    lines = SESSIONS["hello"]
    author = Author("My first engine.", turns_of(lines))
    author.machine.connected()
    for side, text in lines:
        if side == "S":
            author.hears(text)
    assert author.said == [parse_from_engine(text) for side, text in lines if side == "C"]
    assert author.left == LeaveArena()


def test_the_session_with_a_cut():
    lines = SESSIONS["go"]
    turns = [*turns_of(lines), TurnSent("g2", 2, "Ba4", 1.0)]
    author = Author("", turns)
    author.machine.connected()
    author.machine.heard(Hello("The example", "ab" * 32, ()))
    author.machine.heard(Welcome("mine-1.5", "http://a", {}, new=False, game="g2"))
    for text in BEFORE_THE_CUT.split():
        author.hears(text)
    author.said.clear()
    for side, text in lines:
        if side == "S":
            author.hears(text)
        elif not side:
            author.machine.broken()
            author.machine.connected()
    expected = [parse_from_engine(text) for side, text in lines if side == "C"]
    assert sorted(map(str, author.said)) == sorted(map(str, expected))
    assert author.said[0] == author.said[-1]


@pytest.mark.parametrize(
    "lines", [each for each in transcripts() if "refused" in each[0].text[:20]], ids=str
)
def test_the_refusals(lines):
    author = Author("", [])
    author.machine.connected()
    author.hears(lines[0].text)
    again = json.loads(lines[0].text)["again"]
    assert isinstance(author.left, LeaveArena if again is None else Redial)
