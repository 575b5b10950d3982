"""What a killed referee leaves behind is ended by the next run, and nothing else is."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oddly.referee.program.orphans import forget_engine, kill_engine, know_engine, new_mark
from oddly.referee.program.starting import end_killed_runs
from tests.referee.test_ending import MARK, is_running, sleepers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marks are found on Linux only")

ROOT = Path(__file__).parents[2]
REFEREE = """
import sys, trio
from oddly.referee.program.process import EngineProcess

async def main():
    code = (
        "import os, time\\n"
        "if os.fork() == 0:\\n"
        "    os.setsid()\\n"
        "    os.execve('/bin/sleep', ['sleep', '" + sys.argv[1] + "'], {})\\n"
        "time.sleep(3600)"
    )
    EngineProcess.start((sys.executable, "-c", code), 1000)
    print("started", flush=True)
    await trio.sleep_forever()

trio.run(main)
"""


def referee(tmp_path):
    """A running referee, and the process that its engine hides from it."""
    before = sleepers(MARK)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", REFEREE, MARK], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"started\n"
    while not (new := sleepers(MARK) - before):
        pass
    return process, int(*new)


def end(process: subprocess.Popen, number: int) -> None:
    process.send_signal(number)
    process.wait(20)
    process.stdout.close()


def test_what_a_killed_referee_left_behind_is_ended(tmp_path):
    killed, hidden = referee(tmp_path)
    end(killed, signal.SIGKILL)
    assert is_running(hidden)
    end_killed_runs(tmp_path / "oddly")
    while is_running(hidden):
        pass
    assert list((tmp_path / "oddly").iterdir()) == []


def test_the_next_run_does_it_when_it_begins_and_spares_those_of_running_referees(tmp_path):
    killed, hidden = referee(tmp_path)
    end(killed, signal.SIGKILL)
    second, of_second = referee(tmp_path)
    assert not is_running(hidden)
    third, of_third = referee(tmp_path)
    assert is_running(of_second)
    assert is_running(of_third)
    end(second, signal.SIGKILL)
    end(third, signal.SIGKILL)
    end_killed_runs(tmp_path / "oddly")
    while is_running(of_second) or is_running(of_third):
        pass


def test_a_file_that_is_no_runs_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    end_killed_runs(tmp_path)
    assert (tmp_path / "notes.txt").exists()


def test_an_engine_that_is_just_being_started_under_a_number_used_before_is_no_orphan():
    """Another thread may look for orphans before we have noted that it is ours."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as starting:
        try:
            forget_engine(starting.pid)
            kill_engine(new_mark(), session=starting.pid)
            assert starting.poll() is None
        finally:
            know_engine(starting.pid)
            starting.kill()
