"""The HTTP server goes on, whatever becomes of clients, their number, itself and its log."""

import errno
import io
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress

import anycorn
import anyio
import pytest
import trio
from anyio.streams.tls import TLSAttribute
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from oddly.interfaces.serving import http_server
from oddly.interfaces.serving.http_server import (
    NO_FILE,
    OpenConnections,
    files_for_connections,
    keep_serving,
    server_config,
)
from oddly.interfaces.serving.upgraded_stream import UpgradedStream
from tests.patience import PATIENCE

HEAD = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\n\r\n"


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield listener


async def test_the_log_says_nothing_of_who_left_before_the_end_of_the_body(listener, capfd):
    begun, ended, stop = trio.Event(), trio.Event(), trio.Event()

    async def answer(request):
        begun.set()
        try:
            return PlainTextResponse(await request.body())
        finally:
            ended.set()

    app = Starlette(routes=[Route("/", answer, methods=["POST"])])
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_serving, app, listener, server_config(30), stop)
            gone = await trio.open_tcp_stream(*listener.getsockname())
            await gone.send_all(HEAD + b"hel")
            await begun.wait()
            await gone.aclose()
            await ended.wait()
            other = await trio.open_tcp_stream(*listener.getsockname())
            await other.send_all(HEAD + b"hello")
            said = b""
            while not said.endswith(b"hello"):
                said += await other.receive_some()
            await other.aclose()
            stop.set()
    assert said.startswith(b"HTTP/1.1 200")
    assert capfd.readouterr().err == ""


class ClosedStream:
    """A TLS connection that is being closed, whose other side says no goodbye."""

    extra_attributes = {TLSAttribute.ssl_object: None}  # noqa: RUF012

    async def aclose(self):
        raise anyio.ClosedResourceError


async def test_a_connection_that_is_closed_twice_ends_no_server():
    """The bug: three requests that were not HTTP restarted a server that spoke TLS."""
    await UpgradedStream(ClosedStream()).aclose()


class GoneLog(io.StringIO):
    """A log whose reader is gone."""

    def write(self, text):
        raise BrokenPipeError


async def test_a_server_that_breaks_begins_anew_also_if_its_log_is_gone(
    listener, monkeypatch, autojump_clock
):
    served, stop = [], trio.Event()

    async def serve(*words, **more):
        served.append(words)
        if len(served) < 3:
            raise RuntimeError("broken")
        stop.set()

    monkeypatch.setattr(anycorn, "serve", serve)
    monkeypatch.setattr(sys, "stderr", GoneLog())
    await keep_serving(Starlette(), listener, server_config(30), stop)
    assert len(served) == 3


SERVER = """
import resource, socket, sys, trio
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from oddly.interfaces.serving.http_server import keep_serving, server_config

async def answer(request):
    return PlainTextResponse(await request.body())

async def main():
    app = Starlette(routes=[Route("/", answer, methods=["POST"])])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        print(listener.getsockname()[1], flush=True)
        await keep_serving(app, listener, server_config(600), trio.Event())

limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
trio.run(main)
"""
LIMIT = 80
CROWD = 120


def begun(place, stack):
    """A connection with a request that is not whole."""
    connection = stack.enter_context(socket.create_connection(place, timeout=PATIENCE))
    # One that was turned away may be closed already.
    with suppress(ConnectionError):
        connection.sendall(b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\n\r\nhel")
    return connection


def answered(connection):
    """Whether the server answers once the request is whole."""
    said = b""
    with suppress(ConnectionError):
        connection.sendall(b"lo")
        while not said.endswith(b"hello") and (more := connection.recv(4096)):
            said += more
    return said.startswith(b"HTTP/1.1 200")


def test_a_crowd_at_the_door_disturbs_nobody_inside():
    words = [sys.executable, "-c", SERVER, str(LIMIT)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        place = ("127.0.0.1", int(process.stdout.readline()))
        with ExitStack() as stay:
            first = begun(place, stay)
            with ExitStack() as stack:
                crowd = [begun(place, stack) for _ in range(CROWD)]
                # The last one is turned away after all others were looked at.
                assert not answered(crowd[-1])
                assert answered(first)
                assert not any(answered(each) for each in crowd[LIMIT:])
                assert answered(crowd[0])
            until = time.monotonic() + PATIENCE
            while not answered(begun(place, stay)):
                assert time.monotonic() < until
                time.sleep(0.1)
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert errors == ""


@pytest.mark.parametrize("number", sorted(NO_FILE))
async def test_where_there_is_no_file_a_connection_waits_for_one(number, autojump_clock):
    tried = []

    async def accept(listener):
        tried.append(trio.current_time())
        if len(tried) < 3:
            raise anyio.BrokenResourceError from OSError(number, "no file")
        return accepted

    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as ours,
    ):
        accepted = http_server.SocketStream(trio.socket.from_stdlib_socket(ours))
        stream = await http_server._accept(None, accept=accept)
        assert tried == [0, http_server.PAUSE, 2 * http_server.PAUSE]
        await stream.aclose()


async def test_another_error_is_raised():
    async def accept(listener):
        raise anyio.BrokenResourceError from OSError(errno.EBADF, "closed")

    with pytest.raises(anyio.BrokenResourceError):
        await http_server._accept(None, accept=accept)


def test_some_files_stay_free_and_no_address_has_more_than_half(monkeypatch):
    limit = 256
    monkeypatch.setattr(http_server.resource, "getrlimit", lambda _: (limit, limit))
    assert files_for_connections() == limit - 64
    connections = OpenConnections()
    half = (limit - 64) // 2
    assert all(connections.admit(9, "192.0.2.1") for _ in range(half))
    assert not connections.admit(9, "192.0.2.1")
    assert connections.admit(9, "192.0.2.2")
    assert all(connections.admit(9, "127.0.0.1") for _ in range(limit))
    assert connections.admit(limit - 65, "192.0.2.3")
    assert not connections.admit(limit - 64, "192.0.2.3")
    connections.leave("192.0.2.1")
    assert connections.admit(9, "192.0.2.1")
    assert not connections.admit(9, "192.0.2.1")
