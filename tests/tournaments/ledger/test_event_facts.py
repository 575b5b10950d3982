"""Which changes of an event leave its finished games their meaning."""

from dataclasses import replace

import pytest

from oddly.games import create_game
from oddly.protocol import parse_time_control
from oddly.referee import EngineConfiguration
from oddly.tournaments import Sprt, Tournament
from oddly.tournaments.formats.format import FORMATS
from oddly.tournaments.ledger.event_facts import additions, contradictions, event_facts

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
