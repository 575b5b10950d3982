"""Random games of all four games, judged by `games/` and by the brute force at every turn."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import brute_force
from tests.games.lockstep import Pair, any_turn, turn_from_text
from tests.games.positions import place

SEEDS = st.integers(0, 2**32 - 1)


def case(name, sizes, **options):
    """A game's name, size and settings."""
    return st.tuples(st.just(name), sizes, st.fixed_dictionaries(options))


def odd(bases, sizes, min_group):
    on_squares = case("odd", sizes, board=st.just("square"), min_group=min_group)
    return case("odd", bases, board=st.just("hexhex"), min_group=min_group) | on_squares


SMALL = {
    "yodd": case("yodd", st.sampled_from([3, 4, 2])),
    "xodd": case("xodd", st.sampled_from([4, 5, 3, 2])),
    "odd": odd(st.integers(2, 3), st.integers(2, 5), st.integers(1, 8)),
    "ayu": case("ayu", st.sampled_from([3, 5, 7]), pie=st.booleans()),
}
LARGE = {
    "yodd": case("yodd", st.integers(4, 13)),
    "xodd": case("xodd", st.integers(5, 19)),
    "odd": odd(st.integers(4, 13), st.integers(4, 19), st.integers(1, 30)),
    "ayu": case("ayu", st.sampled_from([9, 11, 13, 15, 17, 19]), pie=st.booleans()),
}

ALL_GAMES = pytest.mark.parametrize("name", SMALL)


@ALL_GAMES
@given(data=st.data(), seed=SEEDS)
@settings(max_examples=10)
def test_whole_games_on_small_boards_offer_the_same_turns_and_results(name, data, seed):
    random = Random(seed)
    pair = Pair.at_start(*data.draw(SMALL[name]))
    for _ in range(200):
        pair.assert_same_position()
        pair.assert_same_turns()
        for _ in range(8):
            pair.assert_same_judgement(any_turn(pair.naive, random))
        if pair.position.is_over:
            break
        pair = pair.play(_some_turn(pair.naive.legal_turns, random))


def _some_turn(legal: list[str], random: Random) -> str:
    """Any legal turn; a pass or a swap, which are few among many, more often than the rest."""
    if legal[0] in ("pass", "swap") and random.random() < 0.1:
        return legal[0]
    return random.choice(legal)


@pytest.mark.sampled
@ALL_GAMES
@given(data=st.data(), seed=SEEDS)
@settings(max_examples=12)
def test_games_on_larger_boards_judge_sampled_turns_alike(name, data, seed):
    random = Random(seed)
    pair = Pair.at_start(*data.draw(LARGE[name]))
    for _ in range(400):
        turn = any_turn(pair.naive, random)
        pair.assert_same_judgement(turn)
        if pair.position.is_legal(turn_from_text(turn)):
            pair = pair.play(turn)
    pair.assert_same_position()


@pytest.mark.parametrize(
    ("name", "size", "options", "depth"),
    [
        ("yodd", 2, {}, 3),
        ("xodd", 2, {}, 7),
        ("odd", 2, {"board": "square"}, 4),
        ("odd", 2, {}, 3),
        ("ayu", 3, {"pie": True}, 4),
        ("ayu", 5, {"pie": True}, 3),
    ],
)
def test_keys_are_equal_exactly_for_the_same_position(name, size, options, depth):
    """All positions of the first turns; each is played on from once."""
    keys: dict[object, object] = {}
    frontier = [Pair.at_start(name, size, options)]
    for _ in range(depth):
        reached = [pair.play(turn) for pair in frontier for turn in pair.naive.legal_turns]
        frontier = []
        for pair in reached:
            if pair.naive.identity not in keys:
                frontier.append(pair)
            assert keys.setdefault(pair.naive.identity, pair.position.key) == pair.position.key
    assert len(set(keys.values())) == len(keys)


@ALL_GAMES
@given(data=st.data(), seed=SEEDS)
@settings(max_examples=12)
def test_a_position_is_not_changed_by_the_turns_played_from_it(name, data, seed):
    random = Random(seed)
    pair = Pair.at_start(*data.draw(SMALL[name]))
    for _ in range(10):
        if pair.position.is_over:
            break
        key, stones = pair.position.key, list(pair.position.stones)
        after = pair.play(random.choice(pair.naive.legal_turns))
        pair.assert_same_position()
        assert (pair.position.key, list(pair.position.stones)) == (key, stones)
        pair = after


@pytest.mark.parametrize("name", ["yodd", "xodd"])
@given(data=st.data(), seed=SEEDS)
@settings(max_examples=20)
def test_turns_with_a_drop_are_the_legal_turns_that_contain_it(name, data, seed):
    random = Random(seed)
    pair = Pair.at_start(*data.draw(SMALL[name]))
    for _ in range(random.randrange(6)):
        if not pair.position.is_over:
            pair = pair.play(random.choice(pair.naive.legal_turns))
    for vertex in pair.naive.neighbours:
        for colour in "BW":
            (drop,) = turn_from_text(f"{colour}{vertex}").drops  # type: ignore[union-attr]
            turns = [str(turn) for turn in pair.position.turns_with(drop)]
            expected = [t for t in pair.naive.legal_turns if f"{colour}{vertex}" in t.split(",")]
            assert sorted(turns) == sorted(expected)


@given(seed=SEEDS)
@settings(max_examples=40)
def test_ayu_is_played_alike_from_any_arrangement_of_pieces(seed):
    """Games from the start seldom come to large groups with holes in them; these begin there."""
    random = Random(seed)
    size, filled = random.choice([3, 5, 5, 5]), random.uniform(0.2, 0.9)
    pieces = {v: random.choice("BW") for v in brute_force.square(size) if random.random() < filled}
    pieces["a1"] = "B"
    pair = _arranged(size, pieces)
    for _ in range(6):
        pair.assert_same_position()
        pair.assert_same_turns()
        for _ in range(8):
            pair.assert_same_judgement(any_turn(pair.naive, random))
        if pair.position.is_over:
            break
        pair = pair.play(random.choice(pair.naive.legal_turns))


@given(seed=SEEDS)
@settings(max_examples=25)
def test_ayus_repetitions_are_seen_alike(seed):
    """The turns of a known cycle are preferred, so that positions do come back."""
    random = Random(seed)
    pieces = dict.fromkeys(["b2", "b5", "c2", "d2", "d3", "d4"], "B")
    pieces |= dict.fromkeys(["a1", "a2", "a3", "a4", "e2", "e3"], "W")
    pair = _arranged(5, pieces)
    for _ in range(30):
        pair.assert_same_position()
        if pair.position.is_over:
            break
        known = ["d4-b3", "a1-b4", "b3-d4", "b4-a1"]
        legal = pair.naive.legal_turns
        pair = pair.play(random.choice([t for t in known if t in legal] * 20 + legal))


def _arranged(size: int, pieces: dict[str, str]) -> Pair:
    """Ayu with these pieces, Black to move."""
    black, white = (" ".join(v for v in pieces if pieces[v] == colour) for colour in "BW")
    naive = brute_force.NaiveAyu(brute_force.square(size), pieces)
    return Pair(place("ayu", size, black, white), naive)
