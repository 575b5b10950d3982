"""Actions that symmetry makes equal: found, and left out of long searches of Yodd and Xodd."""

import random
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.root_visits import shares
from oddly.engines.rave_engine import SHORT, SHORT_IN_YODD
from oddly.engines.search.analysing import new_searcher
from oddly.games import Drop, DropPosition
from oddly.games.catalogue import create_game
from oddly.games.drop_level import kinds_of
from oddly.protocol import parse_time_control
from tests.engines.talking import engine_with
from tests.games.positions import SIZES

ROOT = Path(__file__).parents[3]


def cells_turned_and_mirrored(game):
    """Yield maps of vertices, each found by the distances between cells alone, not by formulas."""
    board = game.board
    neighbours = {
        v: frozenset(board.vertices[n] for n in board.neighbours[board.index[v]])
        for v in board.vertices
    }
    corner = min(board.vertices, key=lambda v: len(neighbours[v]))
    for image in board.vertices:
        if len(neighbours[image]) == len(neighbours[corner]):
            yield from extensions(neighbours, {corner: image})


def extensions(neighbours, known):
    """Yield every automorphism of a graph that goes on from what is known of it."""
    todo = [v for v in neighbours if v not in known and neighbours[v] & known.keys()]
    if not todo:
        yield known
        return
    vertex = max(todo, key=lambda v: len(neighbours[v] & known.keys()))
    taken = set(known.values())
    images = set(neighbours)
    for near in neighbours[vertex] & known.keys():
        images &= neighbours[known[near]]
    for image in sorted(images - taken):
        if len(neighbours[image]) == len(neighbours[vertex]):
            yield from extensions(neighbours, {**known, vertex: image})


def kinds_by_stones(position, ways):
    """Return the drops in sets of those after which the stones are the same in some way."""
    board = position.game.board
    found = defaultdict(set)
    for action in DropPosition(position).actions():
        if isinstance(action, Drop):
            stones = {v: int(s) for v, s in zip(board.vertices, position.stones, strict=True) if s}
            stones[action.vertex] = int(action.colour)
            least = min(tuple(sorted((way[v], s) for v, s in stones.items())) for way in ways)
            found[least].add(action)
    return set(map(frozenset, found.values()))


WAYS = {
    name: list(cells_turned_and_mirrored(create_game(name, SIZES[name])))
    for name in ("yodd", "xodd", "odd")
}


def test_a_graph_of_cells_has_as_many_automorphisms_as_its_board_has_symmetries():
    assert {name: len(ways) for name, ways in WAYS.items()} == {"yodd": 12, "xodd": 8, "odd": 12}


@given(name=st.sampled_from(sorted(WAYS)), turns=st.integers(0, 2), seed=st.integers(0, 10**6))
def test_kinds_are_the_drops_after_which_boards_look_the_same(name, turns, seed):
    game, draw = create_game(name, SIZES[name]), random.Random(seed)
    position = game.start()
    for _ in range(turns):
        position = position.play(draw.choice(list(position.legal_turns())))
    numbers = DropPosition(position).legal_actions()
    kinds = [[game.action_of(number) for number in kind] for kind in kinds_of(position, numbers)]
    assert sorted(map(game.action_number, chain.from_iterable(kinds))) == sorted(numbers)
    drops = {frozenset(kind) for kind in kinds if isinstance(kind[0], Drop)}
    # Where stones break a symmetry, boards may look the same all the same.
    assert all(any(kind <= one for one in kinds_by_stones(position, WAYS[name])) for kind in drops)
    if turns == 0:
        assert drops == kinds_by_stones(position, WAYS[name])


def test_where_stones_break_the_symmetry_nothing_is_equal():
    position = create_game("yodd", 4).start().play("Ba5")
    numbers = DropPosition(position).legal_actions()
    assert len(kinds_of(position, numbers)) == len(numbers)


def test_units_of_ayu_have_no_images():
    position = create_game("ayu", 5).start()
    numbers = DropPosition(position).legal_actions()
    assert len(kinds_of(position, numbers)) == len(numbers)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_searcher_looks_at_no_action_that_was_not_listed(threads):
    pytest.importorskip("numba")
    game = create_game("yodd", 3)
    searcher = new_searcher(game, megabytes=2, threads=threads)
    searcher.load(DropPosition(game.start()))
    listed = searcher.safe_actions()[::5]
    searcher.list_only(listed)
    settings = engine_with("rave").settings(game)
    assert searcher.think(settings, simulations=500).action in listed
    votes = searcher.votes()
    assert set(votes) == set(listed)
    assert sum(vote.visits for vote in votes.values()) > 400
    searcher.list_only(searcher.safe_actions()[1::5])
    assert set(searcher.votes()) == set(listed)


def listed_by(name, size, clock=None, seed=1, **options):
    """Return how many actions of an empty board a search has listed, and the turn it chose."""
    game = create_game(name, size)
    engine = engine_with("rave", game, seed=seed, **options)
    if clock is not None:
        engine.time.control = parse_time_control(clock)
    at = DropPosition(game.start())
    turn = engine.choose(at.start)
    engine._searcher.load(at)
    return len(engine._searcher.votes()), turn


def test_long_searches_of_an_empty_board_look_at_one_action_of_each_kind():
    pytest.importorskip("numba")
    start = create_game("yodd", 4).start()
    numbers = DropPosition(start).legal_actions()
    kinds = len(kinds_of(start, numbers))
    assert kinds == 12
    assert listed_by("yodd", 4, simulations=SHORT_IN_YODD + 1)[0] == kinds
    assert listed_by("yodd", 4, clock="0.3")[0] == kinds
    assert listed_by("yodd", 4, simulations=50, learning="never")[0] == kinds
    assert listed_by("yodd", 4, simulations=50)[0] == len(numbers)
    assert listed_by("yodd", 4, level=3)[0] == len(numbers)


@pytest.mark.sampled
def test_which_of_them_is_a_matter_of_chance():
    pytest.importorskip("numba")
    turns = {str(listed_by("xodd", 4, seed=seed, simulations=SHORT + 1)[1]) for seed in range(6)}
    assert len(turns) > 1


@pytest.mark.sampled
def test_all_actions_of_odd_and_ayu_are_listed():
    pytest.importorskip("numba")
    for name, size in [("odd", 3), ("ayu", 5)]:
        actions = DropPosition(create_game(name, size).start()).legal_actions()
        assert listed_by(name, size, simulations=SHORT + 1)[0] == len(actions)


def test_the_docs_say_how_many_actions_are_left_of_how_many():
    page = " ".join((ROOT / "docs/explanation/engines.md").read_text(encoding="utf-8").split())
    for title, name, size in [("Yodd", "yodd", 8), ("Xodd", "xodd", 12)]:
        start = create_game(name, size).start()
        numbers = DropPosition(start).legal_actions()
        kinds = len(kinds_of(start, numbers))
        assert re.search(rf"{kinds} (actions )?instead of {len(numbers)} on {title} {size}", page)


def test_the_favourite_gets_more_visits_where_its_images_are_left_out():
    pytest.importorskip("numba")
    game = create_game("yodd", 4)
    every, one = (shares(game, 3000, 2, one_of_each=one) for one in (False, True))
    assert max(every) < min(one)
