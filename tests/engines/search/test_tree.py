"""The ring of a tree: every node is found by its key, and what is recycled harms nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from engines.kernels.interface import (
    action_count,
    copy_state,
    is_over,
    new_state,
    play_action,
    position_hash,
    promising_actions,
)
from engines.kernels.randomness import generator
from engines.rave_engine import tuned_for
from engines.search.searcher import Searcher
from engines.search.simulation import simulate
from engines.search.tree import (
    FREE,
    HEAD,
    LENGTH,
    NODES,
    ROUND,
    STAMP,
    TAIL,
    add_node,
    begin_turn,
    clear,
    find,
    new_tree,
    tree_of,
)
from games.catalogue import create_game
from games.drop_level import DropPosition

BOARDS = [("yodd", 3), ("xodd", 4), ("odd", 3), ("ayu", 5)]


def nodes_in_the_ring(tree) -> list[int]:
    """The nodes from tail to head, whose headers and entries in the table are checked."""
    nodes, place, walked = [], int(tree.used[TAIL]), 0
    while walked < tree.used[LENGTH]:
        node, count = int(tree.actions[place]), int(tree.edge_visits[place])
        if node:
            assert tree.first_edge[node] == place + 1
            assert tree.edge_count[node] == count
            assert find(tree, tree.keys[node]) == node
            nodes.append(node)
        walked += count + 1
        place = (place + count + 1) % len(tree.actions)
    assert walked == tree.used[LENGTH]
    assert place == tree.used[HEAD]
    assert len(nodes) == len(set(nodes)) == np.count_nonzero(tree.slots)
    assert len(nodes) == tree.used[NODES] - 1 - tree.used[FREE]
    return nodes


@pytest.mark.parametrize("seed", range(3))
def test_nodes_are_found_by_their_keys_until_they_are_forgotten(seed):
    tree = new_tree(100, 1)
    draw = np.random.default_rng(seed)
    for _ in range(3):
        # Few different places in the table, so that many keys meet at one.
        keys = draw.integers(1, 1 << 63, 400, dtype=np.uint64) & np.uint64(0x7FFFFFFF0000003F)
        keys = np.unique(keys & ~np.uint64(0xFFFF_0000_0000))
        nodes = [add_node(tree, key, 5) for key in keys]
        assert nodes == list(range(1, len(keys) + 1))
        assert [find(tree, key) for key in keys] == nodes
        assert nodes_in_the_ring(tree) == nodes
        clear(tree)
        assert tree.used[NODES] == 1
        assert not tree.slots.any()


def test_what_is_out_of_use_makes_room_and_what_is_used_stays():
    tree = tree_of(50, 1000)
    draw = np.random.default_rng(7)
    keys = draw.integers(1, 1 << 63, 3000, dtype=np.uint64) & np.uint64(0x7FFFFFFF0000003F)
    kept = keys[0]
    for key in np.unique(keys[1:]):
        tree.used[STAMP] += 1
        node = find(tree, kept) or add_node(tree, kept, 30)
        tree.credit[node] += 1
        tree.edge_visits[tree.first_edge[node] + 29] += 1
        assert add_node(tree, key, int(draw.integers(1, 50))) != 0
        assert find(tree, key) != 0
        nodes_in_the_ring(tree)
    # All visits of the node that was in use are there, wherever its edges went.
    node = find(tree, kept)
    assert tree.edge_visits[tree.first_edge[node] + 29] == len(np.unique(keys[1:]))


def test_a_tree_whose_nodes_are_all_on_the_path_refuses_another():
    tree = tree_of(50, 200)
    tree.used[STAMP] = 1
    keys = [key for key in range(1, 10) if add_node(tree, np.uint64(key), 50)]
    assert keys == [1, 2, 3]
    nodes_in_the_ring(tree)
    tree.used[STAMP] = 2
    assert add_node(tree, np.uint64(99), 50) != 0


@pytest.mark.parametrize(("name", "size"), BOARDS)
def test_a_small_tree_forgets_no_visit_of_the_position_searched(name, size):
    game = create_game(name, size)
    tree = tree_of(action_count(game), 0)
    root, state, random = new_state(game), new_state(game), generator(3)
    legal = np.zeros(action_count(game), np.int32)
    settings = tuned_for(game).as_array()
    for _ in range(4):
        begin_turn(tree)
        done = simulate(tree, root, state, random, 3000, settings)
        nodes_in_the_ring(tree)
        node = find(tree, position_hash(root))
        first, count = tree.first_edge[node], tree.edge_count[node]
        assert tree.edge_visits[first : first + count].sum() == tree.visits[node] >= done
        copy_state(state, root)
        expected = legal[: promising_actions(state, legal)]
        assert sorted(tree.actions[first : first + count]) == sorted(expected)
        play_action(root, tree.actions[first + tree.edge_visits[first : first + count].argmax()])
        if is_over(root):
            break


def test_what_is_known_of_the_reply_survives_much_pondering_in_little_memory():
    game = create_game("yodd", 5)
    searcher = Searcher(game, megabytes=2)
    searcher.load(DropPosition(game.start()))
    settings = tuned_for(game)
    for _ in range(4):
        searcher.think(settings, simulations=5000)
    [worker] = searcher.workers
    assert worker.tree.used[ROUND] > 0
    reply = searcher.finding().action
    visits = searcher.votes()[reply].visits
    begin_turn(worker.tree)
    searcher.play(reply)
    kept = sum(vote.visits for vote in searcher.votes().values())
    assert kept > visits / 2
