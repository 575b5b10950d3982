"""What a killed referee leaves behind is ended by the next run, and nothing else is."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oddly.referee.program.orphans import (
    adopt_orphans,
    forget_engine,
    kill_engine,
    know_engine,
    new_mark,
)
from oddly.referee.program.starting import MAKING, clean_up, end_killed_runs
from tests.patience import PATIENCE
from tests.programs import needs
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


ISOLATING = """
import trio
from oddly.referee.program.configuration import Isolation, Resources
from oddly.referee.program.process import EngineProcess

async def main():
    walls = Resources(isolation=Isolation.BUBBLEWRAP)
    process = EngineProcess.start(("/bin/cat",), 1000, walls)
    await process.send(b"started\\n")
    print((await process.receive()).decode(), end="", flush=True)
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


@needs("bubblewrap")
def test_the_walls_of_a_killed_referee_are_reaped(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    adopt_orphans()
    killed = subprocess.Popen([sys.executable, "-c", ISOLATING], cwd=ROOT, stdout=subprocess.PIPE)
    assert killed.stdout.readline() == b"started\n"
    (walls,) = Path(f"/proc/{killed.pid}/task/{killed.pid}/children").read_text().split()
    end(killed, signal.SIGKILL)
    while is_running(int(walls)):
        pass
    clean_up()
    assert not Path(f"/proc/{walls}").exists()


def test_the_exit_status_of_a_child_that_is_no_engine_is_left_to_its_owner(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    ours = subprocess.Popen(["sh", "-c", "exit 3"], start_new_session=True)
    os.waitid(os.P_PID, ours.pid, os.WEXITED | os.WNOWAIT)
    clean_up()
    assert ours.wait() == 3


@pytest.mark.parametrize(("age", "is_left"), [(5, True), (3600, False)])
def test_what_a_run_that_was_killed_as_it_began_left_is_removed_after_a_while(
    tmp_path, age, is_left
):
    unfinished = tmp_path / f"{MAKING}1x2y3z"
    unfinished.touch()
    then = time.time() - age
    os.utime(unfinished, (then, then))
    end_killed_runs(tmp_path)
    assert unfinished.exists() is is_left


def test_a_file_that_is_no_runs_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    end_killed_runs(tmp_path)
    assert (tmp_path / "notes.txt").exists()


FORKED = """
import os
from oddly.referee.program.configuration import Resources
from oddly.referee.program.orphans import kill_engine
from oddly.referee.program.starting import start_process

def engine():
    return start_process(("cat",), Resources())

engine().popen.kill()
may_start, start = os.pipe()
child = os.fork()
if child == 0:
    os.read(may_start, 1)
    of_child = engine()
    kill_engine(of_child.mark, of_child.popen.pid)
    os._exit(0)
of_parent = engine()
os.write(start, b"!")
os.waitpid(child, 0)
os.write(of_parent.stdin, b"it lives")
os.set_blocking(of_parent.stdout, True)
print(os.read(of_parent.stdout, 8).decode())
of_parent.popen.kill()
"""


FORKED_AND_KILLED = """
import os, signal
from pathlib import Path
from oddly.referee.program import starting

starting.begin_run()
parent = os.getpid()
if os.fork() > 0:
    os.kill(parent, signal.SIGKILL)
while os.getppid() == parent:
    pass
directory = Path(os.environ["XDG_RUNTIME_DIR"], "oddly")
before = len(list(directory.iterdir()))
starting.end_killed_runs(directory)
print(before, list(directory.iterdir()))
"""


ADOPTING = """
import os
from oddly.referee.program.orphans import adopt_orphans

adopt_orphans()
if os.fork() == 0:
    adopt_orphans()
    has_ended, end = os.pipe()
    between = os.fork()
    if between == 0:
        if os.fork() > 0:
            os._exit(0)
        os.read(has_ended, 1)
        print(os.getppid() == int(os.read(has_ended, 9)), flush=True)
        os._exit(0)
    os.waitpid(between, 0)
    os.write(end, b"!%d" % os.getpid())
    os.wait()
    os._exit(0)
os.wait()
"""


def said_by(program, tmp_path):
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
    ).stdout


def test_a_forked_process_spares_its_parents_engine(tmp_path):
    assert said_by(FORKED, tmp_path) == "it lives\n"


def test_a_forked_process_does_not_keep_the_run_of_its_killed_parent(tmp_path):
    assert said_by(FORKED_AND_KILLED, tmp_path) == "1 []\n"


def test_a_forked_process_adopts_the_orphans_of_its_own_engines(tmp_path):
    assert said_by(ADOPTING, tmp_path) == "True\n"


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


REUSING = """
import os
from oddly.referee.program import starting
starting.begin_run()
os.closerange(3, 256)
read, write = os.pipe()
os.write(write, b"kept")
if os.fork() == 0:
    print(os.read(read, 4).decode(), flush=True)
    os._exit(0)
os.wait()
"""


def test_a_forked_process_keeps_what_took_the_number_of_a_closed_file(tmp_path):
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    command = [sys.executable, "-c", REUSING]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout == "kept\n", done.stderr
