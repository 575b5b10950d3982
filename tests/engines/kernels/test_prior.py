"""What a search takes for granted: features are alike for images, weights fit, and they order."""

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from oddly.engines.kernels.group_features import FEATURES, edge_distances, pattern_classes
from oddly.engines.kernels.group_rules import MASKS
from oddly.engines.kernels.interface import load as load_state
from oddly.engines.kernels.interface import new_state, safe_actions
from oddly.engines.kernels.learnt import (
    FEATURE_MODULES,
    FEATURES_AN_ACTION,
    can_learn,
    classes_of,
    describe,
    new_prior,
    shipped_weights,
    weight_count,
    weights_file,
)
from oddly.engines.rave_engine import RaveEngine, tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games.board import hexhex_board, square_board
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from oddly.games.turns import EMPTY, Colour, Drop
from oddly.protocol.notation import parse_time_control
from oddly.study.game_properties import image, symmetries_of

LEARNERS = [("yodd", 3), ("xodd", 4), ("odd", 3)]
MAX_BYTES = 2_000_000


def described(game, position) -> dict[int, list[int]]:
    """The classes of the features of each action of a position."""
    state = new_state(game)
    load_state(state, position)
    actions = np.zeros(2 * len(state[0]) + 400, np.int32)
    count = safe_actions(state, actions)
    features = np.zeros((count, FEATURES_AN_ACTION), np.int32)
    prior = new_prior(game, np.zeros(weight_count(game), np.float32))
    describe(state, prior, actions, count, features)
    rows = classes_of(game)[features].tolist()
    return dict(zip(actions[:count].tolist(), rows, strict=True))


@pytest.mark.parametrize(("name", "size"), LEARNERS)
def test_images_of_an_action_have_the_same_features(name, size):
    game, draw = create_game(name, size), Random(name)
    vertices, index = game.board.vertices, game.board.index
    for _ in range(3):
        turns, position = [], game.start()
        while not position.is_over and len(turns) < size:
            turns.append(random_turn(position, draw))
            position = position.play(turns[-1])
        found = described(game, DropPosition(position))
        empty = [v for v, stone in zip(vertices, position.stones, strict=True) if stone == EMPTY]
        for symmetry in symmetries_of(game):
            if symmetry.exchanges:
                continue
            moved = game.start()
            for turn in turns:
                moved = moved.play(image(game, turn, symmetry))
            other = described(game, DropPosition(moved))
            assert len(other) == len(found)
            for vertex, colour in product(empty, Colour):
                to = vertices[symmetry.to[index[vertex]]]
                one, two = (game.action_number(Drop(colour, at)) for at in (vertex, to))
                assert found.get(one) == other.get(two)


@pytest.mark.parametrize(
    ("shape", "fewest", "most"), [("hexhex", 300, 6000), ("square", 8000, 9000)]
)
def test_turned_patterns_are_one_class(shape, fewest, most):
    classes, count = pattern_classes(shape)
    assert fewest < count < most
    assert classes[1 << 0] == classes[1 << 2] == classes[1 << 4] == classes[1 << 6]
    # Of the one colour or the other, and beside the point or across a corner.
    assert classes[1 << 0] != classes[(1 << 0) * MASKS]
    assert classes[1 << 0] != classes[1 << 1]
    assert len(classes) == MASKS * MASKS < FEATURES


def test_distances_from_the_edge():
    assert edge_distances(square_board(3)) == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert max(edge_distances(hexhex_board(4))) == 3
    assert edge_distances(square_board(1)) == [0]


@pytest.mark.parametrize(("name", "size"), LEARNERS)
def test_the_action_with_the_highest_score_is_tried_first(name, size):
    game = create_game(name, size)
    weights = np.zeros(weight_count(game), np.float32)
    found = described(game, DropPosition(game.start()))
    # At the start the pattern or the distance tells some drops from all others.
    rows = [row for row in found.values() if len(set(map(tuple, found.values()))) > 1]
    best = max(map(tuple, rows))
    weights[list(best)] = 5.0
    searcher = Searcher(game, megabytes=4, prior=new_prior(game, weights))
    searcher.load(DropPosition(game.start()))
    settings = replace(tuned_for(game), trust=1000.0, spread=0.01)
    searcher.think(settings, simulations=1)
    (tried,) = [action for action, vote in searcher.votes().items() if vote.visits]
    assert sum(weights[found[tried]]) == max(sum(weights[row]) for row in found.values())


@pytest.mark.parametrize("name", ["yodd", "xodd", "odd", "ayu"])
def test_what_ships_fits_the_game(name):
    game = create_game(name, 5)
    weights = shipped_weights(game)
    assert can_learn(game) is (type(game) in FEATURE_MODULES)
    assert weights_file(game) == f"{name}_prior.npy"
    if weights is not None:
        assert weights.shape == (weight_count(game),)
        assert weights.dtype == np.float32
        assert np.isfinite(weights).all()
        assert weights.nbytes <= MAX_BYTES


@pytest.mark.parametrize(
    ("name", "learning", "simulations", "learns"),
    [
        ("yodd", None, 0, False),
        ("yodd", None, 10_000, True),
        ("yodd", None, 10_001, False),
        ("xodd", None, 4000, True),
        ("xodd", None, 4001, False),
        ("xodd", "always", 0, True),
        ("yodd", "never", 100, False),
    ],
)
def test_an_option_says_whether_to_go_by_what_was_learnt(name, learning, simulations, learns):
    engine = RaveEngine()
    game = create_game(name, 3)
    engine.set_option("simulations", str(simulations))
    if learning is not None:
        engine.set_option("learning", learning)
    trust = tuned_for(game).trust if learns else 0.0
    assert engine.settings(game) == replace(tuned_for(game), trust=trust, puct=0.0)
    engine.set_option("level", "3")
    assert engine.settings(game).trust == 0


@pytest.mark.parametrize(
    ("name", "time", "learns"),
    [
        ("yodd", "0.1", True),
        ("yodd", "0.3", False),
        ("yodd", "1+0.1", False),
        ("yodd", "none", False),
        ("xodd", "0.1", False),
    ],
)
def test_turns_may_be_so_short_that_what_was_learnt_helps(name, time, learns):
    engine = RaveEngine()
    engine.time.control = parse_time_control(time)
    assert bool(engine.settings(create_game(name, 3)).trust) is learns


@pytest.mark.parametrize(
    ("board", "options", "learns"),
    [
        ("yodd 8", {}, True),
        ("yodd 8", {"simulations": "80000"}, True),
        ("yodd 8", {"network": "never"}, False),
        ("yodd 8", {"learning": "never"}, False),
        ("yodd 8", {"level": "9"}, False),
        ("yodd 7", {}, False),
        ("xodd 12", {}, False),
    ],
)
def test_beside_the_network_what_was_learnt_helps_in_long_searches_of_yodd(board, options, learns):
    name, size = board.split()
    engine = RaveEngine()
    engine.time.control = parse_time_control("10")
    for option, text in options.items():
        engine.set_option(option, text)
    assert bool(engine.settings(create_game(name, int(size))).trust) is learns
