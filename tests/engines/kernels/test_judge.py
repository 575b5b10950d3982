"""The judge of positions: kernel and features agree, and images are worth the same."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from oddly.engines.kernels.interface import load, new_state
from oddly.engines.kernels.learnt import (
    JUDGED_FEATURES,
    MAX_WORTH,
    NO_JUDGE,
    TEMPO,
    UNIT,
    features_seen,
    has_judge,
    judged,
    new_judge,
    shipped,
    worth_classes,
    worth_count,
    worths_file,
)
from oddly.engines.rave_engine import RaveEngine, tuned_for
from oddly.engines.search.searcher import Searcher
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from oddly.games.turns import Drop, Drops
from oddly.study.game_properties import image, symmetries_of

GAMES = [("yodd", 4), ("xodd", 5)]


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
    load(state, position)
    return state


def some_worths(game, seed=1):
    """A worth of both kinds for each class, within bounds."""
    return np.random.default_rng(seed).normal(0, 0.5, (2, worth_count(game))).astype(np.float32)


@pytest.mark.parametrize(("name", "size"), GAMES)
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


@pytest.mark.parametrize(("name", "size"), GAMES)
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


@pytest.mark.parametrize(("name", "size"), GAMES)
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
