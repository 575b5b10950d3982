"""What a profile counts, against a count by hand over the records themselves."""

import random
from collections import Counter
from contextlib import closing

import pytest

from oddly.interfaces.arena.pages.profiles import Met, Profiles, WinsAndLosses, names_of
from oddly.tournaments import Ledger, rule
from oddly.tournaments.ledger.event_facts import FREE
from tests.interfaces.arena.made_up import random_games

NAMES = ["ann 1", "bob", "cat <b>", "dan"]
ENGINES = {name: {"command": [], "time": "none", "options": {}} for name in NAMES}
EVENT = {"name": "pool", "format": FREE, "seed": 0, "rounds": 1, "games": ["xodd 3"],
         "engines": ENGINES}  # fmt: skip


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "pool.sqlite") as ledger:
        ledger.begin(EVENT)
        yield ledger


@pytest.fixture
def profiles(ledger):
    with closing(Profiles(ledger.path)) as profiles:
        yield profiles


def add(ledger, records):
    for identity, record in records.items():
        ledger.add(identity, record)


def score_of(record, seat):
    winner = record.outcome.winner
    return WinsAndLosses(winner == seat, winner is None, winner == 1 - seat)


def colour_of(record, seat):
    """The colour that the player of a seat had last, by its last turn."""
    for number in reversed(range(len(record.turns))):
        if number % 2 == seat:
            return str(record.turns[number].colour)
    raise AssertionError


def total(scores):
    found = WinsAndLosses()
    for score in scores:
        found = found.plus(score)
    return found


def check(profile, name, records):
    """Compare a profile with the records."""
    seats = [
        (record, record.players.index(name))
        for record in records.values()
        if name in record.players
    ]
    for colour, found in (("black", profile.as_black), ("white", profile.as_white)):
        of_colour = [each for each in seats if colour_of(*each) == colour]
        assert found == total(score_of(*each) for each in of_colour)
    for met in profile.met:
        against = [(record, seat) for record, seat in seats if met.opponent in record.players]
        assert met.score == total(score_of(*each) for each in against)
    assert profile.opponents == len({record.players[1 - seat] for record, seat in seats})
    faults = Counter(
        record.outcome.termination
        for record, seat in seats
        if record.outcome.is_forfeit and record.outcome.winner == 1 - seat
    )
    assert dict(profile.faults) == faults
    endings = Counter(record.outcome.termination for record, _ in seats)
    assert Counter(dict(profile.endings)) + faults == endings
    own = Counter(record.turns[0].turn for record, seat in seats if not (record.opening or seat))
    assert {each.turns: each.score.games for each in profile.own} == own
    given = Counter(
        " ".join(turn.turn for turn in record.turns[:2]) for record, _ in seats if record.opening
    )
    assert {each.turns: each.score.games for each in profile.given} == given
    assert sum(profile.hours) == len(seats)
    thought = sum(
        turn.seconds for record, seat in seats for turn in record.turns[record.opening :][
            (seat - record.opening) % 2 :: 2]
    )  # fmt: skip
    assert profile.seconds == pytest.approx(thought, abs=1e-3)


def test_a_profile_is_what_the_records_say(ledger, profiles):
    draw = random.Random(11)
    records = random_games(NAMES, 120, draw)
    add(ledger, records)
    assert not profiles.is_complete
    profiles.refresh()
    assert profiles.is_complete
    for name in NAMES:
        check(profiles.of([name], 100, 100), name, records)
    later = {f"later {key}": record for key, record in random_games(NAMES, 30, draw).items()}
    add(ledger, later)
    profiles.refresh()
    check(profiles.of(["bob"], 100, 100), "bob", records | later)


def test_an_annulled_game_counts_no_more(ledger, profiles):
    records = random_games(NAMES[:2], 6, random.Random(3))
    add(ledger, records)
    profiles.refresh()
    rule(ledger, "annul", ["game-2"], "a test")
    profiles.refresh()
    del records["game-2"]
    check(profiles.of(["bob"], 100, 100), "bob", records)


def test_tables_are_bounded_and_the_sums_are_not(ledger, profiles):
    records = random_games(NAMES, 60, random.Random(5))
    add(ledger, records)
    profiles.refresh()
    profile = profiles.of(["bob"], 1, 2)
    assert (len(profile.met), profile.opponents, len(profile.own)) == (1, 3, 2)
    games = sum("bob" in record.players for record in records.values())
    assert profile.as_black.games + profile.as_white.games == games
    assert profile.met[0].score.games == max(
        sum({"bob", other} == {*record.players} for record in records.values()) for other in NAMES
    )


def test_an_engine_that_was_renamed_keeps_its_games(ledger, profiles):
    assert names_of("c", {"a": "c", "x": "y", "b": "c"}) == ["c", "a", "b"]
    records = random_games(NAMES, 40, random.Random(6))
    add(ledger, records)
    profiles.refresh()
    both = profiles.of(["bob", "dan"], 100, 100)
    one, other = (profiles.of([name], 100, 100) for name in ("bob", "dan"))
    assert both.as_black == one.as_black.plus(other.as_black)
    met = profiles.of(["ann 1"], 1, 100, {"bob": "dan", "for now": "dan"})
    assert met.opponents == 2
    against = [record for record in records.values() if "ann 1" in record.players]
    dans = [record for record in against if {"bob", "dan"} & {*record.players}]
    cats = len(against) - len(dans)
    assert [(each.opponent, each.score.games) for each in met.met] == [
        max(("dan", len(dans)), ("cat <b>", cats), key=lambda each: each[1])
    ]


@pytest.mark.parametrize(
    "present", [{}, {"bob": "ann 1", "cat <b>": "dan"}, {"dan": 'a "new" one é'}]
)
def test_an_opponents_results_are_those_under_all_its_names(ledger, profiles, present):
    records = random_games([*NAMES, "eve"], 80, random.Random(8))
    add(ledger, records)
    profiles.refresh()
    by_hand = {}
    for record in records.values():
        if "eve" not in record.players:
            continue
        seat = record.players.index("eve")
        other = record.players[1 - seat]
        scores = by_hand.setdefault(present.get(other, other), [[], []])
        colour = colour_of(record, seat)
        scores[("black", "white").index(colour)].append(score_of(record, seat))
    expected = [Met(name, *map(total, scores)) for name, scores in by_hand.items()]
    expected.sort(key=lambda each: (-each.score.games, each.opponent))
    for most in (1, 2, 100):
        profile = profiles.of(["eve"], most, 1, present)
        assert profile.met == expected[:most]
        assert profile.opponents == len(expected)
    assert profiles.of(["nobody"], 100, 1, present).opponents == 0
