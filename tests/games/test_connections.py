"""The tactical statements of the Yodd and Xodd texts about connecting two groups.

"Two cells apart": the shortest way between the groups leads over two empty cells. "Safe": whatever
White does at the two cells in one turn, Black can still join the ends in his next one. Both
statements are about local shapes on an open board: no other black group touches the cells, and
there is room elsewhere for a second drop that changes parity (a lone stone will do).
"""

from itertools import combinations
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.games.catalogue import create_game
from oddly.games.game import Position
from oddly.games.result import Status
from oddly.games.turns import EMPTY, Colour, GameError
from tests.games import brute_force
from tests.games.brute_force import Neighbours
from tests.games.connections import is_safe
from tests.games.lockstep import illegality
from tests.games.positions import joined, naive_board, place


class Shape(NamedTuple):
    """Two ends of Black's, the cells between them, and White's turn that takes both."""

    name: str
    size: int
    ends: tuple[str, str]
    cells: tuple[str, str]
    both: str


DIAMOND = Shape("yodd", 4, ("c5", "e4"), ("d4", "d5"), "Wd4,Wd5")
DIAGONAL = Shape("xodd", 7, ("c3", "d4"), ("d3", "c4"), "Wd3,Wc4")


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


@pytest.mark.parametrize(
    ("name", "size", "black", "turn"),
    [("yodd", 4, "b4 e4 d3", "Bc4,Bd4"), ("xodd", 6, "b3 e3 c4", "Bc3,Bd3")],
)
def test_two_groups_two_cells_apart_can_be_joined_when_a_third_one_is_adjacent(
    name, size, black, turn
):
    """The stones join three black groups, which keeps parity."""
    assert place(name, size, black).play(turn).group_counts == (1, 0)


@pytest.mark.parametrize(
    ("shape", "white", "adjacent", "safe"),
    [
        (DIAMOND, "g1", 0, True),
        (DIAMOND, "d3", 1, False),
        (DIAMOND, "d6", 1, False),
        (DIAMOND, "e3 d3", 1, False),
        (DIAMOND, "d3 d6 g1", 2, True),
        (DIAMOND, "e3 c4 g1", 2, True),
        (DIAMOND, "e3 c4 d6", 3, False),
        (DIAMOND, "d3 c6 e5", 3, False),
        # Four is the most there can be; the text calls it unsafe, but parity forbids it.
        (DIAMOND, "e3 c4 c6 e5 g1", 4, True),
        (DIAGONAL, "g7", 0, False),
        (DIAGONAL, "e3", 1, True),
        (DIAGONAL, "c5", 1, True),
        (DIAGONAL, "e3 d2 g7", 2, False),
        (DIAGONAL, "e3 b4 g7", 2, False),
        (DIAGONAL, "e3 d2 c5", 3, True),
        (DIAGONAL, "d2 b4 c5", 3, True),
        (DIAGONAL, "e3 d2 b4 c5 g7", 4, False),
        # White's chain around c3 takes both points without changing the number of groups. Else no
        # white group touches both points, as the text takes for granted.
        (DIAGONAL, "d2 c2 b2 b3 b4", 1, False),
    ],
)
def test_a_shape_is_safe_by_the_number_of_adjacent_opponent_groups(shape, white, adjacent, safe):
    position = place(shape.name, shape.size, " ".join(shape.ends), white, to_move=Colour.WHITE)
    assert len(_touching(position, shape.cells)) == adjacent
    assert is_safe(position, shape.ends, shape.cells) == safe
    assert position.is_legal(shape.both) != safe


@pytest.mark.parametrize("shape", [DIAMOND, DIAGONAL], ids=lambda shape: shape.name)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_white_may_take_both_cells_of_a_diamond_with_an_odd_number_of_groups_there(shape, seed):
    """And those of a diagonal with an even one: groups that touch both count as one more in all."""
    position = _random_position(shape, seed)
    if shape is DIAMOND:
        may_take = len(_touching(position, shape.cells)) in (1, 3)
    else:
        one, other = (_touching(position, (cell,)) for cell in shape.cells)
        may_take = (len(one | other) + bool(one & other)) % 2 == 0
    assert position.is_legal(shape.both) == may_take


def _random_position(shape: Shape, seed: int) -> Position:
    """A random position of White's turn, with black stones on the ends and the cells empty."""
    random, game = Random(seed), create_game(shape.name, shape.size)
    fixed = dict.fromkeys(shape.ends, Colour.BLACK) | dict.fromkeys(shape.cells, EMPTY)
    while True:
        filled = random.random()
        stones = [
            fixed.get(vertex, random.choice(list(Colour)) if random.random() < filled else EMPTY)
            for vertex in game.board.vertices
        ]
        try:
            return game.set_up(stones, Colour.WHITE, Status())
        except GameError:
            continue


def _touching(position: Position, cells: tuple[str, ...]) -> set[frozenset[str]]:
    """The white groups next to any of the cells, by the brute force."""
    neighbours, stones = naive_board(position)
    return {
        frozenset(brute_force.group_of(neighbours, stones, near))
        for cell in cells
        for near in neighbours[cell]
        if stones.get(near) == "W"
    }
