"""What was learnt: features are alike for images, weights fit, and a search goes by them.

Of the judge of positions, kernel and features agree, and images are worth the same.
"""

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
    JUDGED_FEATURES,
    MAX_WORTH,
    NO_JUDGE,
    TEMPO,
    UNIT,
    can_learn,
    classes_of,
    describe,
    features_seen,
    has_judge,
    judged,
    new_judge,
    new_prior,
    shipped,
    shipped_weights,
    weight_count,
    weights_file,
    worth_classes,
    worth_count,
    worths_file,
)
from oddly.engines.rave_engine import RaveEngine, tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games.board import hexhex_board, square_board
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from oddly.games.turns import EMPTY, Colour, Drop, Drops
from oddly.protocol.notation import parse_time_control
from oddly.study.game_properties import image, symmetries_of

LEARNERS = [("yodd", 3), ("xodd", 4), ("odd", 3)]
JUDGED_BOARDS = [("yodd", 4), ("xodd", 5)]
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


def turns_of(game, seed, length):
    """Random turns from the start, before the end of the game."""
    draw, position, turns = Random(seed), game.start(), []
    while len(turns) < length:
        turn = random_turn(position, draw)
        if (after := position.play(turn)).is_over:
            break
        position = after
        turns.append(turn)
    return turns


def state_after(game, turns, drops=()):
    """The state after turns, and some drops of the next one."""
    at = game.start()
    for turn in turns:
        at = at.play(turn)
    position = DropPosition(at)
    for drop in drops:
        position = position.act(drop)
    state = new_state(game)
    load_state(state, position)
    return state


def some_worths(game, seed=1):
    """A worth of both kinds for each class, within bounds."""
    return np.random.default_rng(seed).normal(0, 0.5, (2, worth_count(game))).astype(np.float32)


@pytest.mark.parametrize(("name", "size"), JUDGED_BOARDS)
def test_the_kernel_adds_up_what_is_seen(name, size):
    game = create_game(name, size)
    worths, judge = some_worths(game), new_judge(game, some_worths(game))
    classes, signs, _ = worth_classes(game.board.shape)
    rounded = np.round(UNIT * worths[:, classes] * signs) / UNIT
    for seed in range(6):
        turns = turns_of(game, seed, 2 * seed)
        first = next(action for action in state_drops(game, turns))
        for drops in ((), (first,)):
            state = state_after(game, turns, drops)
            features, amounts = features_seen(state, game.board)
            empty = np.count_nonzero(state.names[state.points] == 0) / len(game.board)
            early, late = (rounded[:, features] * amounts).sum(axis=1)
            odds, told = judged(state, judge.worths, judge.edges)
            assert told == pytest.approx(empty)
            assert odds == pytest.approx(empty * early + (1 - empty) * late)


def state_drops(game, turns):
    """The first drops that are legal after some turns."""
    at = game.start()
    for turn in turns:
        at = at.play(turn)
    position = DropPosition(at)
    return [action for action in position.actions() if hasattr(action, "vertex")]


def exchanged(turn):
    """The turn with stones of the other colours; as many groups as before are on the board."""
    if not isinstance(turn, Drops):
        return turn
    return Drops(tuple(Drop(drop.colour.other, drop.vertex) for drop in turn.drops))


@pytest.mark.parametrize(("name", "size"), JUDGED_BOARDS)
def test_images_are_worth_the_same_and_exchanged_colours_the_opposite(name, size):
    game, worths = create_game(name, size), some_worths(create_game(name, size))
    worths[:, TEMPO - JUDGED_FEATURES :] = 0
    judge = new_judge(game, worths)
    turns = turns_of(game, 3, 5)

    def odds(turns):
        return judged(state_after(game, turns), judge.worths, judge.edges)[0]

    assert abs(odds(turns)) > 0.1
    for symmetry in symmetries_of(game):
        if not symmetry.exchanges:
            moved = [image(game, turn, symmetry) for turn in turns]
            assert odds(moved) == odds(turns)
            assert odds([exchanged(turn) for turn in moved]) == -odds(turns)


@pytest.mark.parametrize(("name", "size"), JUDGED_BOARDS)
def test_a_search_goes_by_the_judge_as_far_as_it_has_faith(name, size):
    game, worths = create_game(name, size), np.zeros((2, worth_count(create_game(name, size))))
    worths[:, TEMPO - JUDGED_FEATURES - 1] = MAX_WORTH
    judge = new_judge(game, worths)
    turns = turns_of(game, 1, 2)
    position = game.start()
    for turn in turns:
        position = position.play(turn)

    def found(judge, judge_share):
        searcher = Searcher(game, megabytes=4, judge=judge)
        searcher.load(DropPosition(position))
        searcher.think(replace(tuned_for(game), trust=0.0, judge_share=judge_share), simulations=60)
        return searcher.votes()

    without = found(NO_JUDGE, 0.0)
    assert found(judge, 0.0) == found(NO_JUDGE, 0.5) == without
    assert found(judge, 0.5) != without


@pytest.mark.parametrize("name", ["yodd", "xodd", "odd", "ayu"])
def test_the_judge_that_ships_fits_the_game(name):
    game = create_game(name, 5)
    worths = shipped(worths_file(game))
    assert has_judge(game) is (name in {"yodd", "xodd"})
    assert worths_file(game) == f"{name}_judge.npy"
    if worths is not None:
        assert worths.shape == (2, worth_count(game))
        assert worths.dtype == np.float32
        assert np.abs(worths).max() < MAX_WORTH


@pytest.mark.parametrize(
    ("name", "options", "judge_share"),
    [
        ("yodd", {"simulations": "1000"}, 0.0),
        ("xodd", {"judge": "0.25"}, 0.25),
        ("yodd", {"level": "3", "judge": "0.25"}, 0.0),
    ],
)
def test_an_option_says_how_far_to_go_by_the_judge(name, options, judge_share):
    engine = RaveEngine()
    for option, text in options.items():
        engine.set_option(option, text)
    assert engine.settings(create_game(name, 3)).judge_share == judge_share
