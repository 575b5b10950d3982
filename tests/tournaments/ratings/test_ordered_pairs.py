"""Games are counted by ordered pair, once each, whatever their order."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.tournaments.ratings.ordered_pairs import (
    WINNERS,
    RatedGame,
    collect,
    from_counts,
    problem,
)

NAMES = st.sampled_from(["a", "b", "c", "\x1b[2J", "é"])
PAIRS = st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1])
GAMES = st.builds(lambda pair, winner: (*pair, winner), PAIRS, st.sampled_from(WINNERS))
LISTS = st.lists(GAMES, max_size=40)


@given(LISTS)
def test_the_counts_are_those_of_a_naive_recount(games):
    results = collect(games)
    naive = Counter(games)
    for index, (one, other) in enumerate(zip(results.first, results.second, strict=True)):
        pair = results.names[one], results.names[other]
        assert results.wins[index] == naive[*pair, "first"]
        assert results.draws[index] == naive[*pair, "draw"]
        assert results.losses[index] == naive[*pair, "second"]
    assert results.games.sum() == len(games)
    assert len(results.first) == len({game[:2] for game in games})
    assert list(results.names) == sorted({name for game in games for name in game[:2]})


@given(LISTS)
def test_every_game_gives_two_engines_a_game_and_a_point_between_them(games):
    results = collect(games)
    for index, name in enumerate(results.names):
        own = [game for game in games if name in game[:2]]
        points = sum(0.5 if w == "draw" else (f if w == "first" else s) == name for f, s, w in own)
        assert results.games_of_engines()[index] == len(own)
        assert results.points_of_engines()[index] == points


@given(LISTS, st.randoms())
def test_the_order_of_the_games_changes_nothing(games, random):
    shuffled = random.sample(games, len(games))
    for one, other in zip(columns(collect(games)), columns(collect(shuffled)), strict=True):
        assert np.array_equal(one, other)


def columns(results):
    return (
        np.array(results.names), results.first, results.second,
        results.wins, results.draws, results.losses,
    )  # fmt: skip


def test_an_engine_may_have_no_games():
    results = collect([("a", "b", "first")], engines=["z", "a"])
    assert results.names == ("a", "b", "z")
    assert results.games_of_engines().tolist() == [1, 1, 0]
    assert len(collect([]).first) == 0


def test_a_game_may_be_any_sequence_of_three_words():
    assert collect([["a", "b", "first"]]).names == ("a", "b")
    for wrong in (["a", "b"], ("a", "b", "first", "x"), ("a", 5, "first"), "abc", None):
        with pytest.raises(ValueError, match="a game is three words, first, second and winner, "):
            collect([wrong])


def test_games_are_read_once_and_what_is_kept_grows_with_pairs_only():
    read = 0

    def games(times):
        nonlocal read
        for _ in range(times):
            for game in (("a", "b", "first"), ("b", "a", "draw"), ("a", "c", "second")):
                read += 1
                yield game

    few, many = collect(games(1)), collect(games(1000))
    assert read == 3 + 3000
    assert [column.size for column in columns(few)] == [column.size for column in columns(many)]
    assert many.games.tolist() == [1000, 1000, 1000]


def test_what_cannot_be_a_game_is_refused():
    assert problem(RatedGame("a", "b", "draw")) is None
    assert problem(RatedGame("", "b", "draw")) == "the name of an engine is empty"
    assert problem(RatedGame("a", "\t ", "draw")) == "the name of an engine is empty"
    assert problem(RatedGame("a", " b", "draw")) == "a name must have no spaces around it, not ' b'"
    assert problem(RatedGame("a", "a", "draw")) == "'a' plays against itself"
    assert problem(RatedGame("a", "b", "a")) == (
        "unknown winner 'a': expected one of first, second, draw"
    )
    with pytest.raises(ValueError, match="plays against itself"):
        from_counts({("a", "a", "first"): 1})
