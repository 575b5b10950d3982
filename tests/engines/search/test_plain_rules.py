"""Searching and solving by the plain rules: games without a kernel, and ours as a yardstick."""

from dataclasses import dataclass

import pytest

from oddly.engines import search_engine
from oddly.engines.engine import create_engine
from oddly.engines.kernels.machine_code import has_kernel
from oddly.engines.search.plain_searcher import PlainSearcher
from oddly.engines.search.settings import Settings
from oddly.engines.solver.solution import PlainSolver
from oddly.engines.solver.solve import solver_of
from oddly.games.ayu import Ayu
from oddly.games.drop_level import DropPosition
from oddly.games.odd import Odd
from oddly.games.xodd import Xodd
from oddly.games.yodd import Yodd
from tests.engines.search.test_endgame import near_the_end
from tests.engines.solver.minimax import winner
from tests.engines.talking import engine_with

PLAIN = Settings(exploration=0.25, equivalence=0.0, expansion=1)
WITH_MARKS = Settings(exploration=0.25, equivalence=1000.0, expansion=1)
GAMES = [Yodd(2), Xodd(3), Odd(2, "hexhex", 1), Odd(3, "square", 2), Ayu(3), Ayu(5)]


@dataclass(frozen=True)
class OtherYodd(Yodd):
    """Not ours, whatever it does."""


def test_a_class_of_its_own_has_no_kernel():
    assert has_kernel(Yodd(3))
    assert not has_kernel(OtherYodd(3))
    assert isinstance(solver_of(OtherYodd(2)), PlainSolver)


@pytest.mark.parametrize("game", GAMES[:4], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_plain_solver_agrees_with_minimax(game, seed):
    position = near_the_end(game, 3, seed)
    found = PlainSolver(game, 1 << 16).solve(DropPosition(position))
    assert found.winner is winner(position, {})
    if found.turn is not None:
        after = position.play(found.turn)
        assert winner(after, {}) is found.winner


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_limit_leaves_a_position_unsolved(game):
    assert PlainSolver(game, 1).solve(DropPosition(game.start()), node_limit=2) is None


def test_the_plain_solver_solves_from_inside_a_turn():
    position = near_the_end(Yodd(2), 3, 1)
    first = next(iter(position.first_drops()))
    at = DropPosition(position).act(first)
    if at.drops:
        found = PlainSolver(Yodd(2), 1 << 16).solve(at)
        assert found.turn is None or first in found.turn.drops


@pytest.mark.parametrize("settings", [PLAIN, WITH_MARKS], ids=["plain", "marks"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_plain_search_chooses_legal_actions_and_repeats_itself(game, settings):
    at = DropPosition(game.start())
    one, other = PlainSearcher(game, 3), PlainSearcher(game, 3)
    found = one.think(settings, simulations=12)
    assert one.action_of(found.action) in set(at.actions())
    assert found == other.think(settings, simulations=12)
    assert found.simulations == 12 or found.is_proven
    assert sum(vote.visits for vote in one.votes().values()) == found.simulations
    assert one.variation(found.action)[0] == found.action


@pytest.mark.parametrize("game", GAMES[:4], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_what_the_plain_search_proves_is_so(game, seed):
    position = near_the_end(game, 2, seed)
    searcher = PlainSearcher(game)
    searcher.load(DropPosition(position))
    found = searcher.think(PLAIN, simulations=300)
    if found.is_proven:
        side = position.to_move if found.win_rate == 1.0 else position.to_move.other
        assert winner(position, {}) is side


@pytest.mark.parametrize("settings", [PLAIN, WITH_MARKS], ids=["plain", "marks"])
@pytest.mark.parametrize("turns", [(), ("b1-b2",), ("b1-b2", "swap")], ids=str)
def test_what_is_proven_above_a_swap_is_so_for_the_players(turns, settings):
    """The bug: above a swap the search took each player for the other."""
    game = Ayu(3, pie=True)
    position = game.start()
    for turn in turns:
        position = position.play(turn)
    searcher = PlainSearcher(game)
    searcher.load(DropPosition(position))
    found = searcher.think(settings, simulations=400)
    solved = PlainSolver(game, 1 << 16).solve(DropPosition(position))
    assert found.win_rate == float(solved.winner is position.to_move)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_an_engine_told_to_search_by_the_plain_rules_compiles_nothing(game, monkeypatch, capfd):
    monkeypatch.setattr("oddly.engines.compiling.Loading.begin", None)
    engine = engine_with("rave", simulations=6, plain=True)
    engine.prepare(game)
    engine.new_game()
    position = game.start()
    for _ in range(4):
        if not position.is_over:
            position = position.play(engine.choose(position))
    assert isinstance(engine._searcher, PlainSearcher)
    assert capfd.readouterr() == ("", "")


def test_the_plain_rules_can_be_chosen_before_anything_is_compiled(monkeypatch, tmp_path):
    monkeypatch.setattr("oddly.engines.kernels.machine_code.cache_directory", lambda: tmp_path)
    compiled = []
    monkeypatch.setattr(
        search_engine.SearchEngine, "rehearsals", lambda _, game: compiled.append(game)
    )
    engine = create_engine("uct")
    engine.prepare(Odd(2))
    engine.set_option("plain", "true")
    engine.set_option("simulations", "4")
    engine.choose(Odd(2).start())
    assert compiled == []
