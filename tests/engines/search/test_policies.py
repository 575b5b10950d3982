"""What a search makes of the network: asked once a node, kept whatever moves, gone by as told."""

from dataclasses import replace

import numpy as np
import pytest

from oddly.engines.kernels.interface import (
    action_count,
    is_over,
    load,
    new_state,
    position_hash,
    safe_actions,
)
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.network import NO_NETWORK, evaluate, new_network, shapes, ways_on
from oddly.engines.rave_engine import NETWORK_BOARDS, RaveEngine, tuned_for
from oddly.engines.search import tree as ring
from oddly.engines.search.searcher import Searcher
from oddly.engines.search.selection import NETWORK_VISITS
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.protocol.notation import parse_time_control
from tests.engines.kernels.test_network import some_weights
from tests.engines.search.test_tree import nodes_in_the_ring

XODD = create_game("xodd", 4)
TUNED = replace(tuned_for(XODD), trust=0.0, puct=0.3)


def flat_weights(game, **parts):
    """Weights that are all 0, but for the parts named."""
    wanted = shapes(len(ways_on(game.board)), 1)
    return {name: np.zeros(shape, np.float32) for name, shape in wanted.items()} | parts


def searcher_of(game, weights=None, **more):
    network = NO_NETWORK if weights is None else new_network(game, weights)
    searcher = Searcher(game, network=network, **{"megabytes": 8, **more})
    searcher.load(DropPosition(game.start()))
    return searcher


def policy_at_root(searcher):
    """The share of each action that is kept at the root; None if nothing is."""
    tree = searcher.tree
    node = int(ring.find(tree, position_hash(searcher.root)))
    block = int(ring.block_of(tree, node))
    at, count = int(ring.policy_of(tree, block)), int(tree.words[block + ring.COUNT])
    if at < 0:
        return None
    actions = tree.words[block + ring.HEADER : block + ring.HEADER + count].tolist()
    return dict(zip(actions, tree.floats[at : at + count].tolist(), strict=True))


def asked(searcher, weights):
    """What the network says of the root."""
    game = searcher.game
    state, count = new_state(game), action_count(game)
    load(state, DropPosition(game.start()))
    actions, shares = np.zeros(count, np.int32), np.zeros(count, np.float32)
    found = int(safe_actions(state, actions))
    evaluate(state, new_network(game, weights), actions, 0, found, shares)
    return dict(zip(actions[:found].tolist(), shares[:found].tolist(), strict=True))


@pytest.mark.sampled
@pytest.mark.parametrize("threads", [1, 3])
def test_a_node_that_is_visited_often_keeps_what_the_network_says(threads):
    weights = some_weights(XODD)
    searcher = searcher_of(XODD, weights, threads=threads)
    searcher.think(TUNED, simulations=NETWORK_VISITS // 2)
    assert policy_at_root(searcher) is None
    searcher.think(TUNED, simulations=20 * NETWORK_VISITS)
    assert policy_at_root(searcher) == pytest.approx(asked(searcher, weights), abs=1e-5)


def test_whatever_moves_nothing_that_the_network_said_is_lost():
    game = create_game("yodd", 4)
    weights = some_weights(game)
    searcher = searcher_of(game, weights, megabytes=2)
    settings = replace(TUNED, puct=0.1)
    searcher.think(settings, simulations=NETWORK_VISITS + 1)
    first = policy_at_root(searcher)
    for _ in range(3):
        # Room for more edges and for other nodes: the root's block moves again and again.
        searcher.think(settings, simulations=4000)
        assert policy_at_root(searcher) == pytest.approx(first, abs=1e-7)
        nodes_in_the_ring(searcher.tree)
    policies = 0
    for node in nodes_in_the_ring(searcher.tree):
        block = int(ring.block_of(searcher.tree, node))
        at, count = int(ring.policy_of(searcher.tree, block)), int(searcher.tree.words[block + 2])
        if at >= 0:
            policies += 1
            assert searcher.tree.floats[at : at + count].sum() == pytest.approx(1, abs=1e-4)
    assert policies > 3


def test_without_a_network_its_settings_make_no_difference():
    found = []
    for puct in (0.0, 0.5):
        searcher = searcher_of(XODD)
        searcher.think(replace(TUNED, puct=puct), simulations=2000)
        found.append(searcher.votes())
    assert found[0] == found[1]


def test_the_search_tries_more_often_what_the_network_expects():
    own = flat_weights(XODD, drops_bias=np.array([4, 0], np.float32))
    other = flat_weights(XODD, drops_bias=np.array([0, 4], np.float32))
    part = []
    for weights in (own, other):
        searcher = searcher_of(XODD, weights)
        searcher.think(replace(TUNED, puct=1.0), simulations=1500)
        votes = searcher.votes()
        black = sum(vote.visits for action, vote in votes.items() if action % 2 == 0)
        part.append(black / sum(vote.visits for vote in votes.values()))
    assert part[0] > 0.7
    assert part[1] < 0.3


def test_the_search_still_proves_the_end_of_a_game():
    game = create_game("xodd", 3)
    searcher = searcher_of(game, some_weights(game))
    settings = TUNED
    while not is_over(searcher.root):
        finding = searcher.think(settings, simulations=20_000)
        searcher.play(finding.action)
    assert finding.is_proven or finding.win_rate in {0.0, 1.0}


@pytest.mark.skipif(not HAS_NUMBA, reason="in plain Python a searcher takes no network by default")
def test_a_searcher_has_the_network_that_ships():
    for name, size in NETWORK_BOARDS:
        searcher = Searcher(create_game(name, size), megabytes=2)
        assert len(searcher.workers[0].scratch.network.layers) > 0
    assert len(Searcher(XODD, megabytes=2).workers[0].scratch.network.layers) == 0


@pytest.mark.parametrize(
    ("board", "options", "time", "consults"),
    [
        ("xodd 12", {}, None, True),
        ("xodd 12", {}, "0.1", True),
        ("xodd 12", {}, "300+2", True),
        ("yodd 8", {}, "300+2", True),
        ("yodd 8", {}, "0.1", True),
        ("xodd 12", {"simulations": "4000"}, None, False),
        ("xodd 12", {"simulations": "4001"}, None, True),
        ("yodd 8", {"simulations": "10000"}, None, False),
        ("yodd 8", {"simulations": "10001"}, None, True),
        ("xodd 12", {"simulations": "4000", "network": "always"}, None, True),
        ("yodd 8", {"learning": "always"}, "10", True),
        ("xodd 12", {"network": "never"}, "10", False),
        ("xodd 12", {"level": "9", "network": "always"}, "10", False),
        ("xodd 12", {"level": "10"}, "10", True),
        ("xodd 11", {"network": "always"}, "10", False),
        ("yodd 8", {}, "10", True),
        ("yodd 8", {"network": "always"}, "10", True),
        ("odd 5", {"network": "always"}, "10", False),
        ("ayu 11", {}, "10", False),
    ],
)
def test_a_search_goes_by_the_network_where_there_is_one(board, options, time, consults):
    name, size = board.split()
    game, engine = create_game(name, int(size)), RaveEngine()
    for option, text in options.items():
        engine.set_option(option, text)
    if time is not None:
        engine.time.control = parse_time_control(time)
    found = engine.settings(game)
    assert (found.puct > 0) is consults
    # In Xodd what was learnt of actions does not help beside the network.
    are_both = consults and found.trust > 0
    assert not are_both or name == "yodd" or options.get("network") == "always"
