"""The event of a ledger: its engines, the question it is played for, and what holds a test up."""

from dataclasses import replace

import pytest

from oddly.games import Colour, create_game
from oddly.referee import GameRecord, PlayedTurn, Termination
from oddly.tournaments import Hypotheses, Ledger, LedgerError, Question, Sprt, read_event
from oddly.tournaments.formats.format import Event
from oddly.tournaments.results.sequential import USUAL_QUESTION
from tests.tournaments.ledger import test_store
from tests.tournaments.results.outcomes import outcome

GAME = create_game("odd", 2)
FACTS = {**test_store.FACTS, "rounds": 3, "games": [str(GAME)], "engines": {"a": {}, "b": {}}}


def pairs(number):
    (contest,) = Event("spring", 1, (GAME,), ("a", "b")).contests().values()
    return [contest.pair("a", "b", round_) for round_ in range(1, number + 1)]


def record(scheduled, ended):
    turns = (PlayedTurn(Colour.BLACK, scheduled.id, 0.1),)
    return GameRecord(GAME, (scheduled.first, scheduled.second), ("", ""), 1, turns, ended)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spring.sqlite"


def test_an_event_says_what_it_tests():
    told = {"elo0": -10, "elo1": 10, "alpha": 0.01, "beta": 0.1, "scale": "bradley-terry"}
    assert Sprt.asks(told) == Question(Hypotheses(-10, 10, 0.01, 0.1), "bradley-terry")
    for others in ({}, {**told, "elo0": 99}, {**told, "scale": "?"}, {**told, "beta": "b"}):
        assert Sprt.asks(others) == USUAL_QUESTION


def test_a_running_and_a_void_game_hold_up_the_test_of_the_event(path):
    (first, second), (third, fourth), (fifth, sixth) = pairs(3)
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        for scheduled in (first, second, third, fourth, fifth, sixth):
            ledger.announce(scheduled)
        for scheduled in (third, fourth, fifth, sixth):
            ledger.add(scheduled.id, record(scheduled, outcome(0)), scheduled)
        assert [game.id for game in ledger.unfinished()] == [first.id, second.id]
        void = outcome(None, Termination.VOID)
        ledger.add(first.id, record(first, void), first)
        ledger.add(second.id, record(second, outcome(1)), second)
        assert [game.id for game in ledger.unfinished()] == [first.id]
    with Ledger(path, read_only=True) as ledger:
        (test,) = read_event(ledger).summaries()[0].tests
    assert (test.counts.pairs, test.not_counted) == (0, 2)
    with Ledger(path) as ledger:
        ledger.add(first.id, record(first, outcome(0)), first)
        assert ledger.unfinished() == []
        (test,) = read_event(ledger).summaries()[0].tests
    assert (test.counts.pairs, test.openings, test.not_counted) == (3, 3, 0)


def test_engines_that_were_not_entered_come_after_the_others(path):
    ((first, second),) = pairs(1)
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.add(first.id, record(replace(first, first="x"), outcome(0)))
        ledger.add(second.id, record(second, outcome(0)))
        event = read_event(ledger)
    assert list(event.engines) == ["a", "b", "x"]
    assert event.question() is None
    assert {row.name for row in event.summaries()[0].table} == {"a", "b", "x"}


def test_a_ledger_without_an_event_is_refused(path):
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="a ledger without an event"):
        read_event(ledger)
