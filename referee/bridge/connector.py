"""The referee's end of a bridge: standard input and output of a remote engine.

When the connection of a version 3 session breaks, it keeps calling until it is back or its input
ends. The referee notices only the delay.
"""

from __future__ import annotations

import math
import os
import random
import socket
import ssl
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import trio
from trio_websocket import ConnectionClosed

from oddly.referee.bridge import handshake
from oddly.referee.bridge.address import BridgeAddress, BridgeError, BridgeRefusal, BridgeTarget
from oddly.referee.bridge.handshake import RESUMABLE, SessionSecret
from oddly.referee.bridge.session import BridgeSession
from oddly.referee.bridge.websocket import (
    ConnectionEnd,
    SealedChannel,
    hear,
    opened,
    say,
    version_of,
)
from oddly.referee.justice.outcome import first_error
from oddly.referee.program.channel import CHUNK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from trio.abc import ReceiveStream, SendStream
    from trio_websocket import WebSocketConnection


PATIENCE = 10.0
"""Seconds for each of the connection, the WebSocket on it, and the handshake."""
NO_HANDSHAKE = f"no handshake within {PATIENCE:g} s; is it an oddly bridge?"
FIRST_PAUSE, MAX_PAUSE = 0.05, 5.0
"""The first and the longest pause between calls after a break, in seconds; each varies by half."""
BEAT, ANSWER = 5.0, 10.0
"""Seconds between checks that the connection is alive, and for the answer to each."""
LAST_INPUT = 0.5
"""Seconds that our input has to end after the connection, as it does after `quit`."""


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
    copying = _Copying(source, sink)
    await _Caller(target, token, copying).call()
    if not copying.source_ended.is_set():
        raise BridgeError(f"{target} closed the connection")


