"""`greedy` draws from the same list as by its plain definition, which scores turn after turn."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddly.engines.plain_engines import GreedyEngine
from oddly.games.ayu import Ayu
from oddly.games.game import Game, Position
from oddly.games.odd import Odd
from oddly.games.result import GroupCounts
from oddly.games.turns import SWAP, Colour, Turn
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from tests.games.positions import strewn, walked
from tests.source import ROOT

INSTALLED = ROOT / "tests" / "other_games" / "installed"


@dataclass(frozen=True)
class Crowd(Yodd):
    """Yodd where a turn is the better the more groups it leaves, whoever owns them."""

    def score(self, counts: GroupCounts, side: Colour) -> int:
        return counts.total


@dataclass(frozen=True)
class Coy(Odd):
    """Odd where the counts say something only while Black has few groups."""

    def score(self, counts: GroupCounts, side: Colour) -> int | None:
        return None if counts.black > 1 else super().score(counts, side)


SMALL = [
    *(Yodd(2), Yodd(4), Xodd(3), Xodd(6), Odd(3, min_group=3), Odd(4, "square", 1)),
    *(Ayu(5, pie=True), Ayu(7), Crowd(3), Crowd(5), Coy(3, min_group=1), Coy(3, min_group=2)),
]
LARGE = [Yodd(8), Xodd(12), Odd(8), Ayu(11, pie=True)]


def best_turns(position: Position) -> list[Turn]:
    """What `greedy` is defined to choose from: every turn is made, and scored alone."""
    best: list[Turn] = []
    best_score: int | None = None
    for turn, counts in position.outcomes():
        chooser = position.to_move.other if turn == SWAP else position.to_move
        score = position.game.score(counts, chooser)
        if score is None:
            score = score_of_result(position.play(turn), chooser)
        if best_score is None or score > best_score:
            best, best_score = [], score
        if score == best_score:
            best.append(turn)
    return best


def score_of_result(after: Position, chooser: Colour) -> int:
    if after.result is None or after.result.winner is None:
        return 0
    return 1 if after.result.winner is chooser else -1


class Keeping(Random):
    """Keeps what it draws from."""

    drawn_from: Sequence[Turn]

    def choice(self, seq: Sequence[Turn]) -> Turn:
        self.drawn_from = seq
        return super().choice(seq)


def assert_same_choice(position: Position, seed: int) -> None:
    """The engine draws from the same turns in the same order, and so the same one."""
    best = best_turns(position)
    engine = GreedyEngine()
    engine.random = random = Keeping(seed)
    assert engine.choose(position) == Random(seed).choice(best)
    assert len(random.drawn_from) == len(best)
    pairs = zip(random.drawn_from, best, strict=True)
    # Lists of thousands of turns would be compared for minutes to explain a failure.
    assert next(((found, wanted) for found, wanted in pairs if found != wanted), None) is None
    for index in (0, random.randrange(len(best)), len(best) - 1):
        assert random.drawn_from[index] == best[index]


def assert_same_choices(game: Game, random: Random, share: float, seed: int) -> None:
    """After random turns and on random boards with about this share of a board's worth of them."""
    turns = int(share * game.turns_per_cell * len(game.board))
    assert_same_choice(walked(game, random, turns, to_the_end=False), seed)
    if game.name != "ayu":
        assert_same_choice(strewn(game, random, int((1 - share) * len(game.board))), seed)


@pytest.mark.sampled
@pytest.mark.parametrize("game", SMALL, ids=str)
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0, 0.9))
@settings(max_examples=50)
def test_it_chooses_as_defined_on_small_boards(game, seed, share):
    """Crowd and Coy too: scored as the game says, or by results where that is nothing."""
    assert_same_choices(game, Random(seed), share, seed)


def test_it_swaps_where_the_other_colour_is_better():
    """The bug: it scored a swap for the colour that it gave away."""
    assert GreedyEngine().choose(Ayu(5, pie=True).start().play("b1-c1")) == SWAP


@pytest.mark.parametrize("first", list(Ayu(5, pie=True).start().legal_turns()), ids=str)
def test_it_chooses_as_defined_where_a_swap_is_open(first):
    assert_same_choice(Ayu(5, pie=True).start().play(first), 3)


@pytest.mark.sampled
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("game", LARGE, ids=str)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=2)
def test_it_chooses_as_defined_on_large_boards(game, share, seed):
    assert_same_choices(game, Random(seed), share, seed)


@pytest.mark.sampled
@pytest.mark.parametrize("game", [Yodd(13), Xodd(19)], ids=str)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_it_chooses_as_defined_on_the_largest_boards(game, share):
    assert_same_choice(strewn(game, Random(game.size), int((1 - share) * len(game.board))), 3)


@pytest.mark.parametrize("name", ["tictac", "dash"])
@pytest.mark.parametrize("share", [0, 0.2, 0.4, 0.6, 0.8])
def test_games_that_only_list_their_turns_have_the_same_choice(name, share, monkeypatch):
    monkeypatch.syspath_prepend(INSTALLED)
    game = getattr(importlib.import_module(name), name.capitalize())()
    turns = int(share * game.turns_per_cell * len(game.board))
    for seed in range(5):
        assert_same_choice(walked(game, Random(seed), turns, to_the_end=False), seed)
