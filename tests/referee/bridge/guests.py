"""A bridge on loopback, and the connecting end by hand."""

import os
from contextlib import asynccontextmanager

import trio
import trio.testing
from trio_websocket import ConnectionClosed, wrap_client_stream

from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeAddress, BridgeError, BridgeTarget
from oddly.referee.bridge.connector import carry
from oddly.referee.bridge.listener import Listener, open_listeners
from oddly.referee.bridge.relay import BridgeLimits
from oddly.referee.bridge.websocket import SIZES, SealedChannel
from tests.patience import PATIENCE

ECHO = ("cat",)
FAMILY = ("sh", "-c", "sleep 1000 & echo $$ $!; cat; sleep 1000")
TOKEN = b"a secret of the club"


class Place:
    """Where a bridge listens; what was dialled is hung up in the end."""

    def __init__(self, address: BridgeAddress, nursery: trio.Nursery) -> None:
        self.address = address
        self.target = BridgeTarget(address)
        self.streams: list[trio.SocketStream] = []
        self.nursery = nursery

    async def dial(self) -> trio.SocketStream:
        stream = await trio.open_tcp_stream(*self.address)
        self.streams.append(stream)
        return stream


@asynccontextmanager
async def bridge(command=ECHO, token=b"", told=None, tls=None, **limits):
    """A bridge that runs `command`, for a while."""
    told = [] if told is None else told
    listeners = await open_listeners(BridgeAddress("127.0.0.1", 0), has_token=bool(token))
    limits = BridgeLimits(**{"grace": 0.2, **limits})
    listener = Listener(command, token, limits, told.append, tls=tls)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listener.serve, listeners)
            place = Place(BridgeAddress(*listeners[0].socket.getsockname()), nursery)
            try:
                yield place
            finally:
                nursery.cancel_scope.cancel()
                for stream in place.streams:
                    stream.socket.close()


@asynccontextmanager
async def carried(target, token=b""):
    """The input and the output of an engine that the connector carries; both end behind it."""
    there, source = trio.testing.memory_stream_pair()
    sink, back = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(carry, target, token, source, sink)
        yield there, back
        await there.send_eof()
    await sink.aclose()


class Guest:
    """The connecting end, by hand: a WebSocket, and the channel once hands are shaken."""

    def __init__(self, place, stream, websocket):
        self.place, self.stream, self.websocket = place, stream, websocket
        self.channel = None

    async def hears(self):
        """The next message; nothing at the end."""
        try:
            return await self.websocket.get_message()
        except ConnectionClosed:
            return ""

    async def says(self, message):
        await self.websocket.send_message(message)

    async def receives(self):
        """What the engine wrote next; nothing at the end."""
        try:
            return await self.channel.receive()
        except BridgeError:
            return b""

    async def receives_lines(self, number):
        data = b""
        while data.count(b"\n") < number and (more := await self.receives()):
            data += more
        return data

    async def receives_all(self):
        data = b""
        while more := await self.receives():
            data += more
        return data

    async def hangs_up(self):
        await trio.aclose_forcefully(self.stream)


async def visit(place, subprotocol=handshake.SUBPROTOCOL):
    """A WebSocket, before the handshake of the bridge."""
    stream = await place.dial()
    websocket = await wrap_client_stream(
        place.nursery, stream, "x", "/", subprotocols=[subprotocol], **SIZES
    )
    return Guest(place, stream, websocket)


async def knock(place, token=b""):
    """A guest who has shaken hands, and the listener's last word."""
    guest = await visit(place)
    nonce = handshake.new_nonce()
    await guest.says(handshake.hello(nonce))
    answer = await guest.hears()
    if answer.startswith("error "):
        return guest, answer
    nonces = handshake.Nonces(nonce, answer.split()[1])
    await guest.says(f"proof {handshake.prove(token, 'connector', nonces)}")
    keys = [handshake.session_key(token, role, nonces) for role in ("connector", "listener")]
    guest.channel = SealedChannel(guest.websocket, *keys)
    return guest, await guest.hears()


async def knock_to_stay(place, token=b"", secret=None, key=None, received=0):
    """A guest of version 3, who begins a session or resumes one, and the listener's last word."""
    guest = await visit(place, "oddly-bridge.3")
    nonce = handshake.new_nonce()
    await guest.says(handshake.hello(nonce))
    nonces = handshake.Nonces(nonce, (await guest.hears()).split()[1])
    proof = f"proof {handshake.prove(token, 'connector', nonces, 3)}"
    if secret is not None:
        resumption = handshake.prove(key or secret.key, "resume", nonces, 3)
        proof += f" resume {secret.name} {resumption}"
    await guest.says(proof)
    answer = await guest.hears()
    guest.secret = secret or handshake.SessionSecret.of(token, nonces)
    sealing = token if secret is None else secret.key
    roles = ("connector", "listener")
    keys = [handshake.session_key(sealing, role, nonces, 3) for role in roles]
    guest.channel = SealedChannel(guest.websocket, *keys)
    if answer == "ok":
        await guest.channel.send(received.to_bytes(8))
        guest.sent = int.from_bytes(await guest.receives())
    return guest, answer


async def until(condition) -> None:
    while not condition():
        await trio.sleep(0.01)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
