"""The end of an engine's process: complete, bounded, and not held up by what the engine started."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program import orphans
from oddly.referee.program.configuration import Limits
from oddly.referee.program.orphans import (
    adopt_orphans,
    forget_engine,
    kill_engine,
    know_engine,
    new_mark,
)
from oddly.referee.program.process import EngineProcess
from tests.processes import is_running, running
from tests.referee.fakes import composed, fake

MARK = f"3600.{os.getpid()}"
"""For how long what hides sleeps: so it is known from what other tests hide."""
LIMITS = Limits(grace=0.2)
linux = pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux only")


async def play(*plan, time: str = "5"):
    """A game of an engine composed of these calls, which is given half a minute."""
    with trio.fail_after(30):
        bad = composed(*plan, name="bad", time=time)
        return await play_game(create_game("odd", 2), (fake(), bad), limits=LIMITS)


def sleepers(seconds: str) -> set[int]:
    """The processes that sleep for exactly so long, zombies excepted."""
    return running("sleep", seconds)


@linux
async def test_a_child_that_traces_the_engine_holds_nobody_up():
    child = ["fork", ["setsid"], ["ptrace"]]
    record = await play(["ask2", child, ["exit", 3]])
    assert record.outcome.termination is Termination.CRASH
    assert record.outcome.reason == "bad: the engine exited with code 3"


@linux
async def test_a_child_that_traces_an_engine_without_fault_costs_nobody_the_game():
    record = await play(["ask2", ["fork", ["setsid"], ["ptrace"]]])
    assert record.outcome.termination is Termination.BOARD_FULL


@linux
@pytest.mark.parametrize("ending", [["exit", 3], ["delay", 0]])
async def test_a_child_that_wiped_its_environment_is_found(ending):
    before = sleepers(MARK)
    await play(["ask2", ["fork", ["setsid"], ["fork", ["wipe", MARK]], ["exit", 0]], ending])
    assert sleepers(MARK) == before


async def test_a_stop_that_was_cancelled_is_completed_by_the_next():
    process = EngineProcess.start(("sleep", "3600"), 1000)
    with trio.move_on_after(0.05):
        await process.stop(20)
    assert is_running(process.pid) or sys.platform != "linux"
    await process.stop(0.2)
    assert not is_running(process.pid)
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


async def test_stops_at_the_same_time_wait_for_each_other():
    process = EngineProcess.start(("sleep", "3600"), 1000)
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(process.stop, 0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@linux
async def test_an_orphan_that_lowers_its_limit_as_well_is_found():
    code = (
        "import os, resource, sys, time\n"
        "if os.fork():\n    sys.exit()\n"
        "os.setsid()\n"
        "resource.setrlimit(10, (5, 5))\n"
        f"os.execve('/bin/sleep', ['sleep', '{MARK}'], {{}})\n"
    )
    before = sleepers(MARK)
    process = EngineProcess.start((sys.executable, "-c", code), 1000)
    while sleepers(MARK) == before:
        await trio.sleep(0.01)
    await process.stop(0.2)
    assert sleepers(MARK) == before


@linux
async def test_children_of_ours_that_are_no_engines_are_left_alone():
    ours = subprocess.Popen(["sleep", "3600"], start_new_session=True)
    try:
        # It may end what an earlier test's killed referee left to us, and so counts more than none.
        kill_engine(new_mark(), 0)
    finally:
        ours.terminate()
        ours.wait()
    assert ours.returncode == -signal.SIGTERM


@linux
@pytest.mark.parametrize("in_one_tick", [False, True])
async def test_a_child_of_ours_with_a_limit_of_its_own_outlives_an_engine_that_began_later(
    in_one_tick,
):
    code = (
        "import resource; resource.setrlimit(10, (5, 5)); print('up', flush=True); print(input())"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert ours.stdout.readline() == b"up\n"
        process = EngineProcess.start(("sleep", "3600"), 1000)
        if in_one_tick:
            orphans._engines[process.pid] = orphans._stat(ours.pid)[3]
        await process.stop(0.2)
    finally:
        said, _ = ours.communicate(b"still here\n")
    assert said == b"still here\n"


def test_a_composed_engine_plays_as_its_plan_says():
    plan = json.dumps([["ask1", ["write", 2, "thinking"]], ["half1", ["exit", 4]]])
    engine = [sys.executable, "tests/fakes/composed.py", plan]
    done = subprocess.run(
        engine, input=b"1 genmove b\n", capture_output=True, check=False, timeout=20
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, b"=1", b"thinking")


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_what_outlived_the_wait_for_an_engines_end_is_ended_and_reaped_with_another():
    adopt_orphans()
    code = (
        "import subprocess; print(subprocess.Popen(['sleep', '3600'], stdout=-3).pid, flush=True)"
    )
    engine = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    know_engine(engine.pid)
    late = Path("/proc") / str(int(engine.communicate()[0]))
    forget_engine(engine.pid)
    while late.exists():
        kill_engine(new_mark(), session=os.getpid())