class _Copying:
    """Copies between our two streams and a channel, until that ends."""

    def __init__(self, source: ReceiveStream, sink: SendStream) -> None:
        self._source = source
        self._sink = sink
        self.source_ended = trio.Event()

    async def over(self, channel: SealedChannel | BridgeSession) -> None:
        """Copy both ways. Raises BridgeError for a forged message."""
        failure: BridgeError | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send_input, channel)
            try:
                await self._receive_answers(channel)
                with trio.move_on_after(LAST_INPUT):
                    await self.source_ended.wait()
            except BridgeError as error:
                failure = error
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def over_session(self, session: BridgeSession) -> None:
        """Copy both ways until the session is over; its connection reports a failure."""
        with suppress(BridgeError):
            await self.over(session)
        session.end()

    async def _send_input(self, channel: SealedChannel | BridgeSession) -> None:
        """Copy our input until it ends, and then its end."""
        try:
            while data := await self._source.receive_some(CHUNK):
                await channel.send(bytes(data))
            self.source_ended.set()
            await channel.send(b"")
        except (BridgeError, trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def _receive_answers(self, channel: SealedChannel | BridgeSession) -> None:
        """Copy answers until they end or nobody reads them. Raises BridgeError for a forged one."""
        try:
            while data := await channel.receive():
                await self._sink.send_all(data)
        except (ConnectionEnd, trio.BrokenResourceError):
            return


class _Caller:
    """Calls a listener, and calls it again when the connection of a session breaks."""

    def __init__(self, target: BridgeTarget, token: bytes, copying: _Copying) -> None:
        self._target = target
        self._token = token
        self._copying = copying
        self._session: BridgeSession | None = None

    async def call(self) -> None:
        """Copy until either side ends. Raises BridgeError."""
        failure: BridgeError | None = None
        async with trio.open_nursery() as nursery:
            try:
                await self._call_until_over(nursery)
            except BridgeError as error:
                failure = error
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _call_until_over(self, nursery: trio.Nursery) -> None:
        """Call until the copying is over. Raises BridgeError."""
        pause = FIRST_PAUSE
        while True:
            try:
                async with websocket_to(self._target) as websocket:
                    channel, secret = await _shake_hands(websocket, self._token, self._session)
                    pause = FIRST_PAUSE
                    if secret is None:
                        await self._copying.over(channel)
                        return
                    session = self._session or self._begin(secret, nursery)
                    await _carry(session, channel, websocket)
            except BridgeError as error:
                if self._session is None or isinstance(error, BridgeRefusal):
                    raise
            if self._session is not None and self._session.is_over:
                return
            await trio.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(2 * pause, MAX_PAUSE)

    def _begin(self, secret: SessionSecret, nursery: trio.Nursery) -> BridgeSession:
        """Begin a session that outlives its connections."""
        self._session = session = BridgeSession(secret)

        async def end_calls() -> None:
            await self._copying.source_ended.wait()
            await session.until_away(0)
            if not session.is_over:
                nursery.cancel_scope.cancel()

        nursery.start_soon(self._copying.over_session, session)
        nursery.start_soon(end_calls)
        return session


async def _carry(
    session: BridgeSession, channel: SealedChannel, websocket: WebSocketConnection
) -> None:
    """Carry the bytes of a session while the other end answers. Raises BridgeError."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_beat, session, websocket)
        await session.carry(channel)
        nursery.cancel_scope.cancel()


async def _beat(session: BridgeSession, websocket: WebSocketConnection) -> None:
    """Give up a connection that is dead although nobody closed it."""
    while True:
        await trio.sleep(BEAT)
        if session.is_held_up:
            # Then the answer would wait as well.
            continue
        began = trio.current_time()
        with trio.move_on_after(ANSWER) as waited, suppress(ConnectionClosed):
            await websocket.ping()
        # If much more time has passed, this process stood still.
        if waited.cancelled_caught and trio.current_time() - began < 2 * ANSWER:
            session.drop()


@asynccontextmanager
async def websocket_to(target: BridgeTarget) -> AsyncIterator[WebSocketConnection]:
    """Open a WebSocket to a bridge. Raises BridgeError."""
    stream = await stream_to(target)
    try:
        with trio.move_on_after(PATIENCE) as waiting:
            async with opened(stream, str(target.address), target.path) as websocket:
                waiting.deadline = math.inf
                yield websocket
    finally:
        await trio.aclose_forcefully(stream)
    if waiting.cancelled_caught:
        raise BridgeError(NO_HANDSHAKE)


async def stream_to(target: BridgeTarget) -> trio.abc.Stream:
    """Return a connection to a target, with TLS if it is secure. Raises BridgeError."""
    stream = await _open(target.address)
    if not target.is_secure:
        return stream
    try:
        return _secured(stream, target)
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise


def trust(authority: Path | None) -> ssl.SSLContext:
    """Return what trusts the certificate in a file, or those of the system. Raises BridgeError."""
    file = None if authority is None else str(authority)
    try:
        return ssl.create_default_context(cafile=file)
    except ssl.SSLError:
        raise BridgeError(f"{file} is no certificate as PEM") from None
    except OSError as error:
        raise BridgeError(f"cannot read the certificate {file}: {error.strerror}") from None


def _secured(stream: trio.abc.Stream, target: BridgeTarget) -> trio.abc.Stream:
    """Return a TLS stream that requires the target's name in the certificate."""
    context, host = trust(target.authority), target.address.host
    return trio.SSLStream(stream, context, server_hostname=host, https_compatible=True)


async def _open(address: BridgeAddress) -> trio.SocketStream:
    try:
        with trio.fail_after(PATIENCE):
            return await trio.open_tcp_stream(address.host, address.port)
    except trio.TooSlowError:
        raise BridgeError(f"{address} did not answer within {PATIENCE:g} s") from None
    except UnicodeError:
        raise BridgeError(f"cannot connect to {address}: no host has such a name") from None
    except OSError as error:
        said = _first_reason(error.__cause__ or error) or str(error)
        raise BridgeError(f"cannot connect to {address}: {said}") from None


def _first_reason(cause: BaseException) -> str | None:
    """Return the system's message for the first of trio's attempts."""
    cause = first_error(cause)
    if isinstance(cause, OSError) and not isinstance(cause, socket.gaierror) and cause.errno:
        # Trio's own message repeats the address.
        return os.strerror(cause.errno)
    return getattr(cause, "strerror", None)


async def _shake_hands(
    websocket: WebSocketConnection, token: bytes, session: BridgeSession | None
) -> tuple[SealedChannel, SessionSecret | None]:
    """Prove the token, once the listener has, and the secret of a session to resume.

    The session's secret is None if the session ends with its connection. Raises BridgeError.
    """
    version = version_of(websocket)
    if session is not None and version < RESUMABLE:
        raise BridgeRefusal("the session is over: the listener now runs an older version")
    try:
        with trio.fail_after(PATIENCE):
            nonce = handshake.new_nonce()
            await say(websocket, handshake.hello(nonce))
            nonces = handshake.check_listener(await hear(websocket), token, nonce, version)
            proof = f"proof {handshake.prove(token, 'connector', nonces, version)}"
            resumption = "" if session is None else session.secret.resumption(nonces)
            await say(websocket, f"{proof}{resumption}")
            answer = await hear(websocket)
    except trio.TooSlowError:
        raise BridgeError(NO_HANDSHAKE) from None
    if answer != handshake.OK:
        raise handshake.refused(answer)
    key = token if session is None else session.secret.key
    sending, receiving = (
        handshake.session_key(key, role, nonces, version) for role in ("connector", "listener")
    )
    channel = SealedChannel(websocket, sending, receiving)
    if version < RESUMABLE:
        return channel, None
    return channel, SessionSecret.of(token, nonces) if session is None else session.secret
