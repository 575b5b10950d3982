"""What threads count at their copies of nodes arrives at the nodes, all of it and once."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddly.engines.kernels.interface import action_count, new_state, position_hash
from oddly.engines.rave_engine import tuned_for
from oddly.engines.search import tree as ring
from oddly.engines.search.copies import (
    END,
    FEWEST,
    FIRST_SLOT,
    LEAST,
    MADE,
    MOST,
    START,
    add_copies,
    begin_copies,
    copies_in,
    node_of,
)
from oddly.engines.search.recycling import make_room
from oddly.engines.search.searcher import Searcher, votes_in
from oddly.engines.search.settings import LOST_WINS, WON_WINS
from oddly.engines.search.simulation import MAX_MARKS, new_scratch, simulate
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from tests.engines.search.test_tree import ACTIONS, BOARDS, nodes_in_the_ring, of_node

KEY = np.uint64(0x1234_5678_9ABC)
THREADS = 3


def a_tree(actions: int, threads: int, lines: int = 60_000):
    """An empty tree into which nodes may go."""
    tree = ring.tree_of(actions, lines, threads)
    make_room(tree, ring.block_lines(actions, actions))
    return tree


def a_node(lines: int = 4000):
    """A tree with one node, and the copies of three threads, to which any node is worth one."""
    tree = a_tree(30, THREADS, lines)
    node = ring.add_node(tree, KEY, ACTIONS, 30, 0)
    copies = [copies_in(tree, number, THREADS) for number in range(THREADS)]
    for each in copies:
        each[LEAST] = 0
    return tree, node, copies


def count_at(tree, node: int, place: int, visits: int, won: float) -> None:
    """Count as so many simulations would do that come through a node."""
    edge = ring.edge_of(tree, node, place)
    block = ring.block_of(tree, node)
    count, room = int(tree.words[block + ring.COUNT]), int(tree.words[block + ring.ROOM])
    wins, counts, ahead, _ = ring.edges_of(block, count, room)
    tree.doubles[wins + edge] += won
    tree.words[counts + edge] += visits
    tree.words[ahead + edge] += visits // 2
    marks = ring.marks_of(block, count)
    tree.floats[marks + place] += visits
    tree.floats[marks + count + place] += won
    tree.nodes[node * ring.ROW + ring.VISITS] += visits
    tree.nodes[node * ring.ROW + ring.CREDIT] += visits


def copies_made(tree):
    """For each copy of each thread, whether it was ever made."""
    return tree.nodes.reshape(-1, ring.ROW)[len(tree.free) :, ring.FIRST] > 0


step = st.tuples(
    st.integers(0, THREADS),
    st.integers(0, 29),
    st.integers(1, 50),
    st.integers(0, 100).map(lambda quarters: quarters / 4),
)


@pytest.mark.sampled
@given(st.lists(st.one_of(step, st.integers(0, THREADS - 1)), max_size=60))
def test_a_node_gets_what_each_thread_counted_at_its_copy(steps):
    """A step counts at a thread's copy, or at the node itself, or adds the copies of a thread."""
    tree, node, copies = a_node()
    visits, wins, ahead = Counter[int](), Counter[int](), Counter[int]()
    for step in steps:
        if isinstance(step, int):
            add_copies(tree, copies[step])
            continue
        thread, place, times, won = step
        at, is_copied = node, False
        if thread < THREADS:
            at, is_copied = node_of(tree, copies[thread], KEY, True)
            assert at != node
        assert is_copied == (thread < THREADS)
        count_at(tree, at, place, times, won)
        visits[place] += times
        wins[place] += won
        ahead[place] += times // 2
    for each in copies:
        add_copies(tree, each)
        assert each[MADE] == 0
        assert not each[FIRST_SLOT:].any()
    for place, vote in votes_in(tree, KEY).items():
        assert vote == (visits[place], wins[place], ahead[place] / 2)
    marks = ring.marks_of(ring.block_of(tree, node), 30)
    assert tree.floats[marks : marks + 30].tolist() == [visits[place] for place in range(30)]
    assert tree.floats[marks + 30 : marks + 60].tolist() == [wins[place] for place in range(30)]
    assert (
        tree.nodes[node * ring.ROW + ring.VISITS]
        == tree.nodes[node * ring.ROW + ring.CREDIT]
        == visits.total()
    )
    assert nodes_in_the_ring(tree) == [node]


@pytest.mark.parametrize("proven", [LOST_WINS, WON_WINS])
def test_what_is_proven_stays_proven_wherever_it_was_proved(proven):
    tree, node, copies = a_node()
    count_at(tree, node, 5, 10, 4.0)
    count_at(tree, node, 6, 10, 4.0)
    own = [int(node_of(tree, each, KEY, True)[0]) for each in copies[:2]]
    for place, thread in ((5, 0), (6, 1)):
        block = ring.block_of(tree, own[thread])
        tree.doubles[ring.edges_of(block, 30, 30)[0] + ring.edge_of(tree, own[thread], place)] = (
            proven
        )
        count_at(tree, own[1 - thread], place, 3, 1.0)
    tree.nodes[own[1] * ring.ROW + ring.PROVEN] = ring.BLACK_WINS
    for each in copies:
        add_copies(tree, each)
    votes = votes_in(tree, KEY)
    assert [votes[place].wins for place in (5, 6)] == [proven, proven]
    assert [votes[place].visits for place in (5, 6)] == [13, 13]
    assert of_node(tree, node, ring.PROVEN) == ring.BLACK_WINS


