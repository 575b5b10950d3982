"""The network: the kernel does what a slow, independent reckoning of the same weights does."""

import tomllib
from importlib.resources import files
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oddly.engines.kernels.interface import action_count, legal_actions, load, new_state
from oddly.engines.kernels.network import (
    CHANNELS,
    FACTS,
    NO_NETWORK,
    PLANES,
    WEIGHTS,
    evaluate,
    network_file,
    new_network,
    own_room,
    shapes,
    ways_on,
)
from oddly.engines.rave_engine import NETWORK_BOARDS
from oddly.games import Colour
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.games.legal_turns import random_turn
from oddly.games.turns import Drop

GAMES = [create_game("yodd", 3), create_game("xodd", 4)]
LAYERS = 3


def some_weights(game, seed=1):
    """Weights of three layers, so small that no number grows out of hand."""
    draw = np.random.default_rng(seed)
    wanted = shapes(len(ways_on(game.board)), LAYERS)
    return {name: draw.normal(0, 0.15, shape).astype(np.float32) for name, shape in wanted.items()}


def a_position(game, seed):
    """A position before the end of a game, perhaps after the first drop of a turn."""
    draw, position = Random(seed), game.start()
    for _ in range(draw.randrange(len(game.board))):
        after = position.play(random_turn(position, draw))
        if after.is_over:
            break
        position = after
    at = DropPosition(position)
    first = [action for action in at.actions() if isinstance(action, Drop)]
    if draw.random() < 0.5 and first and position.stones.count(0) < len(game.board):
        at = at.act(draw.choice(first))
    return at


def stones_of(at):
    """The stone on each cell: None, or a colour."""
    stones = [None if stone == 0 else Colour(stone) for stone in at.start.stones]
    for drop in at.drops:
        stones[at.game.board.index[drop.vertex]] = drop.colour
    return stones


def groups_of(board, stones, colour):
    """The number of each cell's group of a colour; 0 where it has none."""
    names = [0] * len(board)
    for start in range(len(board)):
        if stones[start] is not colour or names[start]:
            continue
        names[start] = 1 + max(names)
        reached = [start]
        for cell in reached:
            for near in board.neighbours[cell]:
                if stones[near] is colour and not names[near]:
                    names[near] = names[start]
                    reached.append(near)
    return names


def facts_of(at, stones, groups):
    """The facts of a position."""
    side = at.start.to_move
    black, white = (max(groups[colour]) for colour in (Colour.BLACK, Colour.WHITE))
    lead = (white - black) / 4 * (1 if side is Colour.BLACK else -1)
    fill = sum(stone is not None for stone in stones) / len(stones)
    moment = [0.0, 0.0, 0.0]
    moment[0 if not at.drops else 1 + (black + white) % 2] = 1.0
    return np.array([*moment, lead, fill, lead * fill])


def planes_of(at, stones, groups):
    """What the first layer sees of each cell, shape (cells, PLANES)."""
    side = at.start.to_move
    planes = np.zeros((len(stones), PLANES))
    for cell, stone in enumerate(stones):
        if stone is not None:
            planes[cell, 0 if stone is side else 1] = 1
            continue
        planes[cell, 2] = 1
        for first, colour in ((3, side), (6, side.other)):
            near = {groups[colour][other] for other in at.game.board.neighbours[cell]} - {0}
            planes[cell, first : first + min(len(near), 3)] = 1
    return planes


def spread_out(board, x, weights):
    """What a layer makes of each cell's numbers and those around it, without the bias."""
    at = {place: cell for cell, place in enumerate(board.coordinates)}
    found = np.zeros((len(board), weights.shape[2]))
    for cell, (column, row) in enumerate(board.coordinates):
        for number, (up, right) in enumerate(ways_on(board)):
            if (seen := at.get((column + right, row + up))) is not None:
                found[cell] += x[seen] @ weights[number]
    return found


