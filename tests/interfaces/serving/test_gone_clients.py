"""A client that goes away in the middle of its request is no news, and costs others nothing."""

import socket

import pytest
import trio
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from oddly.interfaces.serving.http_server import keep_serving, server_config
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