def test_sums_that_were_halved_at_a_copy_keep_their_average():
    tree, node, copies = a_node()
    marks = ring.marks_of(ring.block_of(tree, node), 30)
    tree.floats[marks], tree.floats[marks + 30] = MAX_MARKS - 10, (MAX_MARKS - 10) / 4
    own = int(node_of(tree, copies[0], KEY, True)[0])
    at = ring.marks_of(ring.block_of(tree, own), 30)
    for _ in range(20):
        part = 0.5 if tree.floats[at] >= MAX_MARKS else 1.0
        tree.floats[at] = part * (tree.floats[at] + 1)
        tree.floats[at + 30] = part * (tree.floats[at + 30] + 0.25)
    add_copies(tree, copies[0])
    assert MAX_MARKS / 2 <= tree.floats[marks] <= MAX_MARKS / 2 + 20
    assert tree.floats[marks + 30] == pytest.approx(tree.floats[marks] / 4)


def test_what_finds_no_room_is_lost_and_nothing_else():
    tree, node, copies = a_node(lines=2000)
    own = int(node_of(tree, copies[0], KEY, True)[0])
    assert own != node
    for place in range(10):
        count_at(tree, own, place, 7, 2.5)
    key = np.uint64(KEY)
    while ring.add_node(tree, key, ACTIONS, 30, 0):
        key += np.uint64(1)
    add_copies(tree, copies[0])
    votes = votes_in(tree, KEY)
    assert [votes[place].visits for place in range(10)] == [7] * 4 + [0] * 6


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.booleans())
def test_slices_grow_with_what_is_known(visits, most, is_known):
    tree, node, copies = a_node()
    tree.nodes[node * ring.ROW + ring.VISITS] = visits
    count = begin_copies(tree, copies[0], KEY if is_known else KEY + np.uint64(1), most)
    assert 1 <= count <= min(most, MOST)
    assert count >= min(most, FEWEST)
    assert count <= max(FEWEST, visits / 16)


@pytest.mark.parametrize(("name", "size"), BOARDS)
def test_threads_that_take_turns_lose_no_simulation(name, size):
    game = create_game(name, size)
    actions = action_count(game)
    tree = a_tree(actions, 2)
    scratches = [
        new_scratch(actions, number, copies=copies_in(tree, number, 2)) for number in range(2)
    ]
    root, state = new_state(game), new_state(game)
    settings = tuned_for(game).as_array()
    done = 0
    for scratch in scratches * 20:
        done += simulate(tree, scratch, root, state, 50, settings)
        assert scratch.copies[MADE] == 0
    assert copies_made(tree)[: 2 * ring.COPIES : ring.COPIES].all()
    nodes = nodes_in_the_ring(tree)
    for node in nodes:
        votes = votes_in(tree, tree.keys[node])
        assert (
            sum(vote.visits for vote in votes.values()) == tree.nodes[node * ring.ROW + ring.VISITS]
        )
        assert all(0 <= vote.ahead <= vote.visits for vote in votes.values())
    known = ring.find(tree, position_hash(root))
    assert of_node(tree, known, ring.PROVEN) != ring.UNKNOWN or done == 2000
    assert of_node(tree, known, ring.VISITS) == done


def test_a_thread_writes_only_to_its_own_part():
    game = create_game("yodd", 4)
    tree = a_tree(action_count(game), 2)
    copies = [copies_in(tree, number, 2) for number in range(2)]
    scratch = new_scratch(action_count(game), 1, copies=copies[0])
    root, state = new_state(game), new_state(game)
    settings = tuned_for(game).as_array()
    for _ in range(10):
        simulate(tree, scratch, root, state, 300, settings)
    other = copies[1]
    assert np.count_nonzero(copies_made(tree)[: ring.COPIES]) > 5
    assert not copies_made(tree)[ring.COPIES :].any()
    assert tree.words[copies[0][START] * ring.LINE : copies[0][END] * ring.LINE].any()
    assert copies[0][END] == other[START]
    assert not tree.words[other[START] * ring.LINE : other[END] * ring.LINE].any()
    assert other[END] * ring.LINE == len(tree.words)


def test_threads_that_share_a_small_tree_go_on_for_any_time():
    game = create_game("odd", 4)
    searcher = Searcher(game, threads=3, megabytes=2)
    searcher.load(DropPosition(game.start()))
    for _ in range(5):
        assert searcher.think(tuned_for(game), simulations=6000).simulations >= 6000
        nodes_in_the_ring(searcher.tree)
    assert all(worker.scratch.copies[MADE] == 0 for worker in searcher.workers)
