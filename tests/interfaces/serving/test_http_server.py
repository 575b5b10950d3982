"""The HTTP server goes on, whatever becomes of a client, of itself and of its log."""

import io
import socket
import sys

import anycorn
import anyio
import pytest
import trio
from anyio.streams.tls import TLSAttribute
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from oddly.interfaces.serving.http_server import keep_serving, server_config
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
