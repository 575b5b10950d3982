"""The referee's end of a bridge: standard input and output of a remote engine."""

from __future__ import annotations

import os
import socket
import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeError
from oddly.referee.bridge.websocket import ConnectionEnd, SealedChannel, hear, opened, say
from oddly.referee.program.channel import CHUNK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.abc import ReceiveStream, SendStream
    from trio_websocket import WebSocketConnection

    from oddly.referee.bridge.address import BridgeAddress, BridgeTarget

PATIENCE = 10.0
"""Seconds for the connection and for the handshake."""
NO_HANDSHAKE = f"no handshake within {PATIENCE:g} s; is it an oddly bridge?"
LAST_INPUT = 0.5
"""Seconds after the end of the connection for our input to end too, as after `quit`."""


async def connect(target: BridgeTarget, token: bytes = b"") -> None:
    """Serve as the engine behind `target` until either side ends. Raises BridgeError."""
    source = trio.lowlevel.FdStream(os.dup(0))
    sink = trio.lowlevel.FdStream(os.dup(1))
    async with source, sink:
        await carry(target, token, source, sink)


async def carry(
    target: BridgeTarget, token: bytes, source: ReceiveStream, sink: SendStream
) -> None:
    """Send `source` to `target` and the answers to `sink`. Raises BridgeError."""
    source_ended = trio.Event()
    async with websocket_to(target) as websocket:
        channel = await _shake_hands(websocket, token)

        async def there() -> None:
            try:
                while data := await source.receive_some(CHUNK):
                    await channel.send(bytes(data))
                source_ended.set()
                await channel.send(b"")
            except (BridgeError, trio.BrokenResourceError, trio.ClosedResourceError):
                return

        async with trio.open_nursery() as nursery:
            nursery.start_soon(there)
            await _back(channel, sink)
            with trio.move_on_after(LAST_INPUT):
                await source_ended.wait()
            nursery.cancel_scope.cancel()
    if not source_ended.is_set():
        raise BridgeError(f"{target} closed the connection")


async def _back(channel: SealedChannel, sink: SendStream) -> None:
    """Copy answers until they end or nobody reads them. Raises BridgeError for a forged one."""
    try:
        while data := await channel.receive():
            await sink.send_all(data)
    except (ConnectionEnd, trio.BrokenResourceError):
        return


@asynccontextmanager
async def websocket_to(target: BridgeTarget) -> AsyncIterator[WebSocketConnection]:
    """Open a WebSocket to a bridge. Raises BridgeError."""
    stream: trio.abc.Stream = await _open(target.address)
    try:
        if target.is_secure:
            stream = _secured(stream, target)
        async with opened(stream, str(target.address), target.path) as websocket:
            yield websocket
    finally:
        await trio.aclose_forcefully(stream)


def _secured(stream: trio.abc.Stream, target: BridgeTarget) -> trio.abc.Stream:
    """Return TLS on a stream, with the name that the certificate must have."""
    file = None if target.authority is None else str(target.authority)
    try:
        context = ssl.create_default_context(cafile=file)
    except OSError as error:
        raise BridgeError(f"cannot use the certificate {file}: {error}") from None
    host = target.address.host
    return trio.SSLStream(stream, context, server_hostname=host, https_compatible=True)


async def _open(address: BridgeAddress) -> trio.SocketStream:
    try:
        with trio.fail_after(PATIENCE):
            return await trio.open_tcp_stream(address.host, address.port)
    except trio.TooSlowError:
        raise BridgeError(f"{address} did not answer within {PATIENCE:g} s") from None
    except (OSError, UnicodeError) as error:
        said = _first_reason(error.__cause__ or error) or str(error)
        raise BridgeError(f"cannot connect to {address}: {said}") from None


def _first_reason(cause: BaseException) -> str | None:
    """Return the system's message for the first of trio's attempts."""
    while isinstance(cause, BaseExceptionGroup):
        cause = cause.exceptions[0]
    if isinstance(cause, OSError) and not isinstance(cause, socket.gaierror) and cause.errno:
        # Trio's own message repeats the address.
        return os.strerror(cause.errno)
    return getattr(cause, "strerror", None)


async def _shake_hands(websocket: WebSocketConnection, token: bytes) -> SealedChannel:
    """Prove the token, once the listener has. Raises BridgeError."""
    try:
        with trio.fail_after(PATIENCE):
            nonce = handshake.new_nonce()
            await say(websocket, handshake.hello(nonce))
            nonces = handshake.check_listener(await hear(websocket), token, nonce)
            await say(websocket, f"proof {handshake.prove(token, 'connector', nonces)}")
            answer = await hear(websocket)
    except trio.TooSlowError:
        raise BridgeError(NO_HANDSHAKE) from None
    if answer != handshake.OK:
        raise handshake.refused(answer)
    sending, receiving = (
        handshake.session_key(token, role, nonces) for role in ("connector", "listener")
    )
    return SealedChannel(websocket, sending, receiving)
