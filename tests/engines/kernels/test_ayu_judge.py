"""Ayu's judge against sums made window by window and distances found by flood fill."""

import random
import tomllib
from functools import cache
from itertools import combinations, product
from pathlib import Path

import pytest

from oddly.engines.engine import create_engine
from oddly.engines.kernels import ayu_playout as ayu_shapes
from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.ayu_playout import images, judge_table, lead, steps_to_join
from oddly.games.ayu import Ayu
from oddly.games.ayu_units import units
from oddly.games.drop_level import DropPosition
from oddly.games.result import Status
from oddly.games.turns import EMPTY, Colour
from tests.engines.kernels.lockstep import loaded
from tests.games.positions import walked
from tools.learn_ayu_shapes import counted, numbered, play, regression

SIZES = (3, 5, 7, 9, 11, 13)


def position_of(size: int, seed: int, moves: int):
    return walked(Ayu(size), random.Random(seed), moves)


def lead_of(position) -> float:
    return float(lead(loaded(DropPosition(position))))


@cache
def learnt():
    text = Path(ayu_shapes.__file__).with_name("ayu_shapes.toml").read_text("ascii")
    return tomllib.loads(text)["board"]


def letters_of(position) -> dict[tuple[int, int], str]:
    """By column and row from 0; `#` for the points around the board."""
    size = position.game.size
    around = range(-1, size + 1)
    letters = {(column, row): "#" for column in around for row in around}
    spelled = {EMPTY: ".", Colour.BLACK: "b", Colour.WHITE: "w"}
    for (x, y), stone in zip(position.game.board.coordinates, position.stones, strict=True):
        letters[x - 1, y - 1] = spelled[stone]
    return letters


def worth_of_window(shapes, rows: list[str]) -> float:
    """Looked up under every turn, reflection and exchange of colours."""
    for sign, exchange in ((1, {}), (-1, str.maketrans("bw", "wb"))):
        for upper, lower in (rows, rows[::-1]):
            for step in (1, -1):
                name = f"{upper[::step]}/{lower[::step]}".translate(exchange)
                if name in shapes:
                    return sign * shapes[name]
    return 0.0


def judged_by_hand(position) -> float:
    size, letters = position.game.size, letters_of(position)
    board = min(learnt(), key=lambda b: abs(b["size"] - size))
    total = board["turn"] * (1 if position.to_move is Colour.BLACK else -1)
    nearer = spanning_length(position, Colour.WHITE) - spanning_length(position, Colour.BLACK)
    total += board["step"] * nearer
    for first, second in product(range(-1, size - 1), range(-1, size)):
        lying = [[letters[first + x, second + y] for x in range(3)] for y in range(2)]
        upright = [[letters[second + x, first + y] for y in range(3)] for x in range(2)]
        for window in (lying, upright):
            total += worth_of_window(board["shapes"], ["".join(line) for line in window])
    return total


def spanning_length(position, colour: Colour) -> int:
    """Kruskal's algorithm over the distances between all units."""
    board, stones = position.game.board, position.stones
    found = units(board, stones, colour)
    edges = []
    for one, other in combinations(range(len(found)), 2):
        distance = steps_between(board, stones, found[one], found[other])
        if distance is not None:
            edges.append((distance, one, other))
    tree = list(range(len(found)))
    length = 0
    for distance, one, other in sorted(edges):
        if tree[one] != tree[other]:
            length += distance
            tree = [tree[one] if name == tree[other] else name for name in tree]
    return length


def steps_between(board, stones, one, other) -> int | None:
    """How many empty points lie on the shortest way."""
    wave, seen, distance = set(one), set(one), 0
    while wave:
        around = {n for index in wave for n in board.neighbours[index]}
        if around & other:
            return distance
        wave = {n for n in around if stones[n] == EMPTY} - seen
        seen |= wave
        distance += 1
    return None


@pytest.mark.sampled
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("moves", [0, 5, 14, 40])
def test_the_lead_is_what_turn_steps_and_windows_add_up_to(size, moves):
    position = position_of(size, seed=size + moves, moves=moves)
    assert lead_of(position) == pytest.approx(judged_by_hand(position), abs=1e-4)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(5))
def test_the_sides_of_the_board_and_the_colours_are_alike(seed):
    position = position_of(9, seed, moves=10 + seed)
    game, board = position.game, position.game.board
    expected = lead_of(position)
    index = {point: place for place, point in enumerate(board.coordinates)}

    def turned(change, exchange):
        stones = [EMPTY] * len(board)
        for place, (x, y) in enumerate(board.coordinates):
            stone = position.stones[place]
            if stone != EMPTY:
                stones[index[change(x, y)]] = Colour(stone).other if exchange else stone
        to_move = position.to_move.other if exchange else position.to_move
        return lead_of(game.set_up(stones, to_move, Status()))

    assert turned(lambda x, y: (10 - x, y), exchange=False) == pytest.approx(expected, abs=1e-4)
    assert turned(lambda x, y: (y, 10 - x), exchange=False) == pytest.approx(expected, abs=1e-4)
    assert turned(lambda x, y: (x, y), exchange=True) == pytest.approx(-expected, abs=1e-4)


@pytest.mark.parametrize("size", SIZES)
def test_the_kernel_measures_the_steps_like_flood_fill(size):
    for moves in (0, 4, 12, 30):
        position = position_of(size, seed=moves, moves=moves)
        state = loaded(DropPosition(position))
        for number, colour in enumerate((Colour.BLACK, Colour.WHITE)):
            assert steps_to_join(state, number) == spanning_length(position, colour)


@pytest.mark.sampled
def test_what_is_learnt_is_what_the_kernel_adds_up():
    create_engine("rave").load(Ayu(size=5))
    examples = play(Ayu(size=5), games=2, simulations=20)
    windows, features = counted(examples)
    worths = [judge_table(5)[ayu_shapes.TURN], judge_table(5)[ayu_shapes.STEPS]]
    shapes = min(learnt(), key=lambda b: abs(b["size"] - 5))["shapes"]
    worths += [worth_of_window(shapes, [window[:3], window[3:]]) for window in windows]
    state = kernel.new_state(Ayu(size=5))
    for points, white, values in zip(examples.points, examples.to_move < 0, features, strict=True):
        stones = [(EMPTY, Colour.BLACK, Colour.WHITE)[number] for number in points.ravel()]
        to_move = Colour.WHITE if white else Colour.BLACK
        kernel.load(state, DropPosition(Ayu(size=5).set_up(stones, to_move, Status())))
        assert float(lead(state)) == pytest.approx(float(values @ worths), abs=1e-4)


def test_a_regression_finds_the_worths_that_made_the_results():
    import numpy as np

    random_numbers = np.random.default_rng(1)
    features = random_numbers.normal(size=(20_000, 3)).astype(np.float32)
    worths = np.array([0.5, -1.0, 0.0])
    chances = 1 / (1 + np.exp(-features @ worths))
    won = (random_numbers.random(20_000) < chances).astype(float)
    assert regression(features, won) == pytest.approx(worths, abs=0.06)


def test_windows_and_their_exchanged_colours_cancel():
    table = judge_table(9)
    for first in (ayu_shapes.LYING, ayu_shapes.UPRIGHT):
        assert table[first : first + 4096].any()
    windows, _, sign = numbered()
    assert len(windows) == len(set(windows))
    assert sign.sum() == 0
    assert images("b.....") == {"b.....", "..b...", "...b..", ".....b"}
