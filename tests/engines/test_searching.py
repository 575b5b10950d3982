"""Searching from a program: what a search may answer, its repeating itself, and its refusals."""

import json

import pytest

import oddly
from oddly.engines import (
    OptionError,
    SearchedTurn,
    UnknownEngineError,
    search_all,
    searching,
    solve,
)
from oddly.games import Ayu, Odd, Xodd, Yodd
from tests.engines.running import run_python
from tests.engines.search.test_endgame import near_the_end
from tests.engines.search.test_plain_rules import OtherYodd

GAMES = [Yodd(3), Xodd(3), Odd(2, "hexhex", 1), Odd(3, "square", 2), Ayu(5)]
ENGINES = ["rave", "uct"]
MANY = 300


@pytest.fixture
def made(monkeypatch):
    """The games of the searchers that are made from now on; none is kept from before."""
    games = []
    make = searching.new_searcher

    def noting(game, **options):
        games.append(game)
        return make(game, **options)

    monkeypatch.setattr(searching, "new_searcher", noting)
    monkeypatch.setattr(searching, "_idle", [])
    return games


@pytest.mark.sampled
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("game", GAMES, ids=str)
@pytest.mark.parametrize("simulations", [1, 7, 60])
def test_turns_are_legal_and_ranked_and_their_shares_sum_up(game, engine, plain, simulations):
    position = game.start()
    found = oddly.search(position, simulations=simulations, engine=engine, plain=plain)
    assert found.simulations == simulations or found.is_proven
    assert found.best == found.turns[0]
    assert found.best.win_rate == found.win_rate
    assert len({each.turn for each in found.turns}) == len(found.turns)
    for each in found.turns:
        assert isinstance(each, SearchedTurn)
        assert 0 <= each.win_rate <= 1
        assert each.share == pytest.approx(each.visits / found.simulations)
        assert each.visits > 0
        assert each.variation[0] == each.turn
        after = position
        for turn in each.variation:
            after = after.play(turn)
    others = [each.visits for each in found.turns[1:]]
    assert others == sorted(others, reverse=True)
    # Two first drops can lead to the same turn, which is ranked once, or to no second drop yet.
    if position.most_drops == 1:
        assert sum(each.visits for each in found.turns) == found.simulations
    assert sum(each.share for each in found.turns) <= 1 + 1e-9


@pytest.mark.parametrize("plain", [False, pytest.param(True, marks=pytest.mark.sampled)])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_search_repeats_itself_whatever_was_searched_before(made, game, engine, plain):
    def again(seed=3, simulations=40):
        return oddly.search(
            game.start(), simulations=simulations, engine=engine, seed=seed, plain=plain
        )

    first = again()
    others = [again(seed) for seed in range(4, 9)]
    again(simulations=90)
    assert again() == first
    assert [found for found in others if found != first]
    assert made == [game]
    made.clear()
    searching._idle.clear()
    assert again() == first
    assert made == [game]


@pytest.mark.sampled
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "game", [Yodd(2), Xodd(3), Odd(2, "hexhex", 1), Odd(3, "square", 2)], ids=str
)
def test_what_is_proven_is_what_the_solver_says(game, engine, plain):
    proven = 0
    for seed in range(20):
        position = near_the_end(game, 4, seed)
        found = oddly.search(position, simulations=MANY, engine=engine, seed=seed, plain=plain)
        if not found.is_proven:
            continue
        proven += 1
        wins = solve(position).winner is position.to_move
        assert found.win_rate == float(wins)
        if wins:
            after = position.play(found.best.turn)
            assert (after.result or solve(after)).winner is position.to_move
    assert proven > 5


@pytest.mark.parametrize("threads", [None, 1, 3])
def test_many_positions_are_answered_like_each_of_them(threads):
    positions = [game.start() for game in GAMES]
    positions += [position.play(next(position.legal_turns())) for position in positions]
    found = search_all(iter(positions), simulations=50, seed=5, threads=threads)
    assert found == [oddly.search(each, simulations=50, seed=5) for each in positions]
    assert search_all([], simulations=50) == []


def test_a_second_search_of_a_game_makes_nothing_anew(made):
    for _ in range(2):
        oddly.search(Yodd(2).start(), simulations=5)
        oddly.search(Yodd(2).start(), simulations=9, seed=4)
    assert len(made) == 1
    oddly.search(Yodd(2).start(), simulations=5, exploration=0.5)
    oddly.search(Yodd(2).start(), simulations=5, engine="uct")
    oddly.search(Yodd(2).start(), simulations=5, threads=2)
    assert len(made) == 4


def test_a_game_without_a_kernel_is_searched_by_its_plain_rules():
    start = OtherYodd(2).start()
    found = oddly.search(start, simulations=20)
    assert found.simulations == 20 or found.is_proven
    assert start.is_legal(found.best.turn)
    assert found == oddly.search(start, simulations=20, plain=True)


