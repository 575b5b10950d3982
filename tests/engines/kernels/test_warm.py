"""Compiling ahead: announced once, safe with several processes at once, and not needed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oddly.engines.kernels.warm import NOTICE, without_numba
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[3]
PROGRAM = "from tests.engines.kernels.small_program import main; main({!r})"
NOTICED = f"oddly: {NOTICE}\n"

OURS = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
"""What is tried here is compiling, also where the other tests do without."""


def start(kind, folder, **environment):
    return subprocess.Popen(
        (sys.executable, "-c", PROGRAM.format(kind)),
        cwd=ROOT,
        env={**OURS, "NUMBA_CACHE_DIR": str(folder), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process):
    output, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, error
    return output.strip(), error


def run(kind, folder, **environment):
    return end(start(kind, folder, **environment))


def test_the_first_process_compiles_and_says_so_and_later_ones_load(tmp_path):
    assert run("int8", tmp_path) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path) == ("False 1 [6] int", "")
    assert run("int16", tmp_path) == ("True 0 [6] int", NOTICED)
    assert run("int8", tmp_path) == ("False 1 [6] int", "")


@pytest.mark.sampled
def test_processes_that_start_cold_together_all_work_and_leave_a_good_cache(tmp_path):
    kinds = ["int8", "int8", "int16", "int32"]
    together = [start(kind, tmp_path) for kind in kinds]
    said = [end(process) for process in together]
    assert [error for _, error in said] == [NOTICED] * len(kinds)
    assert sum(output.startswith("True") for output, _ in said[:2]) == 1
    for kind in kinds:
        assert run(kind, tmp_path) == ("False 1 [6] int", "")


def test_python_that_is_not_compiled_plays_the_same_and_says_nothing(tmp_path):
    assert run("int8", tmp_path, NUMBA_DISABLE_JIT="1") == ("False 0 6 int", "")
    assert list(tmp_path.rglob("*.warm")) == []


def test_without_numba_everything_works_and_it_is_told_once(tmp_path):
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from tests.engines.kernels.small_program import main\n"
        "main('int8'); main('int16')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False 0 6 int\n" * 2
    assert done.stderr == f"oddly: {without_numba()}\n"


@pytest.mark.sampled
def test_damaged_files_are_written_again(tmp_path):
    run("int8", tmp_path)
    for path in [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]:
        path.write_bytes(b"nonsense")
    assert run("int8", tmp_path) == ("False 0 [6] int", "")
    assert run("int8", tmp_path) == ("False 1 [6] int", "")


def test_a_disk_without_room_for_machine_code_is_no_reason_to_stop(tmp_path):
    code = (
        "from oddly.engines.kernels import jit, warm\n"
        "def full(*_): raise OSError(28, 'No space left on device')\n"
        "jit.FunctionCache.save_overload = full\n"
        "from tests.engines.kernels.small_program import main\n"
        "main('int8')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**OURS, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("True 0 [6] int\n", NOTICED)


def test_the_packages_that_are_not_the_engines_do_without_arrays():
    code = (
        "import sys, oddly.referee.match.game, oddly.tournaments.run.runner\n"
        "import oddly.interfaces.command_line.match_command\n"
        "import oddly.interfaces.command_line.tournament_command\n"
        "import oddly.interfaces.command_line.check_command\n"
        "assert not {'numba', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
