"""What lacks a program is skipped by its name and runs on demand; no process outlives a run."""

from __future__ import annotations

import re
import sys

import pytest

from tests import programs
from tests.processes import is_running
from tests.test_sampling import pytest_run, run_pytest

CASES = """
import pytest
from tests.programs import need, needs

@needs("no-such-program")
def test_marked():
    raise AssertionError

@pytest.mark.parametrize("number", [1, 2])
def test_that_finds_out_as_it_runs(number):
    need("another-program")

@needs("python3")
def test_with_all_it_needs():
    pass
"""
LEAVING = """
import subprocess, sys
from tests import processes

processes.GRACE = 0.2

def test_that_leaves_a_process_running():
    code = "import subprocess, sys, time; time.sleep(3600)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
"""


def test_the_last_lines_say_which_programs_would_have_run_how_many_tests(tmp_path):
    output = run_pytest(tmp_path, CASES)
    assert "SKIPPED [1] test_cases.py:5: needs no-such-program: it is not installed" in output
    assert "3 more tests would have run with programs that are missing here" in output
    assert "     2 with another-program (it is not installed)" in output
    assert "     1 with no-such-program (it is not installed)" in output
    assert "1 passed, 3 skipped" in output


def test_what_lacked_a_program_runs_alone_once_it_is_there(tmp_path, monkeypatch):
    run_pytest(tmp_path, CASES)
    here = tmp_path / "bin"
    here.mkdir()
    for name in ("no-such-program", "another-program"):
        (here / name).symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(here), prepend=":")
    output = run_pytest(tmp_path, CASES, "--lacking")
    assert "1 failed, 2 passed, 1 deselected" in output
    assert "no test was skipped for want of a program" in output


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_run_that_leaves_a_process_running_fails_and_ends_it(tmp_path):
    done = pytest_run(tmp_path, LEAVING)
    assert done.returncode == 1
    assert "1 passed" in done.stdout
    ended = re.search(r"ended (\d+): .*time.sleep\(3600\)", done.stdout)
    assert not is_running(int(ended[1]))


def test_a_program_that_is_there_and_cannot_run_is_lacking(tmp_path, monkeypatch):
    program = tmp_path / "rustc"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("ODDLY_RUSTC", str(program))
    programs.lack.cache_clear()
    assert programs.lack("rustc") == "it cannot run: exit code 3"
    programs.lack.cache_clear()
