"""What random games of Ayu prefer, against surroundings and chances found by hand."""

import random
import tomllib
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from oddly.engines.kernels import ayu_playout
from oddly.engines.kernels import interface as kernel
from oddly.engines.kernels.ayu_playout import (
    SURROUNDINGS,
    UNIT,
    policy_table,
    surroundings_of,
)
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.numbers import generator
from oddly.engines.rave_engine import RaveEngine
from oddly.games import Ayu, DropPosition, create_game
from tests.engines.kernels.lockstep import assert_drawn_by, loaded, reached
from tests.engines.kernels.test_playouts import made_by
from tests.games.positions import walked
from tools import learn_ayu_policy as tool
from tools.learn_ayu_policy import classes_of_surroundings

AROUND = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y]


def seen_from(position, vertex):
    """The surroundings of a point, from the rules' own board."""
    board, stones, own = position.game.board, position.stones, position.to_move
    x, y = board.coordinates[vertex]
    found = 0
    for bit, (right, up) in enumerate(AROUND):
        there = (x + right, y + up)
        stone = stones[board.coordinates.index(there)] if there in board.coordinates else None
        found |= (stone in (own, None)) << bit
        found |= (stone in (own.other, None)) << bit + 8
    return found


def moves_of(position):
    cells = len(position.game.board)
    numbers = [position.game.action_number(a) for a in DropPosition(position).actions()]
    return [number for number in numbers if number < cells * cells]


def promise(position, number):
    table, cells = policy_table(), len(position.game.board)
    origin, destination = (seen_from(position, point) for point in divmod(number, cells))
    return int(table[origin]) + int(table[SURROUNDINGS + destination])


@pytest.mark.parametrize("size", [3, 5, 9, 11, 13])
@pytest.mark.parametrize("moves", [0, 1, 12, 25])
def test_surroundings_are_those_of_the_rules_board(size, moves):
    position = walked(Ayu(size), random.Random(size + moves), moves)
    numbers = np.array(moves_of(position), np.int64)
    seen = np.zeros((len(numbers), 2), np.int64)
    surroundings_of(loaded(DropPosition(position)), numbers, len(numbers), seen)
    cells = size * size
    assert seen.tolist() == [[seen_from(position, p) for p in divmod(n, cells)] for n in numbers]


@pytest.mark.sampled
@pytest.mark.skipif(not HAS_NUMBA, reason="thousands of games")
@pytest.mark.parametrize("best_of", [2, 3])
def test_the_most_promising_of_some_moves_is_played(best_of):
    position, games = reached(Ayu(5), 7, 6), 30_000
    numbers = generator(best_of)
    moves = moves_of(position.start)
    promises = {move: promise(position.start, move) for move in moves}
    assert len(set(promises.values())) > 3
    expected = {}
    for move, worth in promises.items():
        below = sum(other < worth for other in promises.values())
        equal = sum(other == worth for other in promises.values())
        chance = ((below + equal) ** best_of - below**best_of) / len(moves) ** best_of
        expected[(move,)] = games * chance / equal
    seen = made_by(
        lambda *to: kernel.rollout(to[0], numbers, *to[1:], 1, 0.25, best_of), position, games
    )
    assert set(seen) <= set(expected)
    assert_drawn_by(seen, expected)


def test_what_is_turned_or_reflected_is_preferred_alike():
    classes, count = classes_of_surroundings()
    assert sorted(set(classes.tolist())) == list(range(count))
    # Burnside's lemma: of four ways to fill a point, the mean number of fixed fillings.
    assert count == (4**8 + 2 * 4**2 + 4**4 + 4 * 4**5) // 8
    for one, bits in ((0b1, (0, 2, 5, 7)), (0b10, (1, 3, 4, 6))):
        for shift in (0, 8):
            assert len({int(classes[1 << bit + shift]) for bit in bits}) == 1
            assert classes[one << shift] in {classes[1 << bit + shift] for bit in bits}
    table = policy_table().reshape(2, SURROUNDINGS)
    for end, first in product((0, 1), range(0, count, 97)):
        assert len(set(table[end][classes == first].tolist())) == 1


