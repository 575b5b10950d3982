"""The line that a search expects: no action that it has proven to lose, where it knows another."""

from itertools import pairwise

import pytest

from oddly.engines.engine import create_engine
from oddly.engines.search.analysing import new_searcher
from oddly.games.ayu import Ayu
from oddly.games.drop_level import DropPosition
from oddly.games.odd import Odd
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from tests.engines.search.test_endgame import near_the_end


@pytest.mark.parametrize(
    ("game", "plain", "seeds"),
    [
        (Yodd(3), False, (9, 54, 65)),
        (Xodd(3), False, (16, 23, 84)),
        (Yodd(2), True, (3, 5, 46)),
        (Xodd(3), True, (6, 23, 62)),
    ],
    ids=str,
)
def test_the_second_drop_is_not_proven_to_lose_while_another_is_open(game, plain, seeds):
    settings = create_engine("uct").settings(game)
    searcher = new_searcher(game, megabytes=2, plain=plain)
    looked_at = 0
    for seed in seeds:
        at = DropPosition(near_the_end(game, 6, seed))
        searcher.forget(seed)
        searcher.load(at)
        first, second = searcher.variation(searcher.think(settings, simulations=400).action)[:2]
        searcher.load(at.act(searcher.action_of(first)))
        votes = searcher.votes()
        open_and_tried = [vote for vote in votes.values() if vote.visits and not vote.is_lost]
        looked_at += bool(open_and_tried)
        assert not open_and_tried or not votes[second].is_lost
    assert looked_at


@pytest.mark.parametrize(
    ("game", "seed"), [(Yodd(3), 9), (Xodd(3), 23), (Odd(3), 1), (Ayu(5), 2)], ids=str
)
def test_each_action_of_the_line_is_first_by_its_votes(game, seed):
    settings = create_engine("rave").settings(game)
    searcher = new_searcher(game, megabytes=2)
    compared = 0
    at = DropPosition(game.start())
    while not at.is_over:
        searcher.load(at)
        line = searcher.variation(searcher.think(settings, simulations=300).action)
        after = at
        for action, following in pairwise(line):
            after = after.act(searcher.action_of(action))
            searcher.load(after)
            votes = searcher.votes()
            tried = [a for a, vote in votes.items() if vote.visits >= 1 or vote.is_won]
            best = max(tried, key=lambda a: (votes[a].is_won, not votes[a].is_lost, votes[a]))
            assert following == best
            compared += 1
        at = at.act(searcher.action_of(line[0]))
    assert compared > 20