def reckoned(at, weights):
    """The score of each action, by its number."""
    board, stones = at.game.board, stones_of(at)
    groups = {colour: groups_of(board, stones, colour) for colour in (Colour.BLACK, Colour.WHITE)}
    facts = facts_of(at, stones, groups)
    x = spread_out(board, planes_of(at, stones, groups), weights["first"])
    x = np.maximum(x + weights["first_bias"] + facts @ weights["facts"], 0)
    for number in range(LAYERS):
        more = spread_out(board, x, weights["layers"][number]) + weights["layer_biases"][number]
        if number == 1:
            seen = np.concatenate([x.mean(0), x.max(0)])
            more += seen @ weights["pooling"] + weights["pooling_bias"]
        x = np.maximum(x + more, 0)
    summary = np.concatenate([x.mean(0), x.max(0), facts])
    drops = x @ weights["drops"] + weights["drops_bias"]
    if at.start.to_move is Colour.WHITE:
        drops = drops[:, ::-1]
    return np.concatenate([drops.ravel(), summary @ weights["others"] + weights["others_bias"]])


def asked(at, network):
    """What the kernel says: the share of each legal action."""
    state, count = new_state(at.game), action_count(at.game)
    load(state, at)
    actions, shares = np.zeros(count, np.int32), np.zeros(count, np.float32)
    legal = int(legal_actions(state, actions))
    evaluate(state, network, actions, 0, legal, shares)
    return dict(zip(actions[:legal].tolist(), shares[:legal].tolist(), strict=True))


@pytest.mark.parametrize("game", GAMES, ids=str)
@settings(deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_kernel_finds_what_is_reckoned_cell_by_cell(game, seed):
    at, weights = a_position(game, seed), some_weights(game)
    shares = asked(at, new_network(game, weights))
    odds = np.exp(reckoned(at, weights)[list(shares)])
    assert list(shares.values()) == pytest.approx(list(odds / odds.sum()), abs=1e-4)


@pytest.mark.parametrize("game", GAMES, ids=str)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_exchanged_colours_exchange_the_shares(game, seed):
    position = a_position(game, seed).start
    assume(any(position.stones))
    stones = [stone and Colour(stone).other for stone in position.stones]
    other = game.set_up(stones, position.to_move.other, position.status)
    network = new_network(game, some_weights(game))
    shares = asked(DropPosition(position), network)
    other_shares = asked(DropPosition(other), network)
    drops = 2 * len(game.board)
    for action, share in shares.items():
        image = action ^ 1 if action < drops else action
        assert other_shares[image] == pytest.approx(share, abs=1e-5)


@pytest.mark.parametrize(("name", "size"), [("odd", 4), ("ayu", 5)])
def test_other_games_have_no_network(name, size):
    game = create_game(name, size)
    assert new_network(game) is NO_NETWORK
    shares = asked(DropPosition(game.start()), NO_NETWORK)
    assert list(shares.values()) == pytest.approx([1 / len(shares)] * len(shares))


def test_a_network_ships_for_each_board_that_the_engine_names_with_a_card():
    package = files("oddly.engines.kernels")
    shipped = {file.name for file in package.iterdir() if file.name.endswith("_network.npz")}
    boards = {network_file(create_game(name, size)) for name, size in NETWORK_BOARDS}
    assert boards == shipped
    for name, size in NETWORK_BOARDS:
        game = create_game(name, size)
        network = new_network(game)
        expected = shapes(len(ways_on(game.board)), len(network.layers))
        assert {part: getattr(network, part).shape for part in WEIGHTS} == expected
        assert all(np.isfinite(getattr(network, part)).all() for part in WEIGHTS)
        card = package.joinpath(network_file(game)).name.replace(".npz", ".toml")
        facts = tomllib.loads(package.joinpath(card).read_text(encoding="utf-8"))
        assert facts["game"] == f"{name} {size}"
        assert len(facts["loss"]) == 4


def test_threads_share_weights_and_have_room_of_their_own():
    game = GAMES[0]
    network = new_network(game, some_weights(game))
    other = own_room(network)
    assert other.layers is network.layers
    for name in ("codes", "one", "two", "sums", "summary"):
        assert not np.shares_memory(getattr(other, name), getattr(network, name))
    assert (CHANNELS % 4, network.summary.shape) == (0, (2 * CHANNELS + FACTS,))
