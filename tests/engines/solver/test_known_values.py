"""Databases where they are: the solver, `rave`, the page and the measuring of errors use them."""

import json
import random
import shutil

import pytest

from oddly.engines.benchmark.decided_positions import DecidedPosition, keeps_the_win
from oddly.engines.database.database import Database
from oddly.engines.solver import solution
from oddly.engines.solver.solution import (
    VARIABLE,
    KnownSolver,
    database_for,
    folder_name,
    known_solution,
    without_databases,
)
from oddly.engines.solver.solve import Solver, solver_of
from oddly.games.catalogue import create_game
from oddly.games.drop_level import DropPosition
from oddly.interfaces.web.analysis import _may_be_solved
from tests.engines.talking import engine_with
from tests.games.positions import walked

XODD = create_game("xodd", 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the databases of Xodd 3 and of Odd on 2x2 at every threshold."""
    found = tmp_path_factory.mktemp("databases")
    Database(XODD, found / "xodd-3").make()
    odd = create_game("odd", 2, {"board": "square"})
    Database(odd, found / "odd-square-2-every-threshold", (1, 2, 3, 4)).make()
    return found


@pytest.fixture
def databases(folder, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


def positions(game, number, seed):
    """Positions of random games, none over."""
    draw = random.Random(seed)
    return [walked(game, draw, draw.randrange(6), to_the_end=False) for _ in range(number)]


def test_rave_opens_a_database_before_its_clock_runs(databases, monkeypatch):
    engine = engine_with("rave", memory=1)
    solution._opened.cache_clear()
    engine.make_ready(XODD)
    monkeypatch.setattr(solution, "new_database", lambda *_: pytest.fail("opened late"))
    assert known_solution(XODD.start()) is not None


def test_databases_have_the_names_that_the_command_gives_them():
    assert folder_name(XODD) == "xodd-3"
    odd = create_game("odd", 4, {"board": "square", "min_group": 3})
    assert folder_name(odd) == "odd-square-4-groups-of-3"
    assert folder_name(odd, every=True) == "odd-square-4-every-threshold"


def test_without_a_database_the_solver_searches(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert database_for(XODD) is None
    assert known_solution(XODD.start()) is None
    assert isinstance(solver_of(XODD, 64), Solver)
    # One that is not finished is none, nor is one of something else.
    (tmp_path / "xodd-3").mkdir()
    (tmp_path / "xodd-3" / "database.json").write_text("{}")
    assert database_for(XODD) is None


def test_a_database_that_is_finished_later_is_found_then(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    facts = shutil.copytree(folder / "xodd-3", tmp_path / "xodd-3") / "database.json"
    whole = json.loads(facts.read_text())
    layers = {name: layer for name, layer in whole["layers"].items() if name != "9"}
    facts.write_text(json.dumps({**whole, "layers": layers}))
    assert database_for(XODD) is None
    facts.write_text(json.dumps(whole))
    assert database_for(XODD) is not None


def test_a_database_whose_files_are_gone_is_passed_over(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    (tmp_path / "xodd-3").mkdir()
    shutil.copy(folder / "xodd-3" / "database.json", tmp_path / "xodd-3")
    assert known_solution(XODD.start()) is None
    assert solver_of(XODD, 1 << 12).solve(DropPosition(XODD.start())).winner == 1


@pytest.mark.usefixtures("databases")
def test_what_the_database_says_is_what_the_solver_finds():
    known = solver_of(XODD, 1 << 12)
    assert isinstance(known, KnownSolver)
    searching = Solver(XODD, 1 << 12)
    for position in positions(XODD, 40, seed=3):
        at = DropPosition(position)
        found = known.solve(at)
        assert found.winner is searching.solve(at).winner
        assert known.nodes == 0
        assert (found.turn is None) == (found.winner is not position.to_move)
        if found.turn is not None:
            after = position.play(found.turn)
            assert after.is_over or searching.solve(DropPosition(after)).winner is found.winner
            decided = DecidedPosition((), position)
            assert keeps_the_win(decided, found.turn, known)


@pytest.mark.usefixtures("databases")
def test_a_study_measures_search_and_not_databases():
    with without_databases():
        assert database_for(XODD) is None
    assert database_for(XODD) is not None


@pytest.mark.usefixtures("databases")
def test_inside_a_turn_the_solver_goes_on_alone():
    position = XODD.start().play(next(XODD.start().legal_turns()))
    at = DropPosition(position)
    drop = next(action for action in at.actions() if at.act(action).drops)
    known = solver_of(XODD, 1 << 12)
    assert known.solve(at.act(drop)).winner is Solver(XODD, 1 << 12).solve(at.act(drop)).winner
    assert known.nodes > 0


@pytest.mark.usefixtures("databases")
def test_rave_plays_what_the_database_says():
    engine = engine_with("rave", XODD, simulations=1, memory=8)
    won = [each for each in positions(XODD, 60, seed=5) if known_solution(each).turn][:12]
    for position in won:
        engine.new_game()
        after = position.play(engine.choose(position))
        assert after.is_over or known_solution(after).winner is position.to_move
        assert engine.last_evaluation().win_rate == 1
    # A level is as strong as it was measured to be.
    engine.set_option("level", "1")
    assert engine.solve(DropPosition(XODD.start()), None) is None


def test_solve_says_where_it_looked(databases, facts, output):
    shown = output("solve", "--game", "xodd", "--size", "3")
    assert f"from     the database in {databases / 'xodd-3'}" in shown
    words = ["solve", "--game", "odd", "--size", "2", "--board", "square", "--min-group", "2"]
    found = facts(*words)
    assert (found["winner"], found["nodes"]) == ("white", 0)
    assert found["database"] == str(databases / "odd-square-2-every-threshold")


@pytest.mark.usefixtures("databases")
def test_the_page_asks_for_a_proof_of_every_position_that_a_database_has():
    assert _may_be_solved(XODD.start())
    assert not _may_be_solved(create_game("xodd", 6).start())
