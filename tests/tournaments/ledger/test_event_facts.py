"""The event of a ledger: engines and question, and which changes leave games their meaning."""

from dataclasses import replace

import pytest

from oddly.games import Colour, create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration, GameRecord, LimitResult, PlayedTurn, Termination
from oddly.tournaments import (
    Hypotheses,
    Ledger,
    LedgerError,
    PlayingSettings,
    Question,
    RoundRobin,
    Sprt,
    Tournament,
    read_event,
)
from oddly.tournaments.formats.format import FORMATS, Event
from oddly.tournaments.ledger.event_facts import FREE, additions, contradictions, event_facts
from oddly.tournaments.results.sequential import USUAL_QUESTION
from tests.tournaments.ledger import test_store
from tests.tournaments.results.outcomes import outcome

A = EngineConfiguration("a", ("prog", "a"), parse_time_control("1"), {"seed": "1"})
B = EngineConfiguration("b", ("prog", "b"), parse_time_control("1"))
YODD, XODD = create_game("yodd", 3), create_game("xodd", 4)


def event(name, seed, rounds, games, engines, format_="round-robin"):
    settings = FORMATS[format_](rounds)
    tournament = Tournament(
        name=name, format=settings, games=tuple(games), engines=tuple(engines), seed=seed
    )
    return event_facts(tournament)


REMOVED = (
    "engine 'b' was removed but has games: put it back with active = false, or run: oddly rule "
    "LEDGER retire b --reason TEXT"
)
OLD = event("spring", 1, 2, [YODD], [A, B])


def test_the_same_event_has_no_changes():
    again = event("spring", 1, 2, [YODD], [B, A])
    assert additions(OLD, again) == contradictions(OLD, again) == []


def test_it_may_grow():
    new = event("spring", 1, 5, [XODD, YODD], [replace(A, name="<c>"), A, B])
    assert contradictions(OLD, new) == []
    assert additions(OLD, new) == [
        "engine '<c>' was added",
        "xodd 4 was added",
        "rounds changed from 2 to 5",
    ]


@pytest.mark.parametrize("games", [(40, 12), (12, 40)])
def test_a_test_may_be_shortened_and_prolonged_with_openings_from_a_file(games):
    before, after = (
        event_facts(
            Tournament(
                name="spring",
                format=Sprt(0, 10, games=number),
                games=(YODD,),
                engines=(A, B),
                openings={YODD: [(f"B{place}",) for place in ("a1", "a2", "b1")]},
            )
        )
        for number in games
    )
    assert contradictions(before, after) == []
    assert additions(before, after) == ["games changed from {} to {}".format(*games)]
    after["openings"][str(YODD)][1] = "Bc1"
    assert contradictions(before, after) == [f"the openings of {YODD} are different"]


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (("autumn", 1, 2, [YODD], [A, B]), "the name changed from 'spring' to 'autumn'"),
        (
            ("spring", 1, 2, [YODD], [A, B], "gauntlet"),
            "the format changed from 'round-robin' to 'gauntlet'",
        ),
        (("spring", 2, 2, [YODD], [A, B]), "the seed changed from 1 to 2"),
        (("spring", 1, 1, [YODD], [A, B]), "rounds changed from 2 to 1"),
        (("spring", 1, 2, [XODD], [A, B]), "yodd 3 was removed"),
        (("spring", 1, 2, [YODD], [A, replace(B, name="c")]), REMOVED),
        (
            ("spring", 1, 2, [YODD], [A, replace(B, command=("prog", "x"))]),
            "the command of engine 'b' changed from 'prog b' to 'prog x'",
        ),
        (
            ("spring", 1, 2, [YODD], [A, replace(B, time=parse_time_control("2"))]),
            "the time of engine 'b' changed from '1' to '2'",
        ),
        (
            ("spring", 1, 2, [YODD], [replace(A, options={"seed": "2"}), B]),
            "the options of engine 'a' changed from 'seed=1' to 'seed=2'",
        ),
    ],
)
def test_what_would_change_finished_games_is_said(new, said):
    assert contradictions(OLD, event(*new)) == [said]


def test_games_without_a_plan_may_get_another_name():
    old, new = ({**OLD, "format": FREE, "name": name} for name in ("spring", "autumn"))
    assert contradictions(old, new) == []
    assert additions(old, new) == ["the name changed from 'spring' to 'autumn'"]


def test_what_ends_games_may_change_and_is_said_by_its_values():
    old, new = (
        event_facts(
            Tournament(
                name="spring",
                format=RoundRobin(rounds=1),
                games=(YODD,),
                engines=(A, B),
                settings=PlayingSettings(**ends),
            )
        )
        for ends in (
            {"adjudicator": "oddly engine solver"},
            {"max_turns": 9, "max_turns_result": LimitResult.DRAW},
        )
    )
    assert contradictions(old, new) == []
    assert additions(old, new) == [
        "max_turns changed from none to 9",
        "max_turns_result changed from count to draw",
        "adjudicator changed from oddly engine solver to none",
    ]


@pytest.mark.parametrize("format_", ["round-robin", "swiss"])
def test_an_engine_without_games_may_leave_unless_pairings_depend_on_it(format_):
    old, new = (
        event("spring", 1, 2, [YODD], [A, B], format_),
        event("spring", 1, 2, [YODD], [A], format_),
    )
    assert additions(old, new) == ["engine 'b' was removed"]
    assert (contradictions(old, new, {"b"}) == []) == (format_ == "round-robin")
    assert REMOVED in contradictions(old, new, {"a"})


def test_a_gauntlet_keeps_its_challenger():
    old = event("spring", 1, 2, [YODD], [A, B], "gauntlet")
    new = event("spring", 1, 2, [YODD], [B, A], "gauntlet")
    assert contradictions(old, new) == ["the challenger changed from 'a' to 'b'"]


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
