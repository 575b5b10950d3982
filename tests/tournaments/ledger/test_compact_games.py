"""Played games as columns, against the objects that they stand for."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from oddly.games import create_game
from oddly.tournaments import RoundRobin
from oddly.tournaments.formats.derived_plans import ResumedPlan
from oddly.tournaments.formats.format import Event
from oddly.tournaments.ledger.compact_games import CompactGames
from oddly.tournaments.results.schedule import ListedOpenings

ODD, YODD = create_game("odd", 2), create_game("yodd", 2)
ENGINES = "a", "b", "c"
EVENT = Event("spring", 1, (ODD, YODD), ENGINES, {ODD: ListedOpenings([("Ba1",), ("Wa1",)])})
FORMAT = RoundRobin(3)
PAIRS = FORMAT.fixed_pairs(ENGINES)


def games_of(plan):
    return list(iter(plan.next, None))


SCHEDULE = games_of(FORMAT.plan(EVENT))


def row(game):
    """The row of a game that the first player won in 7 turns."""
    kind = json.dumps([game.game.name, game.game.size, dict(game.game.settings)])
    opening = " ".join(game.opening)
    place = game.round, game.number, opening, game.seed, game.first, game.second
    return game.id, kind, *place, "first", "board full", 7, 0.0, 12


@given(st.sets(st.sampled_from(SCHEDULE)), st.sets(st.integers(1, 3)), st.booleans())
def test_a_schedule_without_its_full_rounds_comes_to_the_same_games(some, rounds, replayed):
    played = [game for game in SCHEDULE if game in some or game.round in rounds]
    rows = [row(game) for game in played]
    if replayed and rows:
        rows[0] = (f"{played[0].id}-2", *rows[0][1:])
    earlier = CompactGames(rows)
    full = earlier.full_rounds(PAIRS)
    assert full >= {
        (str(game.game), game.round, game.opening) for game in SCHEDULE if game.round in rounds
    }
    known = earlier.by_scheduled_id()
    others = earlier.by_scheduled_id(full)
    assert set(others.values()) == {
        game
        for game in earlier
        if (str(game.scheduled.game), game.scheduled.round, game.scheduled.opening) not in full
    }
    skipping = ResumedPlan(FORMAT.plan(replace(EVENT, full_rounds=full)), others)
    assert games_of(skipping) == games_of(ResumedPlan(FORMAT.plan(EVENT), known))
    assert games_of(ResumedPlan(FORMAT.plan(EVENT), known)) == [
        game for game in SCHEDULE if game not in played
    ]


def test_games_of_engines_outside_the_schedule_fill_no_round():
    rows = [row(replace(game, first="x") if game.first == "a" else game) for game in SCHEDULE]
    assert CompactGames(rows).full_rounds(PAIRS) == set()


def test_columns_are_the_games():
    columns = CompactGames([row(game) for game in SCHEDULE])
    assert [played.scheduled for played in columns] == SCHEDULE
    assert list(columns.by_scheduled_id()) == [game.id for game in SCHEDULE]


def test_ids_that_no_schedule_gives_stay_as_they_are():
    ids = ["0123456789abcdef", "0123456789ABCDEF", "01234567 89abcde", "match-1", "abc", ""]
    columns = CompactGames([(identity, *row(SCHEDULE[0])[1:]) for identity in ids])
    assert [played.scheduled.id for played in columns] == ids
    known = columns.by_scheduled_id()
    assert known["match"].scheduled.id == "match-1"
    assert all(known[identity].scheduled.id == identity for identity in ids if "-" not in identity)
