"""The ring of a tree: every node is found by its key, and what is recycled harms nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.engines.kernels.interface import (
    action_count,
    copy_state,
    is_over,
    new_state,
    play_action,
    position_hash,
    safe_actions,
)
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search import tree as ring
from oddly.engines.search.recycling import make_room
from oddly.engines.search.searcher import Searcher, votes_in
from oddly.engines.search.selection import _place_of_greatest
from oddly.engines.search.simulation import new_scratch, simulate
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition

BOARDS = [("yodd", 3), ("xodd", 4), ("odd", 3), ("ayu", 5)]
ACTIONS = np.arange(200, dtype=np.int32)


def nodes_in_the_ring(tree) -> list[int]:
    """The nodes from tail to head, whose blocks and entries in the table are checked."""
    nodes, place, out_of_use = [], int(tree.used[ring.TAIL]), 0
    while place != tree.used[ring.HEAD]:
        if place == tree.used[ring.CAPACITY]:
            place = 0
            continue
        node, lines = (
            tree.words[place * ring.LINE + ring.NODE],
            tree.words[place * ring.LINE + ring.LINES],
        )
        assert lines > 0
        if node > 0:
            assert ring.block_of(tree, node) == place * ring.LINE
            assert ring.find(tree, tree.keys[node]) == node
            nodes.append(int(node))
        out_of_use += node < 0
        place += int(lines)
    assert len(nodes) == len(set(nodes)) == np.count_nonzero(tree.slots)
    assert len(nodes) + out_of_use == tree.used[ring.NODES] - 1 - tree.used[ring.FREE]
    return nodes


def of_node(tree, node: int, what: int):
    """What a tree knows of a node in this column."""
    return tree.nodes[node * ring.ROW + what]


def add(tree, key, count: int) -> int:
    """Add a node, for which the tree makes room if it must."""
    widest = ring.block_lines(count, count)
    node = ring.add_node(tree, key, ACTIONS, count, 0)
    if node == 0:
        assert tree.used[ring.IS_FULL]
        make_room(tree, widest)
        node = ring.add_node(tree, key, ACTIONS, count, 0)
    return node


@pytest.mark.parametrize("seed", range(3))
def test_nodes_are_found_by_their_keys_until_they_are_forgotten(seed):
    tree = ring.new_tree(100, 1)
    draw = np.random.default_rng(seed)
    for _ in range(3):
        # Few different places in the table, so that many keys meet at one.
        keys = draw.integers(1, 1 << 63, 400, dtype=np.uint64) & np.uint64(0x7FFFFFFF0000003F)
        keys = np.unique(keys & ~np.uint64(0xFFFF_0000_0000))
        nodes = [add(tree, key, 5) for key in keys]
        assert nodes == list(range(1, len(keys) + 1))
        assert [ring.find(tree, key) for key in keys] == nodes
        assert [ring.add_node(tree, key, ACTIONS, 5, 0) for key in keys[:3]] == nodes[:3]
        assert set(nodes_in_the_ring(tree)) == set(nodes)
        ring.clear(tree)
        assert tree.used[ring.NODES] == 1
        assert not tree.slots.any()


def test_an_edge_is_added_once_and_stays_when_its_node_needs_more_room():
    tree = ring.tree_of(50, 0)
    node = add(tree, np.uint64(7), 50)
    places = np.random.default_rng(3).permutation(50)
    for number, place in enumerate(places):
        assert ring.edge_of(tree, node, place) == number
        block = ring.block_of(tree, node)
        count, room = (int(size) for size in tree.words[block + ring.COUNT : block + ring.ROOM + 1])
        wins, visits, ahead, _ = ring.edges_of(block, count, room)
        tree.doubles[wins + number] = number / 4
        tree.words[visits + number], tree.words[ahead + number] = 2 * number, number
    assert [ring.edge_of(tree, node, place) for place in places] == list(range(50))
    votes = votes_in(tree, np.uint64(7))
    assert list(votes) == list(range(50))
    for number, place in enumerate(places):
        assert votes[int(place)] == (2 * number, number / 4, number / 2)
    nodes_in_the_ring(tree)


@pytest.mark.sampled
def test_what_is_out_of_use_makes_room_and_what_is_used_stays():
    tree = ring.tree_of(50, 300)
    draw = np.random.default_rng(7)
    keys = draw.integers(1, 1 << 63, 3000, dtype=np.uint64) & np.uint64(0x7FFFFFFF0000003F)
    kept = keys[0]
    for key in np.unique(keys[1:]):
        node = ring.find(tree, kept) or add(tree, kept, 30)
        tree.nodes[node * ring.ROW + ring.CREDIT] += 1
        edge = ring.edge_of(tree, node, 29)
        if edge < 0:
            make_room(tree, ring.block_lines(50, 50))
            edge = ring.edge_of(tree, node, 29)
        block = ring.block_of(tree, node)
        visits = ring.edges_of(int(block), 30, int(tree.words[block + ring.ROOM]))[1]
        tree.words[visits + edge] += 1
        assert add(tree, key, int(draw.integers(1, 50))) != 0
        assert ring.find(tree, key) != 0
        nodes_in_the_ring(tree)
    # All visits of the node that was in use are there, wherever its block went.
    assert votes_in(tree, kept)[29].visits == len(np.unique(keys[1:]))


def test_the_position_searched_stays_whatever_else_must_go():
    tree = ring.tree_of(50, 0)
    tree.used[ring.ROOT] = root = add(tree, np.uint64(1), 50)
    for key in range(2, 200):
        make_room(tree, ring.block_lines(50, 50))
        assert add(tree, np.uint64(key), 50)
        assert ring.find(tree, np.uint64(1)) == root
        nodes_in_the_ring(tree)


@pytest.mark.parametrize(("name", "size"), BOARDS)
def test_a_small_tree_forgets_no_visit_of_the_position_searched(name, size):
    game = create_game(name, size)
    actions = action_count(game)
    tree, scratch = ring.tree_of(actions, 0), new_scratch(actions, 3)
    root, state = new_state(game), new_state(game)
    legal = np.zeros(actions, np.int32)
    settings = tuned_for(game).as_array()
    for _ in range(4):
        ring.begin_turn(tree)
        done = stops = 0
        while True:
            done += simulate(tree, scratch, root, state, 3000 - done, settings)
            if not tree.used[ring.IS_FULL]:
                break
            make_room(tree, ring.block_lines(actions, actions))
            stops += 1
        nodes_in_the_ring(tree)
        votes = votes_in(tree, position_hash(root))
        node = ring.find(tree, position_hash(root))
        visits = sum(vote.visits for vote in votes.values())
        # The simulation that finds the tree full may have no room for an edge.
        assert (
            tree.nodes[node * ring.ROW + ring.VISITS] - stops
            <= visits
            <= tree.nodes[node * ring.ROW + ring.VISITS]
        )
        assert visits >= done - stops
        copy_state(state, root)
        expected = legal[: safe_actions(state, legal)]
        assert sorted(votes) == sorted(expected.tolist())
        play_action(root, max(votes, key=lambda action: votes[action].visits))
        if is_over(root):
            break


def test_what_is_known_of_the_reply_survives_much_pondering_in_little_memory():
    game = create_game("yodd", 5)
    searcher = Searcher(game, megabytes=2)
    searcher.load(DropPosition(game.start()))
    settings = tuned_for(game)
    for _ in range(4):
        searcher.think(settings, simulations=5000)
    assert searcher.tree.used[ring.TAIL] > 0
    reply = searcher.finding().action
    visits = searcher.votes()[reply].visits
    ring.begin_turn(searcher.tree)
    searcher.play(reply)
    kept = sum(vote.visits for vote in searcher.votes().values())
    assert kept > visits / 2


@given(
    st.lists(st.floats(-1e9, 1e9, width=32).filter(bool), min_size=1, max_size=70),
    st.integers(0, 3),
)
def test_the_first_of_the_greatest_values_is_found(values, copies):
    values += values[:copies]
    floats = np.array(values, np.float32)
    place = _place_of_greatest(floats.view(np.int32), np.uint64(len(values)))
    assert place == values.index(max(values))


def test_what_lies_behind_the_values_does_not_matter():
    floats = np.array([0.25, -3.0, 7.0], np.float32)
    assert _place_of_greatest(floats.view(np.int32), np.uint64(2)) == 0
