"""Who gets a connection when there are few files for them."""

import errno
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress

import anyio
import pytest
import trio

from oddly.interfaces.serving import accepting
from oddly.interfaces.serving.accepting import NO_FILE, OpenConnections, files_for_connections
from tests.patience import PATIENCE

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
        accepted = accepting.SocketStream(trio.socket.from_stdlib_socket(ours))
        stream = await accepting._accept(None, accept=accept)
        assert tried == [0, accepting.PAUSE, 2 * accepting.PAUSE]
        await stream.aclose()


async def test_another_error_is_raised():
    async def accept(listener):
        raise anyio.BrokenResourceError from OSError(errno.EBADF, "closed")

    with pytest.raises(anyio.BrokenResourceError):
        await accepting._accept(None, accept=accept)


def test_some_files_stay_free_and_no_address_has_more_than_half(monkeypatch):
    limit = 256
    monkeypatch.setattr(accepting.resource, "getrlimit", lambda _: (limit, limit))
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
