"""How the referee's tests come by engines: real processes with a fault, or words in memory."""

import json
import math
import sys
from pathlib import Path

import trio

import oddly.protocol.grammar  # noqa: F401 - a thread would import it while trio's clock jumps
from oddly.protocol.codec import CommandDecoder, encode_reply
from oddly.protocol.messages import Command, Reply
from oddly.protocol.notation import parse_time_control
from oddly.referee.program.configuration import EngineConfiguration, Resources
from oddly.referee.program.process import EngineProcess
from tests.patience import PATIENCE

FAKE = str(Path(__file__).parents[1] / "fakes" / "engine.py")
COMPOSED = str(Path(__file__).parents[1] / "fakes" / "composed.py")


async def said_by(code: str, resources: Resources) -> str:
    """What a Python program prints under these limits, or how it ended."""
    process = EngineProcess.start((sys.executable, "-c", code), 1000, resources)
    text = b""
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.attend)
            while data := await process.receive():
                text += data
            ended = await process.how_it_ended(PATIENCE)
            nursery.cancel_scope.cancel()
    await process.stop(0.2)
    return text.decode().strip() or ended


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
    """An engine in memory that answers each genmove with its next turn after its next delay.

    What it writes arrives at a time of trio's clock, whether anybody looks or not.
    """

    also_lists = ""
    """Commands that it lists besides those that it must know, separated by spaces."""

    def __init__(self, command, most_stderr=0, resources=None) -> None:
        turns, delays = command
        self.turns = turns.split()
        self.delays = [float(delay) for delay in delays.split()]
        self.stderr_tail = bytearray()
        self.on_stderr = None
        self.received: list[Command] = []
        self._decoder = CommandDecoder()
        self._arrivals: list[tuple[float, bytes]] = []
        self._more = trio.lowlevel.ParkingLot()

    def write(self, data: bytes, delay: float = 0.0) -> None:
        """Have `data` arrive after `delay` seconds; no bytes are the end of the output."""
        last = self._arrivals[-1][0] if self._arrivals else 0.0
        self._arrivals.append((max(last, trio.current_time() + delay), data))
        self._more.unpark_all()

    def send_nowait(self, data: bytes) -> bytes:
        self._decoder.feed(data)
        while (command := self._decoder.next_event()) is not None:
            self.received.append(command)
            self.answer(command)
        return b""

    def answer(self, command: Command) -> None:
        is_turn = command.name == "genmove"
        delay = self.delays.pop(0) if is_turn and self.delays else 0.0
        self.write(encode_reply(Reply(True, self._answer(command), command.id)), delay)

    def _answer(self, command: Command) -> str:
        if command.name == "list_commands":
            known = "name version list_commands play genmove time_left quit"
            return "\n".join((*known.split(), *self.also_lists.split()))
        if command.name == "protocol_version":
            return "2"
        if command.name == "genmove":
            return self.turns.pop(0)
        return ""

    def receive_nowait(self) -> bytes | None:
        data = b""
        while self._arrivals and self._arrivals[0][0] <= trio.current_time():
            if not self._arrivals[0][1]:
                return data
            data += self._arrivals.pop(0)[1]
        return data or None

    async def receive(self) -> bytes:
        while (data := self.receive_nowait()) is None:
            with trio.move_on_at(self._arrivals[0][0] if self._arrivals else math.inf):
                await self._more.park()
        return data

    def wake(self) -> None:
        """Wake who waits if something is there, as a loop does before it sees the time."""
        if self._arrivals and self._arrivals[0][0] <= trio.current_time():
            self._more.unpark_all()

    async def attend(self) -> None:
        return

    async def rest(self) -> None:
        return

    def has_exited(self) -> bool:
        return False

    async def how_it_ended(self, patience: float) -> str:
        return "ended"

    def failure_to_start(self) -> None:
        return None

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        self._decoder.feed(farewell)
        while (command := self._decoder.next_event()) is not None:
            self.received.append(command)
