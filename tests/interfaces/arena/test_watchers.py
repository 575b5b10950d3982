"""What only watches an arena never ends it, nor does a keeper's order that cannot be read.

Connections are closed with the code that says why.
"""

import sqlite3

import pytest
import trio

from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.registry import Registry
from oddly.arena.sessions import SILENT
from oddly.arena.store.store import ArenaStore
from oddly.interfaces.arena.service import ArenaFailure, ArenaService, WriterThread


@pytest.fixture
async def service(tmp_path):
    writer = WriterThread()
    store = await writer.run(lambda: ArenaStore(tmp_path, "Test", []))
    yield ArenaService(Arena(ArenaSettings("Test"), [], Registry()), store, writer)
    await writer.run(lambda: store.__exit__(None, None, None))
    writer.stop()


async def run(service):
    """Do all that there is to do, until the end."""
    stop = trio.Event()
    stop.set()
    await service.work(stop)


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("x"), OSError(28, "full")])
async def test_a_watcher_that_fails_is_dismissed_and_named(service, error, capsys):
    heard = []

    def failing(batch):
        heard.append("failing")
        raise error

    service.watchers += [failing, lambda batch: heard.append("other")]
    await run(service)
    assert heard == ["failing", "other", "other"]
    said = capsys.readouterr().err
    assert said.startswith("oddly: arena: a watcher failed and is told nothing more: ")
    assert type(error).__name__ in said
    assert said.count("\n") == 1


class Socket:
    """A socket that keeps what it was closed with."""

    def __init__(self):
        self.codes = []

    def put(self, text):
        """Send a text."""

    def close(self, code):
        self.codes.append(code)


async def test_who_is_silent_is_cut_off_and_only_who_is_refused_is_told_so(service):
    """The bug: a silent connection was closed like a refused one, without `refused`."""
    silent, refused = Socket(), Socket()
    service.open("192.0.2.1", "arena.example", silent)
    session = service.open("192.0.2.2", "arena.example", refused)
    service.refuse(session, "bad-message", "not a JSON object", None)
    service.arena.tick(service.clock.now() + SILENT + 1.0)
    await run(service)
    assert (silent.codes, refused.codes) == ([1001], [1008])


async def test_orders_that_cannot_be_read_are_one_sentence(service, monkeypatch):
    def broken(connection):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("oddly.interfaces.arena.service.pending_orders", broken)
    with pytest.raises(ArenaFailure, match="disk I/O error"):
        await service.obey_orders()


async def test_a_terminal_that_is_gone_ends_nothing(service, monkeypatch):
    class Gone:
        def write(self, text):
            raise BrokenPipeError

        def flush(self):
            raise BrokenPipeError

    def failing(batch):
        raise ValueError

    monkeypatch.setattr("sys.stderr", Gone())
    service.watchers.append(failing)
    await run(service)
    assert service.watchers == []
