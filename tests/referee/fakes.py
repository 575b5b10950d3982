"""How the referee's tests come by engines: real processes with a fault, or words in memory."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import trio

from protocol.codec import CommandDecoder, encode_reply
from protocol.messages import Command, Reply
from protocol.time_control import parse_time_control
from referee.player import EngineConfiguration

FAKE = str(Path(__file__).parents[1] / "fakes" / "engine.py")
COMPOSED = str(Path(__file__).parents[1] / "fakes" / "composed.py")


def fake(*arguments: str, name: str = "fake", time: str = "5") -> EngineConfiguration:
    """A configuration that is `tests/fakes/engine.py` with these arguments."""
    return EngineConfiguration(name, (sys.executable, FAKE, *arguments), parse_time_control(time))


def composed(*plan: list, name: str = "composed", time: str = "5") -> EngineConfiguration:
    """A configuration that is `tests/fakes/composed.py` with this plan."""
    command = (sys.executable, "-E", "-S", COMPOSED, json.dumps(plan))
    return EngineConfiguration(name, command, parse_time_control(time))


def scripted(turns: str, name: str, time: str = "5", delays: str = "") -> EngineConfiguration:
    """A configuration played by ScriptedChannel: its turns, and its seconds for each, in order."""
    return EngineConfiguration(name, (turns, delays), parse_time_control(time))


class ScriptedChannel:
    """An engine in memory that answers each genmove with its next turn after its next delay."""

    def __init__(self, command, most_stderr, resources=None) -> None:
        turns, delays = command
        self.turns = turns.split()
        self.delays = [float(delay) for delay in delays.split()]
        self.stderr_tail = bytearray()
        self.on_stderr = None
        self.received: list[Command] = []
        self._decoder = CommandDecoder()
        self._output, self._replies = trio.open_memory_channel[bytes](100)

    async def send(self, data: bytes) -> None:
        self._decoder.feed(data)
        while (command := self._decoder.next_event()) is not None:
            self.received.append(command)
            await self._output.send(encode_reply(Reply(True, self._answer(command), command.id)))

    def _answer(self, command: Command) -> str:
        if command.name == "list_commands":
            return "name\nversion\nlist_commands\nplay\ngenmove\ntime_left\nquit"
        if command.name == "protocol_version":
            return "2"
        if command.name == "genmove":
            return self.turns.pop(0)
        return ""

    async def receive(self) -> bytes:
        reply = await self._replies.receive()
        genmoves = [command.id for command in self.received if command.name == "genmove"]
        if genmoves and reply.startswith(f"={genmoves[-1]} ".encode()) and self.delays:
            await trio.sleep(self.delays.pop(0))
        return reply

    async def attend(self) -> None:
        return

    def has_exited(self) -> bool:
        return False

    async def how_it_ended(self, patience: float) -> str:
        return "ended"

    def receive_nowait(self) -> bytes:
        return b""

    def failure_to_start(self) -> None:
        return None

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        self._decoder.feed(farewell)
        while (command := self._decoder.next_event()) is not None:
            self.received.append(command)