def test_a_card_says_from_what_it_was_learnt():
    card = tomllib.loads(Path(ayu_playout.__file__).with_name("ayu_policy.toml").read_text("ascii"))
    assert card["command"].startswith("python -m tools.learn_ayu_policy 11 ")
    assert card["game"] == str(Ayu())
    assert card["positions"] > 10_000
    nothing, learnt = card["loss"]
    assert learnt < nothing


def test_the_slope_is_that_of_the_loss():
    numbers = np.random.default_rng(3)
    classes, count = classes_of_surroundings()
    ends = numbers.integers(0, 300, (9, 2))
    parts = np.array([0.2, 0.8, 0.0, 1.0, 0.0, 0.0, 0.5, 0.25, 0.25])
    examples = tool.Examples(ends, parts, np.array([0, 3, 6]), np.arange(3))
    weights = numbers.normal(size=(2, count))
    slope, step = tool.gradient(examples, weights, classes), 1e-5
    for end, place in {(end, int(classes[ends[move, end]])) for move in range(9) for end in (0, 1)}:
        losses = []
        for sign in (1, -1):
            other = weights.copy()
            other[end, place] += sign * step
            losses.append(tool.loss(examples, other))
        assert slope[end, place] == pytest.approx((losses[0] - losses[1]) / (2 * step), abs=1e-6)
    some = examples.some(np.array([0, 2]))
    assert some.parts.tolist() == [0.2, 0.8, 0.0, 0.5, 0.25, 0.25]
    assert (some.first.tolist(), some.game.tolist()) == ([0, 3], [0, 2])


@pytest.mark.skipif(not HAS_NUMBA, reason="searches")
def test_the_tool_learns_from_games_and_writes_a_card(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["tool", "5", "--games", "24", "--simulations", "60", "--unguided"]
    monkeypatch.setattr("sys.argv", words)
    tool.main()
    card = tomllib.loads((tmp_path / "ayu_policy.toml").read_text("ascii"))
    nothing, learnt = card["loss"]
    assert 0 < learnt < nothing
    with np.load(tmp_path / "ayu_policy.npz") as arrays:
        table = arrays["preferences"]
    assert (table.shape, table.dtype) == ((2, SURROUNDINGS), np.int16)
    assert 0 < np.abs(table).max() < 20 * UNIT
    assert "game 1 of 24" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "told"), [("5 --games 7", "at least 8"), ("4", "odd")])
def test_the_tool_refuses_what_it_cannot_learn_from(words, told, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["tool", *words.split()])
    with pytest.raises(SystemExit, match="2"):
        tool.main()
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("size", "options", "best_of", "plies"),
    [
        (11, {}, 3, 12),
        (9, {}, 3, 12),
        (7, {}, 1, 2),
        (11, {"simulations": 5000}, 3, 12),
        (11, {"simulations": 4000}, 1, 8),
        (9, {"simulations": 4000}, 1, 2),
        (11, {"level": 9}, 1, 8),
        (11, {"level": 10}, 3, 12),
        (11, {"best_of": 1}, 1, 8),
        (11, {"best_of": 2}, 2, 12),
        (11, {"best_of": 2, "plies": 5}, 2, 5),
        (11, {"simulations": 100, "best_of": 3}, 3, 12),
        (7, {"best_of": 3}, 3, 2),
    ],
)
def test_levels_and_short_searches_of_studies_draw_all_moves_alike(size, options, best_of, plies):
    engine = RaveEngine()
    for name, value in options.items():
        engine.set_option(name, str(value))
    found = engine.settings(Ayu(size))
    assert (found.best_of, found.plies) == (best_of, plies)


def test_no_other_game_has_a_policy_of_random_games():
    for name in ("yodd", "xodd", "odd"):
        assert RaveEngine().settings(create_game(name)).best_of == 1
