"""The referee's own side of the wire, on the process that a check talks to.

Games, set-ups and analyses are sent by the same code as in a match and on the page, whole or byte
by byte.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from oddly.protocol import parse_time_control
from oddly.referee.check.conversation import ONE_REPLY, Skipped
from oddly.referee.conversation.player import Player
from oddly.referee.conversation.seat import EngineSeat
from oddly.referee.justice.outcome import EngineFault, Termination, VoidGame
from oddly.referee.program.configuration import EngineConfiguration, Limits, Resources

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from oddly.referee.check.engine_under_test import EngineUnderTest
    from oddly.referee.program.channel import Channel

BETWEEN_BYTES = 0.0002
"""Seconds between two bytes, so that the engine reads them apart."""


class LentChannel:
    """A check's channel, lent to the referee's side, which does not end it."""

    def __init__(self, channel: Channel, *, byte_by_byte: bool) -> None:
        self._channel = channel
        self._byte_by_byte = byte_by_byte
        self.stderr_tail = channel.stderr_tail
        self.on_stderr: Callable[[bytes], None] | None = None
        self.receive, self.receive_nowait = channel.receive, channel.receive_nowait
        self.has_exited, self.how_it_ended = channel.has_exited, channel.how_it_ended
        self.failure_to_start = channel.failure_to_start

    def send_nowait(self, data: bytes) -> bytes:
        """Write what can be written at once, one byte at most if so wanted; return the rest."""
        if not self._byte_by_byte:
            return self._channel.send_nowait(data)
        return self._channel.send_nowait(data[:1]) + data[1:]

    async def wait_for_room(self) -> None:
        """Wait until the next piece may be written."""
        if self._byte_by_byte:
            await trio.sleep(BETWEEN_BYTES)
        await self._channel.wait_for_room()

    async def send(self, data: bytes) -> None:
        """Write all of `data`."""
        while data := self.send_nowait(data):
            await self.wait_for_room()

    async def attend(self) -> None:
        """Do nothing: the check attends its process itself."""

    async def rest(self) -> None:
        """Do nothing: the engine may go on."""

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        """Do nothing: the check stops its process itself."""


@asynccontextmanager
async def as_referee(
    engine: EngineUnderTest, time: str, *, byte_by_byte: bool = False
) -> AsyncIterator[Player]:
    """Give the body a Player that has shaken hands with the engine.

    Raises Failed where the engine would forfeit a game, and Skipped where it would be void.
    """
    configuration, limits = _entry(engine, time)
    conversation = engine.conversation
    with_channel = lent(engine, byte_by_byte=byte_by_byte)
    player = Player(configuration, limits)
    try:
        player.start(with_channel, conversation.nursery)
        player.log_to(conversation.overhear)
        await player.shake_hands()
        yield player
    except EngineFault as fault:
        expected = ONE_REPLY
        if fault.termination is Termination.ILLEGAL_TURN:
            expected = "a legal turn or resign"
        said = conversation.last_words() if fault.termination is Termination.CRASH else ""
        raise conversation.failure(f"{fault.reason}{said}", expected) from None
    except VoidGame as void:
        raise Skipped(void.reason) from None


@asynccontextmanager
async def as_people(
    engine: EngineUnderTest, *, byte_by_byte: bool = False
) -> AsyncIterator[EngineSeat]:
    """Give the body a seat for the engine, as the page and the terminal have it.

    Raises Failed where the seat would give the engine up.
    """
    configuration, limits = _entry(engine, "0.2")
    conversation = engine.conversation
    seat = EngineSeat(
        configuration,
        conversation.nursery,
        limits=limits,
        open_channel=lent(engine, byte_by_byte=byte_by_byte),
        wire=conversation.overhear,
    )
    try:
        yield seat
    except EngineFault as fault:
        raise conversation.failure(fault.reason, "what a game of people needs") from None


def lent(engine: EngineUnderTest, *, byte_by_byte: bool) -> Callable[..., LentChannel]:
    """Return an opener that lends the running process to the referee's side."""

    def opened(
        command: tuple[str, ...], most_stderr: int, resources: Resources | None = None
    ) -> LentChannel:
        return LentChannel(engine.conversation.channel, byte_by_byte=byte_by_byte)

    return opened


def _entry(engine: EngineUnderTest, time: str) -> tuple[EngineConfiguration, Limits]:
    timeout = engine.options.timeout
    limits = replace(
        engine.conversation.limits, handshake=timeout, setting_up=timeout, last_play=timeout
    )
    command, resources = tuple(engine.conversation.command), engine.conversation.resources
    control = parse_time_control(time)
    return EngineConfiguration("the engine", command, control, resources=resources), limits
