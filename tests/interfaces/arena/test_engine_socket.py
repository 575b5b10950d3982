"""The WebSocket of an engine's side, over a connection in memory."""

import pytest
import trio
from websockets.frames import CONT, TEXT, Frame, Opcode
from websockets.protocol import Protocol, Side

from oddly.arena import MAX_FROM_ENGINE
from oddly.interfaces.arena.endpoint import FAREWELL, MAX_WAITING, EngineSocket


class Wire:
    """A connection whose other side is the test: it takes as many bytes at once as it has room."""

    def __init__(self, room=1 << 30):
        self.room = room
        self.sent = bytearray()
        self.give, self._to_read = trio.open_memory_channel(100)
        self._client_side = Protocol(Side.CLIENT)

    async def read(self):
        """What the test gives, and then nothing."""
        try:
            return await self._to_read.receive()
        except trio.EndOfChannel:
            return b""

    def write_now(self, data):
        """Take what there is room for."""
        taken = min(len(data), self.room)
        self.room -= taken
        self.sent += data[:taken]
        return taken

    async def write_some(self, data):
        """Take a byte whenever there is room."""
        while not self.room:
            await trio.sleep(1)
        return self.write_now(data[:1])

    def say(self, *frames):
        """Give frames of the client."""
        self.give.send_nowait(b"".join(frame.serialize(mask=True) for frame in frames))

    def heard(self):
        """The frames that the client got."""
        self._client_side.receive_data(bytes(self.sent))
        self.sent.clear()
        return [(frame.opcode, bytes(frame.data)) for frame in self._client_side.events_received()]


class Hearing:
    """Hears messages, as long as it is given no more frames than it takes."""

    def __init__(self, frames=1 << 30):
        self.left = frames
        self.messages = []

    def admits(self, size, frames):
        """Whether there are few enough."""
        self.left -= frames
        return self.left >= 0

    def hear(self, data):
        """Keep a message."""
        self.messages.append(data)


def closing(code):
    """A frame that closes."""
    return (Opcode.CLOSE, code.to_bytes(2, "big"))


async def conversation(wire, *frames):
    """What the arena hears, and the client, from these frames until the client is gone."""
    hearing = Hearing()
    wire.say(*frames)
    wire.give.close()
    await EngineSocket(wire).converse(hearing)
    return hearing.messages, wire.heard()


async def test_texts_go_out_at_once_and_then_the_end():
    wire = Wire()
    socket = EngineSocket(wire)
    socket.put("a")
    assert wire.heard() == [(Opcode.TEXT, b"a")]
    socket.put("b")
    socket.close(1008)
    socket.close(1012)
    socket.put("c")
    assert wire.heard() == [(Opcode.TEXT, b"b"), closing(1008)]


async def test_what_finds_no_room_follows_in_its_order(autojump_clock):
    wire = Wire(room=4)
    socket = EngineSocket(wire)
    for text in "abcdef":
        socket.put(text)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(socket.converse, Hearing())
        await trio.testing.wait_all_tasks_blocked()
        assert len(wire.sent) == 4
        wire.room = 1000
        await trio.sleep(2)
        socket.put("g")
        nursery.cancel_scope.cancel()
    assert [data for _, data in wire.heard()] == [b"a", b"b", b"c", b"d", b"e", b"f", b"g"]


async def test_a_reader_that_is_too_slow_is_cut_off(autojump_clock):
    wire = Wire(room=0)
    socket = EngineSocket(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(socket.converse, Hearing())
        for _ in range(3 * MAX_WAITING // 1000):
            socket.put("x" * 1000)
    assert not socket.is_open
    assert wire.sent == b""


async def test_what_the_other_side_says_is_heard():
    frames = [
        Frame(TEXT, b"one"),
        Frame(TEXT, b"tw", fin=False),
        Frame(Opcode.PING, b"?"),
        Frame(CONT, b"", fin=False),
        Frame(CONT, b"o"),
        Frame(Opcode.BINARY, b"three"),
    ]
    heard, answers = await conversation(Wire(), *frames)
    assert heard == [b"one", b"two", None]
    assert answers == [(Opcode.PONG, b"?")]


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([Frame(TEXT, b"x" * (MAX_FROM_ENGINE + 1))], 1009),
        ([Frame(TEXT, b"x" * MAX_FROM_ENGINE, fin=False), Frame(CONT, b"x")], 1009),
        ([Frame(CONT, b"x")], 1002),
    ],
)
async def test_what_is_too_long_or_no_frame_closes(frames, code):
    heard, answers = await conversation(Wire(), *frames, Frame(TEXT, b"more"))
    assert heard == []
    assert [(opcode, data[:2]) for opcode, data in answers] == [closing(code)]


async def test_a_close_is_answered_and_ends_the_conversation():
    wire = Wire()
    wire.say(Frame(TEXT, b"last"), Frame(Opcode.CLOSE, b"\x03\xe8"), Frame(TEXT, b"more"))
    hearing = Hearing()
    await EngineSocket(wire).converse(hearing)
    assert (hearing.messages, wire.heard()) == ([b"last"], [closing(1000)])


async def test_who_answers_a_close_is_left_at_once(autojump_clock):
    """The bug: a refused connection stayed open after both sides had closed it."""
    wire = Wire()
    socket = EngineSocket(wire)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(socket.converse, Hearing())
        await trio.testing.wait_all_tasks_blocked()
        socket.close(1008)
        await trio.testing.wait_all_tasks_blocked()
        wire.say(Frame(Opcode.CLOSE, b"\x03\xf0"))
    assert trio.current_time() == 0
    assert wire.heard() == [closing(1008)]


@pytest.mark.parametrize("room", [0, 1000])
async def test_who_does_not_close_is_left_soon(room, autojump_clock):
    wire = Wire(room)
    socket = EngineSocket(wire)
    socket.close(1008)
    wire.say(Frame(TEXT, b"more"))
    hearing = Hearing()
    await socket.converse(hearing)
    assert hearing.messages == []
    assert trio.current_time() == FAREWELL


@pytest.mark.parametrize(
    "frame",
    [Frame(Opcode.PING, b""), Frame(Opcode.PONG, b""), Frame(TEXT, b"", fin=False)],
)
async def test_nothing_more_is_read_after_frames_that_are_not_admitted(frame, autojump_clock):
    wire = Wire()
    hearing = Hearing(frames=3)
    socket = EngineSocket(wire)
    more = Frame(CONT, b"", fin=False) if frame.opcode is Opcode.TEXT else frame
    wire.say(frame, more, more)
    wire.say(more)
    wire.say(more)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(socket.converse, hearing)
        await trio.testing.wait_all_tasks_blocked()
        assert wire.give.statistics().current_buffer_used == 1
        socket.put("why")
        socket.close(1008)
    assert wire.heard()[-2:] == [(Opcode.TEXT, b"why"), closing(1008)]
    assert trio.current_time() == FAREWELL
    assert hearing.messages == []
