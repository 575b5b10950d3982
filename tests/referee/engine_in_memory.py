"""An engine in memory that needs its time for every command, on trio's clock.

It is our own dispatcher behind a channel, so a whole check of a slow engine takes as long as its
arithmetic on an autojump clock.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import trio

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.plain_engines import RandomEngine
from oddly.games import Position, create_game
from oddly.protocol import Analysis, CommandDecoder, encode_reply
from oddly.protocol.evaluation import RankedTurn
from oddly.referee.justice.outcome import EngineFault
from oddly.referee.program.configuration import Resources


class ChattyEngine(RandomEngine):
    """The random engine, which also says what it thinks."""

    can_analyze = True

    def analyze(
        self, position: Position, interval: float, has_more: Callable[[float], bool]
    ) -> Iterator[Analysis]:
        """Yield the same line for ever."""
        turn = next(position.legal_turns())
        while True:
            yield Analysis((RankedTurn(turn, 1, 0.5, None, (turn,)),))


class InMemory:
    """A channel to an engine that needs `seconds` for each command: ours, or one with a fault."""

    def __init__(self, seconds: float, dispatcher: Dispatcher | None = None) -> None:
        self.seconds = seconds
        self.commands = 0
        self.stderr_tail = bytearray()
        self.on_stderr: Callable[[bytes], None] | None = None
        self._dispatcher = dispatcher or Dispatcher(ChattyEngine(), create_game("yodd"))
        del self._dispatcher.handlers["solve"]  # it would compile
        self._decoder = CommandDecoder()
        self._ready: deque[tuple[float, bytes]] = deque()
        self._free_at = trio.current_time()
        self._is_ended = False
        self._analyzes = False
        self._changed = trio.Event()

    def send_nowait(self, data: bytes) -> bytes:
        """Carry out what comes; each answer is ready when the engine has had its time."""
        self._decoder.feed(data)
        for command in iter(self._decoder.next_event, None):
            self.commands += 1
            if self._analyzes:
                self._answer(b"\n", 0.0)
                self._analyzes = False
            reply = encode_reply(self._dispatcher.answer(command))
            if self._dispatcher.analyses is not None:
                self._dispatcher.analyses = None
                self._analyzes, reply = True, reply[:-1]
            self._answer(reply, self.seconds)
        self._changed.set()
        return b""

    def _answer(self, data: bytes, seconds: float) -> None:
        self._free_at = max(self._free_at, trio.current_time()) + seconds
        self._ready.append((self._free_at, data))

    async def wait_for_room(self) -> None:
        """There always is."""
        await trio.lowlevel.checkpoint()

    async def send(self, data: bytes) -> None:
        """Take all of it."""
        self.send_nowait(data)
        await trio.lowlevel.checkpoint()

    async def receive(self) -> bytes:
        """Wait for the next answer."""
        while not (data := self.receive_nowait()):
            if data is not None:
                return data
            self._changed = trio.Event()
            with trio.move_on_at(self._ready[0][0] if self._ready else self._next_line()):
                await self._changed.wait()
        await trio.lowlevel.checkpoint()
        return data

    def _next_line(self) -> float:
        """Return when an analysis goes on."""
        if not self._analyzes:
            return float("inf")
        turn = next(self._dispatcher.session.position.legal_turns())
        line = Analysis((RankedTurn(turn, 1, 0.5, None, (turn,)),))
        self._answer(f"{line}\n".encode(), 0.05)
        return self._free_at

    def receive_nowait(self) -> bytes | None:
        """Return the answers that are ready."""
        data = b""
        while self._ready and self._ready[0][0] <= trio.current_time():
            data += self._ready.popleft()[1]
        return data or (b"" if self.has_exited() else None)

    async def attend(self) -> None:
        """There is nothing to attend to."""

    async def rest(self) -> None:
        """It rests by itself."""

    def has_exited(self) -> bool:
        """Whether it has been told to quit and has said everything."""
        return (self._is_ended or self._dispatcher.has_quit) and not self._ready

    async def how_it_ended(self, patience: float) -> str:
        """Say how."""
        await trio.lowlevel.checkpoint()
        return "exited with status 0"

    def failure_to_start(self) -> EngineFault | None:
        """It starts."""
        return None

    async def stop(self, grace: float, farewell: bytes = b"") -> None:
        """End it; the end of its input ends its analysis."""
        if self._analyzes:
            self._answer(b"\n", 0.0)
            self._analyzes = False
        self._is_ended = True
        self._changed.set()
        await trio.lowlevel.checkpoint()


def opens(seconds: float, channels: list[InMemory]) -> Callable[..., InMemory]:
    """Return what opens such channels, in place of processes; it adds them to a list."""

    def opened(
        command: Sequence[str], most_stderr: int, resources: Resources | None = None
    ) -> InMemory:
        channels.append(InMemory(seconds))
        return channels[-1]

    return opened
