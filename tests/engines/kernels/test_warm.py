"""Compiling ahead: announced once, safe with several processes at once, and not needed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from oddly.engines.kernels.warm import NOTICE, without_numba
from tests.engines.running import run_python

PROGRAM = "from tests.engines.kernels.small_program import main; main({!r})"
NOTICED = f"oddly: {NOTICE}\n"
FULL_DISK = """
from oddly.engines.kernels import jit, warm
def full(*_): raise OSError(28, 'No space left on device')
jit.FunctionCache.save_overload = full
"""


def run(kind, folder, program=PROGRAM, disable="0"):
    """What the small program says, compiled unless told otherwise, whatever other tests do."""
    environment = {"NUMBA_CACHE_DIR": str(folder), "NUMBA_DISABLE_JIT": disable}
    done = run_python("-c", program.format(kind), **environment)
    return done.stdout.strip(), done.stderr


def test_the_first_process_compiles_and_says_so_and_later_ones_load(tmp_path):
    assert run("int8", tmp_path) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path) == ("False 1 [6] int", "")
    assert run("int16", tmp_path) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path) == ("False 1 [6] int", "")


@pytest.mark.sampled
def test_processes_that_start_cold_together_all_work_and_leave_a_good_cache(tmp_path):
    kinds = ["int8", "int8", "int16", "int32"]
    with ThreadPoolExecutor(len(kinds)) as pool:
        said = list(pool.map(lambda kind: run(kind, tmp_path), kinds))
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


def test_a_disk_without_room_for_machine_code_is_no_reason_to_stop(tmp_path):
    assert run("int8", tmp_path, FULL_DISK + PROGRAM) == ("True 0 [6] int", NOTICED)


def test_the_packages_that_are_not_the_engines_do_without_arrays():
    run_python(
        "-c",
        "import sys, oddly.referee.match.game, oddly.tournaments.run.runner\n"
        "import oddly.interfaces.command_line.match_command\n"
        "import oddly.interfaces.command_line.tournament_command\n"
        "import oddly.interfaces.command_line.check_command\n"
        "assert not {'numba', 'numpy'} & set(sys.modules)",
    )
