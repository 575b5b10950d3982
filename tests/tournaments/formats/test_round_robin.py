"""Schedules: everybody meets everybody, fairly, and nothing is renumbered when an engine joins."""

from collections import Counter
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from oddly.games import create_game
from oddly.tournaments import Gauntlet, RoundRobin
from oddly.tournaments.formats.format import Event
from oddly.tournaments.formats.round_robin import circle_pairs
from tests.tournaments.formats.schedules import round_robin

GAMES = [create_game("yodd", 3), create_game("odd", 3, {"min_group": 2}), create_game("odd", 3)]
NAMES = st.lists(st.text(min_size=1, max_size=5), min_size=2, max_size=9, unique=True)


@given(NAMES, st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**63))
def test_every_ordered_pair_plays_every_game_once_a_round(names, number, rounds, seed):
    schedule = round_robin(GAMES[:number], names, rounds, seed)
    met = Counter((game.game, game.round, game.first, game.second) for game in schedule)
    wanted = {
        (game, round_, *pair)
        for game in GAMES[:number]
        for round_ in range(1, rounds + 1)
        for pair in permutations(names, 2)
    }
    assert met == dict.fromkeys(wanted, 1)


@given(NAMES, st.integers(1, 3))
def test_colours_are_balanced_and_swapped_pairs_adjacent(names, rounds):
    schedule = round_robin(GAMES, names, rounds, 1)
    firsts = Counter(game.first for game in schedule)
    assert firsts == Counter(game.second for game in schedule)
    for one, other in zip(schedule[::2], schedule[1::2], strict=True):
        assert (one.first, one.second, one.game) == (other.second, other.first, other.game)
    assert [game.number for game in schedule] == list(range(1, len(schedule) + 1))


@given(NAMES, st.integers(1, 3), st.integers(0, 100))
def test_ids_are_unique_and_stay_when_an_engine_or_a_round_is_added(names, rounds, seed):
    small = {game.id: game for game in round_robin(GAMES, names[:-1], rounds, seed)}
    large = {game.id: game for game in round_robin(GAMES, names, rounds + 1, seed)}
    assert len(large) == len(round_robin(GAMES, names, rounds + 1, seed))
    for identity, game in small.items():
        again = large[identity]
        assert (again.first, again.second, again.seed) == (game.first, game.second, game.seed)


def test_another_seed_gives_other_seeds():
    one = round_robin(GAMES, ["a", "b", "c"], 1, 1)
    other = round_robin(GAMES, ["a", "b", "c"], 1, 2)
    assert {game.seed for game in one} & {game.seed for game in other} == set()
    assert len({game.seed for game in one}) == len(one)


@given(NAMES)
def test_in_each_round_of_the_circle_nobody_plays_twice(names):
    pairs = list(circle_pairs(names))
    assert (
        len(pairs) == len({frozenset(pair) for pair in pairs}) == len(names) * (len(names) - 1) // 2
    )
    per_round = len(names) // 2
    for start in range(0, len(pairs), per_round):
        players = [name for pair in pairs[start : start + per_round] for name in pair]
        assert len(players) == len(set(players))


def games_of(format_, names):
    plan = format_.plan(Event("", 1, tuple(GAMES), tuple(names)))
    return list(iter(plan.next, None))


@given(st.integers(2, 6), st.integers(1, 3))
def test_in_a_gauntlet_the_first_meets_each_other_in_both_seats(number, rounds):
    names = [f"e{index}" for index in range(number)]
    schedule = games_of(Gauntlet(rounds), names)
    assert len({game.id for game in schedule}) == len(schedule)
    met = Counter((game.first, game.second) for game in schedule)
    expected = [pair for other in names[1:] for pair in (("e0", other), (other, "e0"))]
    assert met == dict.fromkeys(expected, rounds * len(GAMES))


def test_a_gauntlets_games_are_among_those_of_a_round_robin():
    every = {game.id for game in games_of(RoundRobin(), "abc")}
    assert {game.id for game in games_of(Gauntlet(), "bac")} < every
