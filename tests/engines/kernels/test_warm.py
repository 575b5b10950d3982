"""Compiling ahead: announced once, safe with several processes at once, and not needed.

What is compiled already is loaded beside the first commands; what is not, when it is needed.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, current_thread, main_thread

import pytest

from oddly.engines.compiling import Loading
from oddly.engines.dispatcher import Dispatcher
from oddly.engines.kernels import machine_code
from oddly.engines.kernels.jit import NOTICE, without_numba
from oddly.engines.search_engine import SearchEngine, UctEngine
from oddly.games.catalogue import create_game
from oddly.protocol.messages import Command
from tests.engines.running import run_python

PROGRAM = "from tests.engines.kernels.small_program import main; main({!r})"
TOGETHER = """
import os, time
from pathlib import Path
from tests.engines.kernels.small_program import main
Path({folder!r}, str(os.getpid())).touch()
while len(list(Path({folder!r}).iterdir())) < {number}:
    time.sleep(0.005)
main({{!r}})
"""
"""Begins when as many processes are ready: one that is late would find what others compiled."""
NOTICED = f"oddly: {NOTICE}\n"
FULL_DISK = """
from oddly.engines.kernels import jit
def full(*_): raise OSError(28, 'No space left on device')
jit.FunctionCache.save_overload = full
"""


NOWHERE = """
from oddly.engines.kernels import machine_code
def refuse(*_, **__): raise OSError(30, 'Read-only file system')
machine_code.tempfile.mkdtemp = machine_code.tempfile.TemporaryFile = refuse
"""
REMOVED = """
import shutil
from oddly.engines.kernels import machine_code
shutil.rmtree(machine_code.cache_directory())
"""


def run(kind, folder, program=PROGRAM, disable="0"):
    """What the small program says, compiled unless told otherwise, whatever other tests do."""
    environment = {"NUMBA_CACHE_DIR": str(folder), "NUMBA_DISABLE_JIT": disable}
    done = run_python("-c", program.format(kind), **environment)
    return done.stdout.strip(), done.stderr


@pytest.mark.sampled
def test_the_first_process_compiles_and_says_so_and_later_ones_load(tmp_path):
    assert run("int8", tmp_path) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path) == ("False 1 [6] int", "")
    assert run("int16", tmp_path) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path) == ("False 1 [6] int", "")


@pytest.mark.sampled
def test_processes_that_start_cold_together_all_work_and_leave_a_good_cache(tmp_path):
    kinds = ["int8", "int8", "int16", "int32"]
    ready = tmp_path / "ready"
    ready.mkdir()
    program = TOGETHER.format(folder=str(ready), number=len(kinds))
    with ThreadPoolExecutor(len(kinds)) as pool:
        said = list(pool.map(lambda kind: run(kind, tmp_path, program), kinds))
    assert [error for _, error in said] == [NOTICED] * len(kinds)
    assert sum(output.startswith("True") for output, _ in said[:2]) == 1
    for kind in kinds:
        assert run(kind, tmp_path) == ("False 1 [6] int", "")


def test_python_that_is_not_compiled_plays_the_same_and_says_nothing(tmp_path):
    assert run("int8", tmp_path, disable="1") == ("False 0 6 int", "")
    assert list(tmp_path.rglob("*.warm")) == []


def test_without_numba_everything_works_and_it_is_told_once(tmp_path):
    twice = f"import sys; sys.modules['numba'] = None\n{PROGRAM}; main('int16')"
    said = run("int8", tmp_path, twice)
    assert said == ("False 0 6 int\nFalse 0 6 int", f"oddly: {without_numba()}\n")


@pytest.mark.sampled
def test_damaged_files_are_written_again(tmp_path):
    run("int8", tmp_path)
    for path in [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]:
        path.write_bytes(b"nonsense")
    assert run("int8", tmp_path) == ("False 0 [6] int", "")
    assert run("int8", tmp_path) == ("False 1 [6] int", "")


@pytest.mark.sampled
def test_a_disk_without_room_for_machine_code_is_no_reason_to_stop(tmp_path):
    assert run("int8", tmp_path, FULL_DISK + PROGRAM) == ("True 0 [6] int", NOTICED)


@pytest.mark.sampled
def test_a_folder_that_a_newer_version_removed_is_made_again(tmp_path):
    assert run("int8", tmp_path, REMOVED + PROGRAM) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path)[1] == ""


@pytest.mark.sampled
def test_where_nothing_can_be_written_everything_works_and_nothing_is_kept(tmp_path):
    assert run("int8", tmp_path, NOWHERE + PROGRAM) == ("True 0 [6] int", NOTICED)


def test_the_packages_that_are_not_the_engines_do_without_arrays():
    run_python(
        "-c",
        "import sys, oddly.referee.match.game, oddly.tournaments.run.runner\n"
        "import oddly.interfaces.command_line.match_commands\n"
        "import oddly.interfaces.command_line.tournament_commands\n"
        "import oddly.interfaces.command_line.check_command\n"
        "assert not {'numba', 'numpy'} & set(sys.modules)",
    )


YODD = create_game("yodd", 3)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(machine_code, "cache_directory", lambda: tmp_path)
    return tmp_path


def loading_of(name, game, load) -> Loading:
    """A loading that has begun."""
    begun = Loading()
    begun.begin(name, game, load)
    return begun


def test_the_first_time_it_is_done_when_it_is_needed_and_later_beside_what_comes_next():
    where = []
    first = loading_of("engine", YODD, lambda: where.append(current_thread()))
    assert where == []
    first.wait()
    first.wait()
    assert where == [main_thread()]
    may_go_on, later = Event(), Loading()
    later.begin("engine", YODD, lambda: (may_go_on.wait(10), where.append(current_thread())))
    assert len(where) == 1
    may_go_on.set()
    later.wait()
    assert len(where) == 2
    assert where[1] is not main_thread()


@pytest.mark.parametrize(
    ("name", "game"), [("other", YODD), ("engine", create_game("yodd", 4))], ids=["name", "game"]
)
def test_another_engine_or_board_is_another_first_time(name, game):
    loading_of("engine", YODD, lambda: None).wait()
    where = []
    loading_of(name, game, lambda: where.append(current_thread())).wait()
    assert where == [main_thread()]


def test_what_is_not_compiled_and_not_needed_after_all_is_never_done():
    done = []
    engine = loading_of("engine", YODD, lambda: done.append("yodd"))
    engine.begin("engine", create_game("odd", 3), lambda: done.append("odd"))
    engine.wait()
    assert done == ["odd"]
    Loading().wait()


def test_the_first_questions_are_answered_before_anything_is_compiled(monkeypatch):
    compiled = []
    monkeypatch.setattr(SearchEngine, "load", lambda _, game: compiled.append(str(game)))
    monkeypatch.setattr(SearchEngine, "make_ready", lambda *_: None)
    dispatcher = Dispatcher(UctEngine(), create_game("yodd"))
    for name in ("name", "list_commands", "list_options"):
        assert dispatcher.answer(Command(name)).ok
    assert compiled == []
    assert dispatcher.answer(Command("set_game", ("odd",))).ok
    # The next line may name another board.
    assert compiled == []
    assert dispatcher.answer(Command("boardsize", ("5",))).ok
    assert compiled == ["odd 5 (board hexhex, min_group 5)"]


def test_an_error_is_raised_where_it_is_waited_for(folder):
    def fail():
        raise ValueError("broken")

    engine = loading_of("engine", YODD, fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            engine.wait()
    assert list(folder.iterdir()) == []
    engine.begin("engine", YODD, lambda: None)
    engine.wait()
    engine.begin("engine", YODD, fail)
    with pytest.raises(ValueError, match="broken"):
        engine.wait()
    engine.wait()
