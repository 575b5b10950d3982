"""Servers stop gracefully at a signal, also at that of a terminal which is closed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio
import trio.testing

from oddly.interfaces.serving.http_server import await_signals
from tests.patience import PATIENCE
from tests.processes import running

ROOT = Path(__file__).parents[3]


@pytest.fixture
def heard():
    """How often SIGHUP reached whoever else waits for it; the tests' own runner lives on."""
    heard = []
    before = signal.signal(signal.SIGHUP, lambda *_: heard.append(signal.SIGHUP))
    yield heard
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_server_stops_at_a_signal(number, heard):
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, stop)
        os.kill(os.getpid(), number)
        await stop.wait()
        nursery.cancel_scope.cancel()
    assert heard == []


async def test_a_hangup_that_means_something_else_stops_no_server(heard):
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(
            lambda task_status: await_signals(stop, hangups_stop=False, task_status=task_status)
        )
        os.kill(os.getpid(), signal.SIGHUP)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert heard == [signal.SIGHUP]
    assert not stop.is_set()


async def test_under_nohup_no_server_stops_at_a_hangup(heard):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, stop)
        os.kill(os.getpid(), signal.SIGHUP)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert not stop.is_set()


SERVER = """
import sys, trio
from oddly.interfaces.serving.http_server import await_signals
from oddly.referee.program.process import EngineProcess

async def main():
    hides = (
        "import os, time\\n"
        "if os.fork() == 0:\\n"
        "    os.setsid()\\n"
        "    os.execve('/bin/sleep', ['sleep', sys.argv[1]], {})\\n"
        "time.sleep(3600)"
    )
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, trio.Event())
        EngineProcess.start((sys.executable, "-c", "import sys\\n" + hides, sys.argv[1]), 100)

trio.run(main)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux only")
def test_at_the_second_signal_a_server_leaves_nothing_that_its_engines_have_started():
    mark = f"3500.{os.getpid()}"
    with subprocess.Popen([sys.executable, "-c", SERVER, mark], cwd=ROOT) as server:
        while not running("sleep", mark) and server.poll() is None:
            time.sleep(0.01)
        server.send_signal(signal.SIGINT)
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 1
    assert running("sleep", mark) == set()
