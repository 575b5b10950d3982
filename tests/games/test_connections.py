"""The tactical statements of the Yodd and Xodd texts about connecting two groups.

"Two cells apart": the shortest way between the groups leads over two empty cells. "Safe": whatever
White does at the two cells in one turn, Black can still join the ends in his next one. Both
statements are about local shapes on an open board: no other black group touches the cells, and
there is room elsewhere for a second drop that changes parity (a lone stone will do).
"""

from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.colour import EMPTY, Colour
from oddly.games.errors import GameError
from oddly.games.game import Position, Status
from tests.games import brute_force
from tests.games.brute_force import Neighbours, Stones
from tests.games.connections import is_safe
from tests.games.lockstep import illegality, turn_from_text
from tests.games.positions import joined, place

# Base 4: the ends c5 and e4 of a rhombus, and the two cells between them.
DIAMOND, DIAMOND_CELLS = ("c5", "e4"), ("d4", "d5")
# 7x7: two stones diagonally apart, and the two points that touch both.
DIAGONAL, DIAGONAL_CELLS = ("c3", "d4"), ("d3", "c4")


def bridges(neighbours: Neighbours, one: str, other: str) -> list[tuple[str, str]]:
    """The pairs of cells (a, b) such that one-a-b-other is a path, `a` not touching `other`."""
    return [
        (a, b)
        for a in neighbours[one]
        for b in neighbours[a]
        if other in neighbours[b] and other not in neighbours[a] and one not in neighbours[b]
    ]


@pytest.mark.parametrize(
    ("name", "size", "neighbours"),
    [("yodd", 3, brute_force.hexhex(3)), ("xodd", 4, brute_force.square(4))],
)
def test_two_groups_two_cells_apart_cannot_be_joined_in_one_turn(name, size, neighbours):
    pairs = [
        (one, other)
        for one, other in combinations(neighbours, 2)
        if other not in neighbours[one] and not set(neighbours[one]) & set(neighbours[other])
    ]
    tried = 0
    for one, other in pairs:
        cells = bridges(neighbours, one, other)
        far = [v for v in neighbours if v not in (one, other) and v not in sum(cells, ())]
        if not cells or not far:
            continue
        position = place(name, size, black=f"{one} {other}", white=far[-1])
        for turn in position.legal_turns():
            assert not joined(position.play(turn), one, other), (one, other, turn)
        for a, b in cells:
            assert illegality(position, f"B{a},B{b}") == "PARITY"
            tried += 1
    assert tried > 20


def test_in_yodd_two_groups_two_cells_apart_can_be_joined_when_a_third_one_is_adjacent():
    """The stones at c4 and d4 join three black groups, which keeps parity."""
    position = place("yodd", 4, black="b4 e4 d3")
    after = position.play(turn_from_text("Bc4,Bd4"))
    assert after.group_counts == (1, 0)


def test_in_xodd_two_groups_two_points_apart_can_be_joined_when_a_third_one_is_adjacent():
    position = place("xodd", 6, black="b3 e3 c4")
    after = position.play(turn_from_text("Bc3,Bd3"))
    assert after.group_counts == (1, 0)


@pytest.mark.parametrize(
    ("white", "adjacent", "safe"),
    [
        ("g1", 0, True),
        ("d3", 1, False),
        ("d6", 1, False),
        ("e3 d3", 1, False),
        ("d3 d6 g1", 2, True),
        ("e3 c4 g1", 2, True),
        ("e3 c4 d6", 3, False),
        ("d3 c6 e5", 3, False),
    ],
)
def test_a_diamond_is_safe_with_zero_or_two_adjacent_opponent_groups_and_unsafe_otherwise(
    white, adjacent, safe
):
    position = place("yodd", 4, "c5 e4", white, to_move=Colour.WHITE)
    assert len(_touching(position, DIAMOND_CELLS)) == adjacent
    assert is_safe(position, DIAMOND, DIAMOND_CELLS) == safe
    assert position.is_legal(turn_from_text("Wd4,Wd5")) != safe