def test_few_searchers_are_kept(made, monkeypatch):
    monkeypatch.setattr(searching, "KEPT", 2)
    for size in (2, 3, 4, 3, 2):
        oddly.search(Xodd(size).start(), simulations=2, plain=True)
    assert [game.size for game in made] == [2, 3, 4, 2]


def test_seconds_are_searched_and_options_change_what_is_found():
    start = Odd(3, "square", 2).start()
    assert oddly.search(start, seconds=0.01).simulations > 0
    assert oddly.search(start, seconds=0.01, plain=True).simulations > 0
    assert oddly.search(start, seconds=0.01, threads=2).best.turn in set(start.legal_turns())
    usual = oddly.search(start, simulations=200)
    assert oddly.search(start, simulations=200, exploration=9) != usual
    larger = Yodd(5).start()
    usual = oddly.search(larger, simulations=200)
    assert oddly.search(larger, simulations=200, learning="never") != usual


def test_without_a_compiler_a_search_finds_the_same():
    code = """
import json, oddly
found = oddly.search(oddly.create_game("odd", 2).start(), simulations=60, seed=2)
print(json.dumps([[str(each.turn), each.visits] for each in found.turns]))
"""
    there = json.loads(run_python("-c", code, NUMBA_DISABLE_JIT="1").stdout)
    found = oddly.search(oddly.create_game("odd", 2).start(), simulations=60, seed=2)
    assert [[str(each.turn), each.visits] for each in found.turns] == there


@pytest.mark.parametrize(
    ("wrong", "error", "sentence"),
    [
        ({}, ValueError, "a search takes either simulations or seconds, not neither$"),
        ({"simulations": 5, "seconds": 1}, ValueError, "either simulations or seconds, not both$"),
        ({"seconds": 0}, ValueError, "seconds are a number above 0, not 0$"),
        ({"seconds": float("nan")}, ValueError, "above 0, not nan$"),
        ({"seconds": "1"}, ValueError, "above 0, not '1'$"),
        ({"simulations": 0}, OptionError, "simulations is a whole number from 1 .* not 0$"),
        ({"simulations": 1.5}, OptionError, "simulations is a whole number from 1 .* not '1.5'$"),
        ({"seed": -1}, OptionError, "option seed is a whole number from 0 .* not -1$"),
        ({"threads": 0}, OptionError, "option threads is a whole number from 1 to 256, not 0$"),
        ({"engine": "rawe"}, UnknownEngineError, "unknown engine 'rawe'.* did you mean 'rave'"),
        ({"engine": "greedy"}, UnknownEngineError, "does not search: expected uct or rave$"),
        ({"engine": "uct", "plies": 3}, OptionError, "unknown option 'plies' of a search"),
        ({"level": 3}, OptionError, "unknown option 'level' of a search"),
        ({"explorations": 3}, OptionError, "did you mean 'exploration'"),
        ({"exploration": "much"}, OptionError, "option exploration is a number .* not 'much'$"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_one_sentence(wrong, error, sentence):
    usual = {} if {"simulations", "seconds"} & set(wrong) or not wrong else {"simulations": 5}
    for ask in (oddly.search, lambda position, **wish: search_all([position], **wish)):
        with pytest.raises(error, match=sentence):
            ask(Yodd(2).start(), **usual, **wrong)


def test_a_game_that_is_over_is_not_searched():
    over = Odd(2, "hexhex", 1).start()
    while not over.is_over:
        over = over.play(next(over.legal_turns()))
    with pytest.raises(ValueError, match=r"^the game is over$"):
        oddly.search(over, simulations=5)
    with pytest.raises(ValueError, match=r"^position 1: the game is over$"):
        search_all([Yodd(2).start(), over], simulations=5)


def test_inside_a_turn_nothing_is_searched():
    inside = Yodd(2).start().play("Bb2").play_action(0)
    with pytest.raises(ValueError, match=r"^a search begins at the start of a turn"):
        oddly.search(inside, simulations=5)
    with pytest.raises(ValueError, match=r"^position 1: a search begins at the start of a turn"):
        search_all([inside.start, inside], simulations=5)
    assert oddly.search(inside.start, simulations=5).turns


def test_one_search_that_fails_ends_them_all(monkeypatch):
    begun = []

    def fail(_self, position, _wish, is_stopped):
        begun.append(position)
        raise MemoryError("full")

    monkeypatch.setattr(searching._Kept, "search", fail)
    with pytest.raises(MemoryError, match="full"):
        search_all([Yodd(2).start()] * 200, simulations=5, threads=1)
    assert len(begun) < 200
