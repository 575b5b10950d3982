"""The referee's end of a bridge: standard input and output of a remote engine."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import trio

from referee.bridge import handshake
from referee.bridge.address import BridgeAddress, BridgeError
from referee.bridge.limits import LineReader
from referee.channel import CHUNK

if TYPE_CHECKING:
    from trio.abc import ReceiveStream, SendStream

PATIENCE = 10.0
"""Seconds for the connection and for the handshake."""
LAST_INPUT = 0.5
"""Seconds after the end of the connection for our input to end too, as after `quit`."""


async def connect(address: BridgeAddress, token: bytes = b"") -> None:
    """Serve as the engine behind `address` until either side ends. Raises BridgeError."""
    source = trio.lowlevel.FdStream(os.dup(0))
    sink = trio.lowlevel.FdStream(os.dup(1))
    async with source, sink:
        await carry(address, token, source, sink)


async def carry(
    address: BridgeAddress, token: bytes, source: ReceiveStream, sink: SendStream
) -> None:
    """Send `source` to `address` and the answers to `sink`. Raises BridgeError."""
    async with await _open(address) as stream:
        first = await _shake_hands(stream, token)
        source_ended = trio.Event()

        async def there() -> None:
            try:
                while data := await source.receive_some(CHUNK):
                    await stream.send_all(data)
                source_ended.set()
                await stream.send_eof()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

        async with trio.open_nursery() as nursery:
            nursery.start_soon(there)
            await _back(stream, sink, first)
            with trio.move_on_after(LAST_INPUT):
                await source_ended.wait()
            nursery.cancel_scope.cancel()
    if not source_ended.is_set():
        raise BridgeError(f"{address} closed the connection")


async def _back(stream: trio.SocketStream, sink: SendStream, data: bytes) -> None:
    """Copy answers until they end or nobody reads them."""
    try:
        while True:
            if data:
                await sink.send_all(data)
            data = await stream.receive_some(CHUNK)
            if not data:
                return
    except trio.BrokenResourceError:
        return


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


async def _shake_hands(stream: trio.SocketStream, token: bytes) -> bytes:
    """Prove the token. Returns what the engine has sent already. Raises BridgeError."""
    reader = LineReader(stream, handshake.MAX_LINE_LENGTH)
    try:
        with trio.fail_after(PATIENCE):
            nonce = handshake.nonce_in(await reader.line())
            proof = handshake.prove(token, nonce)
            await stream.send_all(handshake.HELLO + proof + b"\n")
            answer = await reader.line()
    except trio.TooSlowError:
        raise BridgeError(f"no handshake within {PATIENCE:g} s; is it an oddly bridge?") from None
    except trio.BrokenResourceError:
        raise BridgeError("the other side closed the connection") from None
    if answer != handshake.OK:
        raise handshake.refused(answer)
    return reader.rest
