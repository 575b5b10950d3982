"""Whatever lines come, well-formed or not, each has its one reply, in order and with its id."""

import os
import re
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.random_engine import RandomEngine
from oddly.engines.stdio import serve
from oddly.games.catalogue import create_game
from oddly.protocol.analysis import Analysis, RankedTurn
from oddly.protocol.evaluation import TurnEvaluation
from tests.engines.talking import lines_in

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
