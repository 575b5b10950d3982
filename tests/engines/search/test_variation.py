"""The line that a search expects: no action that it has proven to lose, where it knows another."""

import pytest

from oddly.engines.catalogue import create_engine
from oddly.engines.search_engine import new_searcher
from oddly.games.drop_level import DropPosition
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
