"""A bot's turn does not lose by a rule that only the site has."""

from __future__ import annotations

import pytest

from oddly.games.catalogue import create_game
from oddly.games.result import Ending
from oddly.games.turns import Move
from oddly.interfaces.bot.service import Thinker, instead, loses_there
from oddly.protocol.evaluation import Candidate, Evaluation
from oddly.protocol.notation import parse_turn
from oddly.protocol.time_control import parse_time_control
from oddly.referee.justice.outcome import EngineFault, Termination
from oddly.referee.program.configuration import EngineConfiguration
from tests.games.positions import place


@pytest.fixture
def position():
    """A position from which b4-a1 comes back to an earlier one."""
    found = place("ayu", 5, "b2 b5 c2 d2 d3 d4", "a1 a2 a3 a4 e2 e3")
    for turn in ("d4-b3", "a1-b4", "b3-d4"):
        found = found.play(parse_turn(turn))
    return found


REPEATS = Move("b4", "a1")


def test_the_best_turn_that_repeats_nothing_is_played_instead(position):
    assert loses_there(position, REPEATS)
    legal = list(position.legal_turns())
    safe = [turn for turn in legal if turn != REPEATS]
    assert safe
    assert instead(position, [REPEATS, parse_turn("a1-a2"), safe[-1], safe[0]]) == safe[-1]
    assert instead(position, []) in safe


def test_there_may_be_no_other_turn(position, monkeypatch):
    monkeypatch.setattr(type(position), "legal_turns", lambda _: iter([REPEATS]))
    assert instead(position, []) is None


class StubbornSeat:
    """An engine that wants the repetition, and thinks well of `candidates`."""

    configuration = EngineConfiguration("stubborn", ("x",), parse_time_control("1"))

    def __init__(self, candidates):
        self.candidates = candidates

    async def choose(self, _position, _turns):
        return REPEATS, 0.1

    async def evaluate(self, _at, _turns, _patience):
        if self.candidates is None:
            raise EngineFault(Termination.PROTOCOL, "unknown command")
        shares = enumerate(self.candidates, start=1)
        listed = tuple(Candidate(turn, 1 / number, 0.5) for number, turn in shares)
        return Evaluation(0.5, 100, listed)


async def test_a_bot_in_ayu_avoids_the_repetition_that_loses_there(position):
    safe = [turn for turn in position.legal_turns() if turn != REPEATS]
    choose = Thinker._turn_of
    for candidates in (None, [], [REPEATS], [REPEATS, safe[-1]]):
        turn = await choose(bare_thinker(), StubbornSeat(candidates), position, [])
        assert turn in safe
        assert candidates is None or len(candidates) < 2 or turn == safe[-1]
        result = position.play(turn).result
        assert result is None or result.ending is not Ending.REPETITION


def bare_thinker():
    return Thinker.__new__(Thinker)


def test_other_games_have_nothing_of_the_kind():
    position = create_game("yodd", 6).start()
    assert not loses_there(position, next(position.legal_turns()))
