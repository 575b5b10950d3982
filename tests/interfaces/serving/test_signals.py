"""Servers stop gracefully at a signal, also at that of a terminal which is closed."""

import os
import signal

import pytest
import trio
import trio.testing

from oddly.interfaces.serving.http_server import await_signals


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
