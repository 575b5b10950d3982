"""While its kernels are compiled, an engine that is told to answers by the plain rules."""

import json
import os
import subprocess
import sys
import time

import pytest

from oddly.engines import compiling
from oddly.engines.compiling import Compilation, can_be_compiled_by_child
from oddly.engines.engine import create_engine
from oddly.engines.kernels import machine_code
from oddly.engines.kernels.jit import HAS_NUMBA
from oddly.engines.kernels.machine_code import tell_once
from oddly.engines.levels import levels
from oddly.engines.rave_engine import RaveEngine
from oddly.engines.search.analysing import NOTICE
from oddly.engines.search_engine import SearchEngine
from oddly.games.catalogue import create_game
from oddly.protocol.evaluation import parse_analysis
from tests.engines.running import run_python
from tests.engines.talking import Talker, engine_with
from tests.patience import PATIENCE
from tests.processes import is_running
from tests.source import ROOT


class Endless:
    """A compilation that is over when a test says so."""

    is_over = False

    def __init__(self):
        self.ended = 0

    def end(self):
        self.ended += 1


@pytest.fixture
def beside(monkeypatch, tmp_path):
    """What compiles for every engine here; nothing is really compiled."""
    compilation = Endless()
    tell_once.cache_clear()
    monkeypatch.setattr(machine_code, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(compiling, "Compilation", lambda *_: compilation)
    monkeypatch.setattr(compiling, "can_be_compiled_by_child", lambda *_: True)
    return compilation


@pytest.fixture
def loaded(monkeypatch):
    """The games that were loaded, or compiled where an engine had to wait."""
    games = []
    monkeypatch.setattr(SearchEngine, "load", lambda _, game: games.append(str(game)))
    return games


def rave(**options):
    return engine_with("rave", **{"while_compiling": "plain", "memory": 1, **options})


def talker(game, size, **options):
    return Talker(rave(**options), game, size)


@pytest.mark.sampled
@pytest.mark.parametrize(("game", "size"), [("yodd", 4), ("xodd", 4), ("odd", 3), ("ayu", 5)])
def test_the_plain_rules_play_and_rate(beside, loaded, game, size, capfd):
    talk = talker(game, size)
    talk("time_control 1")
    for colour in "bwb":
        talk(f"genmove {colour}")
    rate, _, *candidates = talk("evaluate").split()
    assert 0 <= float(rate) <= 1
    assert candidates
    assert loaded == []
    assert capfd.readouterr().err == f"oddly: {NOTICE}\n"


def test_a_level_has_as_many_simulations_as_ever(beside, loaded, monkeypatch):
    # Of a turn that chance chose, it says nothing.
    monkeypatch.setattr("oddly.engines.rave_engine.sampled", lambda *_: None)
    talk = talker("ayu", 5, level="1")
    talk("genmove b")
    simulations = levels(create_game("ayu", 5))[0].simulations
    assert f" {simulations} " in f" {talk('last_evaluation')} "
    assert loaded == []


def test_analyses_say_so_and_go_on_with_the_kernels(beside, loaded):
    engine = rave()
    position = create_game("yodd", 3).start()
    engine.prepare(position.game)

    def ends():
        for _ in range(20):
            yield False
        beside.is_over = True
        for _ in range(200):
            yield False
        yield True

    more = ends()
    found = engine.analyze(position, 0.001, lambda _: next(more))
    lines = [str(analysis) for analysis in found if analysis.turns]
    rules = [{turn.rules for turn in parse_analysis(line).turns} for line in lines]
    assert rules[0] == {"plain"}
    assert rules[-1] == {""}
    assert set(loaded) == {"yodd 3"}


def test_what_is_compiled_is_loaded_and_used(beside, loaded):
    talk = talker("yodd", 3)
    talk("genmove b")
    assert loaded == []
    beside.is_over = True
    talk("clear_board")
    talk("genmove b")
    assert set(loaded) == {"yodd 3"}
    loaded.clear()
    # What could not be compiled beside is compiled by who needs it.
    talker("yodd", 3)("genmove b")
    assert loaded == ["yodd 3"]


def test_only_the_board_that_is_played_is_compiled(beside, loaded):
    """The bug: `set_game` compiled for the default size, and the engine was late for its game."""
    talk = talker("odd", 3, while_compiling="wait")
    talk("set_game odd board hexhex min_group 5")
    talk("boardsize 3")
    assert loaded == ["odd 3 (board hexhex, min_group 5)"]


@pytest.mark.parametrize("options", [{"simulations": "10"}, {"while_compiling": "wait"}])
def test_what_must_be_repeatable_waits(beside, loaded, options, capfd):
    talker("odd", 2, **options)("genmove b")
    assert loaded
    assert capfd.readouterr().err == ""


def test_another_game_ends_the_compilation_for_the_one_before(beside, loaded):
    talk = talker("yodd", 3)
    talk("genmove b")
    talk("set_game odd")
    assert beside.ended == 1


def test_the_solver_is_no_part_of_what_plays_without_it():
    game = create_game("yodd", 3)
    engine = RaveEngine()
    with_it = engine.program(game)
    assert list(engine.rehearsals(game)) == ["search", "solver"]
    engine.set_option("solver", "false")
    assert list(engine.rehearsals(game)) == ["search"]
    assert engine.program(game) != with_it


def test_an_option_that_needs_more_has_it_compiled(beside, loaded):
    talk = talker("yodd", 3, while_compiling="wait", solver="false")
    talk("genmove b")
    talk("set_option solver true")
    talk("genmove w")
    assert loaded == ["yodd 3"] * 2


def test_a_wish_names_engine_options_game_and_part(monkeypatch):
    seen = []
    monkeypatch.setattr(compiling.subprocess, "Popen", lambda words, **_: seen.append(words))
    monkeypatch.setattr(compiling.atexit, "register", lambda _: None)
    game = create_game("odd", 4, {"board": "square", "min_group": 5})
    Compilation(rave(solver=False, memory=0), game, "search")
    assert json.loads(seen[0][-1]) == {
        "engine": "rave",
        "options": {"while_compiling": "plain", "solver": "false"},
        "game": "odd",
        "size": 4,
        "settings": {"board": "square", "min_group": "5"},
        "part": "search",
    }


@pytest.mark.skipif(not HAS_NUMBA, reason="there is no compiler")
def test_a_compilation_ends_with_the_process_that_has_begun_it(tmp_path):
    """The bug: it compiled on when `oddly warm` was killed."""
    begin = (
        "import os\n"
        "from oddly.engines.engine import create_engine\n"
        "from oddly.engines.compiling import Compilation\n"
        "from oddly.games import create_game\n"
        "begun = Compilation(create_engine('rave'), create_game('yodd', 3))\n"
        "print(begun._process.pid, flush=True)\n"
        "os._exit(0)"
    )
    pid = int(run_python("-c", begin, NUMBA_CACHE_DIR=str(tmp_path)).stdout)
    deadline = time.monotonic() + PATIENCE
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(pid)
    assert list(tmp_path.rglob("*.warm")) == []


def test_only_our_own_engines_are_found_by_their_names():
    class Derived(RaveEngine):
        pass

    assert not can_be_compiled_by_child(Derived(), create_game("yodd", 3))
    assert can_be_compiled_by_child(create_engine("rave"), create_game("yodd", 3)) is HAS_NUMBA


@pytest.mark.parametrize("is_temporary", [True, False])
def test_no_child_compiles_where_nothing_can_be_kept(monkeypatch, tmp_path, is_temporary):
    """The bug: a child has a temporary folder of its own, so that it compiled in vain."""
    monkeypatch.setattr(machine_code, "_candidates", list)
    place = str(tmp_path if is_temporary else tmp_path / "none")
    monkeypatch.setattr(machine_code.tempfile, "tempdir", place)
    monkeypatch.setattr(machine_code, "SHARED_MEMORY", place)
    folder = machine_code.cache_directory.__wrapped__()
    assert (folder is not None) is is_temporary
    monkeypatch.setattr(machine_code, "cache_directory", lambda: folder)
    assert not can_be_compiled_by_child(create_engine("rave"), create_game("yodd", 3))


@pytest.mark.sampled
@pytest.mark.skipif(not HAS_NUMBA, reason="nothing is compiled")
def test_a_real_process_compiles_while_the_engine_answers(tmp_path):
    words = ("engine", "uct", "--game", "odd", "--size", "2", "--while-compiling", "plain")
    process = subprocess.Popen(
        (sys.executable, "-m", "oddly", *words),
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def ask(command):
        process.stdin.write(f"{command}\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith("= ")
        assert process.stdout.readline() == "\n"

    with process:
        ask("genmove b")
        assert not list(tmp_path.rglob("*.loaded")), "the answer came after the kernels"
        while not list(tmp_path.rglob("*.loaded")):
            ask("reg_genmove w")
        _, error = process.communicate("genmove w\nquit\n")
    assert process.returncode == 0
    assert error == f"oddly: {NOTICE}\n"