def test_a_diamond_with_four_adjacent_opponent_groups_is_safe_too():
    """Four is the most there can be; the text counts it among the unsafe, but parity forbids it."""
    position = place("yodd", 4, "c5 e4", "e3 c4 c6 e5 g1", to_move=Colour.WHITE)
    assert len(_touching(position, DIAMOND_CELLS)) == 4
    assert is_safe(position, DIAMOND, DIAMOND_CELLS)


@pytest.mark.parametrize(
    ("white", "adjacent", "safe"),
    [
        ("g7", 0, False),
        ("e3", 1, True),
        ("c5", 1, True),
        ("e3 d2 g7", 2, False),
        ("e3 b4 g7", 2, False),
        ("e3 d2 c5", 3, True),
        ("d2 b4 c5", 3, True),
        ("e3 d2 b4 c5 g7", 4, False),
    ],
)
def test_a_diagonal_is_safe_with_one_or_three_adjacent_opponent_groups_and_unsafe_otherwise(
    white, adjacent, safe
):
    """Here no white group touches both points, as the text takes for granted."""
    position = place("xodd", 7, "c3 d4", white, to_move=Colour.WHITE)
    assert len(_touching(position, DIAGONAL_CELLS)) == adjacent
    assert is_safe(position, DIAGONAL, DIAGONAL_CELLS) == safe
    assert position.is_legal(turn_from_text("Wd3,Wc4")) != safe


def test_a_diagonal_is_unsafe_if_the_one_opponent_group_touches_both_points():
    """White's chain around c3 takes both points without changing the number of groups."""
    position = place("xodd", 7, "c3 d4", "d2 c2 b2 b3 b4", to_move=Colour.WHITE)
    assert len(_touching(position, DIAGONAL_CELLS)) == 1
    assert not is_safe(position, DIAGONAL, DIAGONAL_CELLS)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_white_may_take_both_cells_of_any_diamond_exactly_with_an_odd_number_of_groups_there(
    seed,
):
    position = _random_position("yodd", 4, DIAMOND, DIAMOND_CELLS, seed)
    adjacent = len(_touching(position, DIAMOND_CELLS))
    assert position.is_legal(turn_from_text("Wd4,Wd5")) == (adjacent in (1, 3))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_white_may_take_both_points_of_any_diagonal_exactly_with_an_even_number_of_groups_there(
    seed,
):
    """Groups that touch both points, which the text leaves aside, count as one more in all."""
    position = _random_position("xodd", 7, DIAGONAL, DIAGONAL_CELLS, seed)
    one, other = (_touching(position, (cell,)) for cell in DIAGONAL_CELLS)
    even = (len(one | other) + bool(one & other)) % 2 == 0
    assert position.is_legal(turn_from_text("Wd3,Wc4")) == even


def _random_position(
    name: str, size: int, ends: tuple[str, str], cells: tuple[str, str], seed: int
) -> Position:
    """A random position of White's turn, with black stones on the ends and the cells empty."""
    random = Random(seed)
    game = place(name, size).game
    while True:
        filled = random.random()
        stones = [
            random.choice(list(Colour)) if random.random() < filled else EMPTY
            for _ in game.board.vertices
        ]
        for vertices, stone in ((ends, Colour.BLACK), (cells, EMPTY)):
            for vertex in vertices:
                stones[game.board.index[vertex]] = stone
        try:
            return game.set_up(stones, Colour.WHITE, Status())
        except GameError:
            continue


def _touching(position: Position, cells: tuple[str, ...]) -> set[frozenset[str]]:
    """The white groups next to any of the cells, by the brute force."""
    board = position.game.board
    neighbours = (brute_force.hexhex if board.shape == "hexhex" else brute_force.square)(board.size)
    stones: Stones = {
        vertex: Colour(stone).letter
        for vertex, stone in zip(board.vertices, position.stones, strict=True)
        if stone != EMPTY
    }
    return {
        frozenset(brute_force.group_of(neighbours, stones, near))
        for cell, near in product(cells, board.vertices)
        if near in neighbours[cell] and stones.get(near) == "W"
    }
