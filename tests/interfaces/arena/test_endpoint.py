"""How many connections there may be, and how much each may send."""

from types import SimpleNamespace

import pytest
import trio
from websockets.frames import CONT, TEXT, Frame, Opcode

from oddly.arena import SUBPROTOCOL, JoinRefused, ReadyForGame
from oddly.arena.sessions import Addresses
from oddly.interfaces.arena.endpoint import (
    BURST,
    JOIN_WITHIN,
    LEAST,
    RATE,
    Endpoint,
)
from oddly.interfaces.serving.upgraded_stream import KEY
from tests.interfaces.arena.test_engine_socket import Wire, closing


class Dialled:
    """An arena that keeps what it hears, and lets each connection send some bytes."""

    def __init__(self, allowed=1 << 30):
        self.allowed = allowed
        self.heard, self.refused = [], []

    def open(self, address, host, socket):
        self.socket = socket
        return 1

    def excess(self, session, size):
        self.allowed -= size
        return "" if self.allowed >= 0 else "too many bytes"

    def hear(self, session, message):
        self.heard.append(message)

    def refuse(self, session, code, reason, again):
        self.refused.append(reason)
        self.socket.put(JoinRefused(code, reason, again).encoded())
        self.socket.close(1008)

    def closed(self, session):
        self.heard.append(None)


class Call(Wire):
    """A WebSocket of a caller, as the HTTP server hands it over."""

    def __init__(self):
        super().__init__()
        self.scope = {"subprotocols": [SUBPROTOCOL], "state": {KEY: self}}
        self.headers = {}
        self.client = SimpleNamespace(host="192.0.2.1")

    async def accept(self, subprotocol):
        """Upgrade."""

    def take(self):
        """Is the endpoint's now."""

    def give_back(self):
        """Is the server's again."""


async def served(call, dialled, addresses=None):
    """Serve a call to its end."""
    await Endpoint(dialled, addresses or Addresses(9, 9)).serve(call)


FLOODS = {
    "pings": [Frame(Opcode.PING, b"")] * BURST,
    "pongs": [Frame(Opcode.PONG, b"")] * BURST,
    "parts": [Frame(TEXT, b"", fin=False), *[Frame(CONT, b"", fin=False)] * (BURST - 1)],
}


@pytest.mark.parametrize("frames", FLOODS.values(), ids=FLOODS.keys())
async def test_frames_of_every_kind_are_counted(frames, autojump_clock):
    call, dialled = Call(), Dialled()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(served, call, dialled)
        call.say(*frames)
        await trio.testing.wait_all_tasks_blocked()
        assert dialled.refused == []
        call.say(*frames[-1:])
        await trio.testing.wait_all_tasks_blocked()
        assert dialled.refused == ["too many messages a second"]
        call.say(*frames)
    assert call.heard()[-1] == closing(1008)
    assert call.give.statistics().current_buffer_used == 1


async def test_who_sends_no_more_frames_than_allowed_is_heard_for_long(autojump_clock):
    call, dialled = Call(), Dialled()
    ready = Frame(TEXT, ReadyForGame().encoded().encode())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(served, call, dialled)
        for _ in range(60):
            call.say(*[ready] * int(RATE))
            await trio.sleep(1.001)
        call.give.close()
    assert dialled.refused == []
    assert dialled.heard == [ReadyForGame()] * 60 * int(RATE) + [None]


async def test_bytes_are_counted_before_a_message_is_whole(autojump_clock):
    call, dialled = Call(), Dialled(allowed=1000)
    call.say(Frame(TEXT, b"x" * 900, fin=False))
    call.say(Frame(CONT, b"x" * 900, fin=False))
    await served(call, dialled)
    assert dialled.refused == ["too many bytes"]
    assert dialled.heard == [None]


async def test_a_short_frame_counts_as_some_bytes(autojump_clock):
    call, dialled = Call(), Dialled(allowed=10 * LEAST)
    call.say(*[Frame(Opcode.PONG, b"")] * 10)
    call.say(Frame(Opcode.PONG, b""))
    await served(call, dialled)
    assert dialled.refused == ["too many bytes"]


async def test_who_does_not_join_in_time_is_refused_whatever_else_comes(autojump_clock):
    call, dialled = Call(), Dialled()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(served, call, dialled)
        for _ in range(int(JOIN_WITHIN)):
            await trio.sleep(0.99)
            call.say(Frame(Opcode.PING, b""))
            assert dialled.refused == []
        await trio.sleep(0.2)
        assert dialled.refused == ["join is expected within 10 s"]


async def test_a_call_too_many_cannot_flood_either(autojump_clock):
    call = Call()
    for _ in range(4):
        call.say(*FLOODS["pongs"])
    await served(call, Dialled(), Addresses(in_all=0, from_one=0))
    assert call.heard()[-1] == closing(1008)
    assert call.give.statistics().current_buffer_used == 2
