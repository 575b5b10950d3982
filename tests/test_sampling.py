"""Which tests run: the sample of a commit, soaks, and what lacks no program, and what is left."""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests import patience, processes, programs
from tests.order import LONGEST, in_order
from tests.processes import is_running
from tests.sampling import NO_COMMIT, PARTS, ROOT, SAMPLE, commit, drawn, is_in_sample

NAMES = [f"tests/test_a.py::test_{number}" for number in range(300)]
CASES = """
import pytest

@pytest.mark.sampled
@pytest.mark.parametrize("number", range(30))
def test_sampled(number):
    pass

@pytest.mark.soak
@pytest.mark.parametrize("number", range(9))
def test_soak(number):
    pass
"""
BREAKING = """range(9))
def test_soak(number):
    assert number not in (3, 5)"""
TIMED = """
import pytest
from tests import conftest

# Slowness is asked before a test's fixtures are set up.
conftest.slowness = lambda: {reason!r}

@pytest.mark.timed
def test_timed():
    assert "late" == "in time"

def test_not_timed():
    assert 1 == 2
"""


def run_pytest(folder, code, *words, sample=None, code_too=False):
    """What pytest prints about a file of tests that our conftest governs, and its exit code."""
    (folder / "test_cases.py").write_text(code)
    ours = (SAMPLE, "PYTEST_ADDOPTS")
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    environment |= {"PYTHONPATH": str(ROOT)} | ({SAMPLE: sample} if sample else {})
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-v", "-rs", "-W", "ignore"]
    command += ["--rootdir", str(folder), *words, str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return (done.stdout, done.returncode) if code_too else done.stdout


def counts(output):
    """`10 passed, 29 skipped`."""
    return output.splitlines()[-1].strip("= ").partition(" in ")[0]


def outcomes(output):
    """The tests of a sample that ran: workers print the outcome before the test."""
    found = re.findall(r"(\S+::test_sampled\S+) PASSED|PASSED (\S+::test_sampled\S+)", output)
    return sorted(alone or shared for alone, shared in found)


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_the_sample_is_named_after_the_commit(tmp_path):
    assert commit(tmp_path) == NO_COMMIT
    git(tmp_path, "init")
    assert commit(tmp_path) == NO_COMMIT
    git(tmp_path, "commit", "--allow-empty", "--message", "one")
    first = commit(tmp_path)
    assert len(first) == 12
    assert commit(tmp_path) == first
    git(tmp_path, "commit", "--allow-empty", "--message", "two")
    assert commit(tmp_path) != first


def test_without_git_there_is_one_sample(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", "")
    assert commit(tmp_path) == NO_COMMIT


@pytest.mark.parametrize("sample", ["7871432f00aa", NO_COMMIT, "0"])
def test_a_sample_is_about_its_part_and_always_the_same(sample):
    chosen = [name for name in NAMES if is_in_sample(name, sample=sample)]
    assert chosen == [name for name in NAMES if is_in_sample(name, sample=sample)]
    assert 0.5 < len(chosen) * PARTS / len(NAMES) < 2


def test_the_samples_of_some_commits_hold_every_test():
    commits = [f"{number:012x}" for number in range(20 * PARTS)]
    assert all(any(is_in_sample(name, sample=each) for each in commits) for name in NAMES)


@pytest.mark.parametrize("sample", ["7871432f00aa", NO_COMMIT, "0"])
def test_of_many_cases_every_sample_has_its_part(sample):
    chosen = [case for case in range(3 * PARTS) if is_in_sample(NAMES[0], case, sample)]
    assert chosen == [chosen[0] + PARTS * part for part in range(3)]


def test_a_few_are_drawn_whatever_their_order():
    few = drawn(NAMES, 3, "a")
    assert few == drawn(NAMES[::-1], 3, "a")
    assert len(set(few)) == 3
    assert few != drawn(NAMES, 3, "b")
    assert drawn(NAMES, 0, "a") == []
    assert sorted(drawn(NAMES[:2], 3, "a")) == NAMES[:2]


def test_the_longest_files_are_taken_first_and_then_those_with_most_tests():
    names = [f"tests/{file}::{test}" for file, test in (
        ("test_b.py", "one"), (LONGEST[1], "one"), ("test_a.py", "one"), ("test_b.py", "a"),
        (LONGEST[0], "two"), (LONGEST[1], "a"),
    )]  # fmt: skip
    ordered = in_order([SimpleNamespace(nodeid=name) for name in names])
    assert [names.index(item.nodeid) for item in ordered] == [4, 1, 5, 0, 3, 2]
    assert [name for name in LONGEST if not (ROOT / "tests" / name).exists()] == []


@pytest.mark.parametrize("sample", ["one", "two"])
def test_cases_of_several_arguments_are_spread_as_evenly(tmp_path, sample):
    code = f"""
import pytest

@pytest.mark.sampled
@pytest.mark.parametrize("one", range({PARTS}))
@pytest.mark.parametrize(("two", "three"), [(1, 1), (2, 2)])
def test_sampled(one, two, three):
    pass
"""
    passed = f"2 passed, {2 * PARTS - 2} skipped"
    assert counts(run_pytest(tmp_path, code, sample=sample)) == passed


@pytest.mark.sampled
def test_the_header_says_how_to_repeat_a_sample_and_that_repeats_it_in_all_workers(tmp_path):
    one = run_pytest(tmp_path, CASES, sample="one")
    assert f"sample one: `{SAMPLE}=one .venv/bin/pytest` repeats it" in one
    assert "not in sample one: --soak runs all" in one
    assert "skipped" in counts(one)
    by_workers = run_pytest(tmp_path, CASES, "-n", "2", sample="one")
    assert counts(one) == counts(by_workers)
    assert outcomes(one) == outcomes(by_workers) != []
    assert outcomes(one) != outcomes(run_pytest(tmp_path, CASES, sample="two"))


def test_some_soaks_run_on_demand(tmp_path):
    assert "test_soak[0] PASSED" in run_pytest(tmp_path, CASES, "--soak")
    few = run_pytest(tmp_path, CASES, "--soaks", "2", sample="one")
    passed = [line for line in few.splitlines() if "test_soak" in line and "PASSED" in line]
    assert len(passed) == 2


@pytest.mark.sampled
def test_all_soaks_run_once_and_only_what_has_not_passed_runs_again(tmp_path):
    broken = CASES.replace("range(9))\ndef test_soak(number):\n    pass", BREAKING)
    first = run_pytest(tmp_path, broken, "--all-soaks", sample="one")
    assert "9 soaks at one: 7 passed, 0 skipped, 2 failed" in first
    again = run_pytest(tmp_path, CASES, "--all-soaks", sample="one")
    assert "2 passed, 37 deselected" in again
    assert "9 soaks at one: 9 passed, 0 skipped, 0 failed" in again
    assert "9 passed" in run_pytest(tmp_path, CASES, "--all-soaks", "-n", "2", sample="two")


def test_a_folder_that_is_called_like_a_mark_marks_nothing(tmp_path):
    folder = tmp_path / "soak"
    folder.mkdir()
    output = run_pytest(folder, "def test_quick():\n    pass\n", "--rootdir", str(tmp_path))
    assert "1 passed" in output


def test_one_in_so_many_is_drawn(tmp_path):
    output = run_pytest(tmp_path, CASES, "--soak", "--one-in", "4", sample="one")
    passed = int(re.search(r"(\d+) passed", output)[1])
    assert 2 <= passed <= 20
    assert f"{39 - passed} deselected" in output


def test_a_timed_test_that_fails_on_a_slow_machine_is_too_slow_to_judge(tmp_path):
    output = run_pytest(tmp_path, TIMED.format(reason="each core has 9 to do"))
    assert "too slow to judge: each core has 9 to do" in output
    assert "1 failed, 1 skipped" in output


def test_a_timed_test_that_fails_on_a_quick_machine_fails(tmp_path):
    assert "2 failed" in run_pytest(tmp_path, TIMED.format(reason=None))


def test_slowness_is_told_by_the_load_and_by_a_computation(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (20.0, 1.0, 1.0))
    assert patience.slowness() == "10.0 programs want to run on each core"
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(patience, "measured_stretch", lambda: 1.0)
    assert patience.slowness() is None
    monkeypatch.setattr(patience, "measured_stretch", lambda: 7.0)
    assert patience.slowness() == "a computation takes 7.0 times as long as alone"


def test_a_computation_is_never_quicker_than_alone():
    assert patience.measured_stretch() >= 0.9


NEEDING = """
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
    output = run_pytest(tmp_path, NEEDING)
    assert "SKIPPED [1] test_cases.py:5: needs no-such-program: it is not installed" in output
    assert "3 more tests would have run with programs that are missing here" in output
    assert "     2 with another-program (it is not installed)" in output
    assert "     1 with no-such-program (it is not installed)" in output
    assert "1 passed, 3 skipped" in output


def test_what_lacked_a_program_runs_alone_once_it_is_there(tmp_path, monkeypatch):
    run_pytest(tmp_path, NEEDING)
    here = tmp_path / "bin"
    here.mkdir()
    for name in ("no-such-program", "another-program"):
        (here / name).symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(here), prepend=":")
    output = run_pytest(tmp_path, NEEDING, "--lacking")
    assert "1 failed, 2 passed, 1 deselected" in output
    assert "no test was skipped for want of a program" in output


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_run_that_leaves_a_process_running_fails_and_ends_it(tmp_path):
    output, code = run_pytest(tmp_path, LEAVING, code_too=True)
    assert code == 1
    assert "1 passed" in output
    ended = re.search(r"ended (\d+): .*time.sleep\(3600\)", output)
    assert not is_running(int(ended[1]))


def test_one_look_that_finds_no_process_is_not_enough(monkeypatch):
    looks = iter([{}, {1: "starting"}, {}, {1: "starting"}, {}, {}])
    monkeypatch.setattr(processes, "marked_processes", lambda: next(looks))
    monkeypatch.setattr(processes.time, "sleep", lambda seconds: None)
    assert processes.end_what_is_left() == {}
    assert list(looks) == []


def test_a_program_that_is_there_and_cannot_run_is_lacking(tmp_path, monkeypatch):
    program = tmp_path / "rustc"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("ODDLY_RUSTC", str(program))
    programs.lack.cache_clear()
    assert programs.lack("rustc") == "it cannot run: exit code 3"
    programs.lack.cache_clear()
