"""The conversation of a check with an engine: lenient, bounded, and with evidence.

Unlike `Player`, it goes on after a wrong id or a greeting, so that one fault fails one step. Every
reply has a deadline that output does not extend.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

import trio

from oddly.games import one_line
from oddly.protocol import RemoteProtocolError, Reply, ReplyDecoder
from oddly.protocol.codec import CONTROLS, MAX_REPLY
from oddly.referee.check.replies import REPLY_MARK, has_hidden_reply, numbered, without_id
from oddly.referee.conversation.commands import other_id
from oddly.referee.conversation.player import LAST_BREATH
from oddly.referee.justice.outcome import EngineFault
from oddly.referee.program.configuration import Resources
from oddly.referee.program.isolation import isolation_hint
from oddly.referee.program.process import EngineProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oddly.referee.program.channel import Channel
    from oddly.referee.program.configuration import Limits


ONE_REPLY = "one reply to each command, ended by an empty line"
MAX_BEFORE = 65_536
"""Bytes without a reply after which none is expected any more."""
MAX_KEPT = MAX_REPLY + MAX_BEFORE
"""Bytes of an exchange that steps look at: the longest reply, and what is around it."""
MAX_SILENCES = 2
BETWEEN_WRITES = 0.05
"""Seconds between two lines that an engine must read apart."""
SETTING = re.compile(rb"set_game|boardsize|setup|time_")
"""Commands that change more than `clear_board` restores."""
NO_REPLY = "output that is not a reply"


class Conversation:
    """A conversation with an engine's process, replaced by a fresh one after a failure."""

    def __init__(
        self, command: Sequence[str], timeout: float, limits: Limits, nursery: trio.Nursery
    ) -> None:
        self.command = command
        self.resources = Resources()
        """What the next process may use."""
        self.timeout = timeout
        self.limits = limits
        self.checks_ids = False
        """True once the engine has echoed ids; from then on a wrong one is a fault."""
        self._sets_ids_apart: bool | None = None
        self.pipelines = True
        self.greeting = b""
        """The output before the first reply."""
        self.sent = b""
        self.received = bytearray()
        self.is_fresh = False
        self.is_set_up: tuple[str, ...] = ()
        """The lines that have set up the game, as long as no other line has touched it."""
        self._waited, self._answered = 0.0, 0
        self._last = 0.0, 0
        self._silences: Counter[str] = Counter()
        self.nursery = nursery
        self._ids = count(1)
        self._channel: Channel | None = None
        self._decoder = ReplyDecoder(limits.line, limits.reply)
        self._before_first: bytearray | None = None

    @property
    def pace(self) -> float:
        """The engine's average seconds per command."""
        return self._waited / max(1, self._answered)

    def forget_last(self) -> None:
        """Leave the last commands out of the pace: they made the engine ready."""
        self._waited -= self._last[0]
        self._answered -= self._last[1]
        self._last = 0.0, 0

    async def restart(self) -> None:
        """Start a fresh process. Raises Failed if the program does not start."""
        await self.stop()
        self.sent, self.received = b"", bytearray()
        self._decoder = ReplyDecoder(self.limits.line, self.limits.reply)
        self._before_first = bytearray()
        try:
            self._channel = EngineProcess.start(self.command, self.limits.stderr, self.resources)
        except EngineFault as fault:
            raise self.failure(fault.reason, "a program that starts") from None
        self.nursery.start_soon(self._channel.attend)
        self.is_set_up = ()
        self.is_fresh = True

    async def stop(self, farewell: bytes = b"quit\n", grace: float | None = None) -> str | None:
        """End the process and return how it ended, or None if none runs."""
        if self._channel is None:
            return None
        channel, self._channel = self._channel, None
        with trio.CancelScope(shield=True):
            await channel.stop(grace or self.limits.grace, farewell)
        return await channel.how_it_ended(0)

    async def end_input(self, last: bytes, grace: float) -> str | None:
        """Write `last` and end the input; return how the engine ended, and keep all its output."""
        self.sent, self.received = last, bytearray()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._take_all, self.channel)
            # This closes the output too.
            return await self.stop(last, grace)

    async def ask(self, line: str, timeout: float | None = None) -> Reply:
        """Send a command with an id and return its reply. Raises Failed if there is none."""
        (reply,) = await self.ask_all([line], timeout)
        return reply

    async def ask_all(self, lines: Sequence[str], timeout: float | None = None) -> list[Reply]:
        """Send commands, in one write if the engine can read that, and return their replies.

        Raises Failed if a reply is missing or wrong, and Skipped if the engine has left commands of
        that name unanswered before.
        """
        if self.pipelines:
            return await self._ask_together(lines, timeout)
        replies: list[Reply] = []
        for part in _one_by_one(lines):
            replies += await self._ask_together(part, timeout)
        return replies

    async def _ask_together(self, lines: Sequence[str], timeout: float | None) -> list[Reply]:
        self._refuse_to_wait_again(lines)
        numbers = [next(self._ids) for _ in lines]
        written = [numbered(*each) for each in zip(numbers, lines, strict=True)]
        names = [line.split(" ", 1)[0] for line in lines]
        began, is_starting = trio.current_time(), self.is_fresh
        if self.pipelines:
            await self.write(b"".join(written))
        else:
            await self.write(written[0])
            for data in written[1:]:
                await trio.sleep(BETWEEN_WRITES)
                await self.write_more(data)
        replies = await self.raw_replies(len(lines), timeout, names)
        if not is_starting:
            self._last = trio.current_time() - began, len(lines)
            self._waited += self._last[0]
            self._answered += self._last[1]
        for number, reply in zip(numbers, replies, strict=True):
            if self.checks_ids and reply.id != number:
                got = other_id(reply, number)
                raise self.failure(f"a reply with {got}", f"the reply with id {number}")
        return self._readable(replies)

    async def exchange(self, data: bytes, replies: int) -> list[Reply]:
        """Write `data` and return this many replies. Raises Failed if there are fewer."""
        await self.write(data)
        return await self.more(replies)

    async def more(self, replies: int) -> list[Reply]:
        """Return this many further replies. Raises Late if one takes too long, or else Failed."""
        return self._readable(await self.raw_replies(replies))

    async def raw_replies(
        self, replies: int, timeout: float | None = None, names: Sequence[str] = ()
    ) -> list[Reply]:
        """Return further replies with whatever their text begins with.

        Raises Late if one takes too long, or else Failed.
        """
        got: list[Reply] = []
        limit = timeout or self.timeout
        with trio.move_on_after(limit) as scope:
            while len(got) < replies:
                got.append(await self._next_reply())
                scope.deadline = trio.current_time() + limit
        if scope.cancelled_caught:
            self._silences.update(names[len(got) : len(got) + 1])
            if self._before_first and self._before_first.translate(None, CONTROLS):
                raise self.failure(NO_REPLY, ONE_REPLY)
            problem = f"no whole reply within {limit:g} s"
            raise Late(problem, ONE_REPLY, self.sent, bytes(self.received))
        return got

    def _readable(self, replies: list[Reply]) -> list[Reply]:
        """Return replies without ids that a space keeps from their marks, if the engine has such.

        The first reply decides, as it is a name; any other text may begin with the same number.
        """
        whole = [without_id(reply, self.sent) for reply in replies]
        if self._sets_ids_apart is None:
            self._sets_ids_apart = whole != replies
        return whole if self._sets_ids_apart else replies

    async def write(self, data: bytes) -> None:
        """Write `data`, which begins a new exchange. Raises Failed if the engine reads nothing."""
        self.sent, self.received = b"", bytearray()
        await self.write_more(data)

    async def write_more(self, data: bytes) -> None:
        """Write `data` within the same exchange. Raises Failed if the engine reads nothing."""
        self.sent += data
        self.is_fresh = False
        if SETTING.search(data):
            self.is_set_up = ()
        with trio.move_on_after(self.timeout) as scope:
            try:
                await self.channel.send(data)
            except OSError:
                # The engine has closed its input; its last words may still be read.
                pass
        if scope.cancelled_caught:
            raise self.failure(f"input was not read within {self.timeout:g} s", ONE_REPLY)

    def overhear(self, direction: str, data: bytes, _: float) -> None:
        """Keep the bytes that somebody else exchanges with the engine: a `Wire`."""
        if direction == ">":
            self.is_set_up = ()
            if self.received:
                self.sent, self.received = b"", bytearray()
            self.sent += data
            self.is_fresh = False
        elif direction == "<":
            self._keep(data)

    @contextmanager
    def telling(self, tell: Callable[[], None], seconds: float) -> Iterator[None]:
        """Call `tell` if the block takes longer than these seconds."""
        scope = trio.CancelScope()

        async def tell_later() -> None:
            with scope:
                await trio.sleep(seconds)
                tell()

        self.nursery.start_soon(tell_later)
        try:
            yield
        finally:
            scope.cancel()

    def hear(self, on_line: Callable[[str], None]) -> None:
        """Give every line of the next reply but the first to `on_line`, and keep none of them."""
        self._decoder.on_line = on_line

    @property
    def hears(self) -> bool:
        """Whether that reply has not ended."""
        return self._decoder.on_line is not None

    async def listen(self, seconds: float) -> None:
        """Take in what the engine writes within `seconds`. Raises Failed if that is no reply."""
        with trio.move_on_after(seconds):
            while True:
                await self._receive()
                try:
                    self._decoder.check()
                except RemoteProtocolError as error:
                    raise self.failure(error.reason, ONE_REPLY) from None

    async def unrequested(self, seconds: float) -> bytes:
        """Return what the engine writes unasked within `seconds`, but for control characters."""
        with trio.move_on_after(seconds):
            while data := await self.channel.receive():
                self._keep(data)
                if data.translate(None, CONTROLS):
                    return data
        return b""

    def failure(self, problem: str, expected: str) -> Failed:
        """Return a failure with the bytes of the last exchange as its evidence."""
        return Failed(problem, expected, self.sent, bytes(self.received))

    @property
    def has_more(self) -> bool:
        """Whether more came in the same piece as the last reply."""
        return not self._decoder.is_idle

    @property
    def is_running(self) -> bool:
        """Whether there is a process to talk to."""
        return self._channel is not None

    @property
    def channel(self) -> Channel:
        """The channel to the running process. Raises RuntimeError if none runs."""
        if self._channel is None:
            raise RuntimeError("the engine was not started")
        return self._channel

    def _refuse_to_wait_again(self, lines: Sequence[str]) -> None:
        for line in lines:
            name = line.split(" ", 1)[0]
            if self._silences[name] >= MAX_SILENCES:
                raise Skipped(f"{name!r} was left without a reply in {MAX_SILENCES} steps")

    async def _next_reply(self) -> Reply:
        try:
            while (reply := self._decoder.next_reply()) is None:
                await self._receive()
        except RemoteProtocolError as error:
            raise self.failure(error.reason, ONE_REPLY) from None
        return reply

    async def _receive(self) -> None:
        """Take in new output. Raises Failed if the engine has ended."""
        data = await self.channel.receive()
        if not data:
            raise await self._crash()
        self._take(data)

    async def _take_all(self, channel: Channel) -> None:
        while data := await channel.receive():
            self._take(data)

    def _take(self, data: bytes) -> None:
        """Decode new output, and set aside what precedes the first reply."""
        self._keep(data)
        if self._before_first is None:
            self._decoder.feed(data)
            return
        self._before_first += data
        if found := REPLY_MARK.search(self._before_first):
            self.greeting = self.greeting or bytes(self._before_first[: found.start()])
            self._decoder.feed(bytes(self._before_first[found.start() :]))
            self._before_first = None
        elif has_hidden_reply(self._before_first, self.sent):
            raise self.failure(NO_REPLY, ONE_REPLY)
        elif len(self._before_first) > MAX_BEFORE:
            raise self.failure("output without end and without a reply", ONE_REPLY)

    def _keep(self, data: bytes) -> None:
        self.received += data
        del self.received[MAX_KEPT:]

    async def _crash(self) -> Failed:
        with trio.CancelScope(shield=True):
            ended = await self.channel.how_it_ended(LAST_BREATH)
        if fault := self.channel.failure_to_start():
            return self.failure(fault.reason, "a program that starts")
        ended += isolation_hint(self.resources, bytes(self.channel.stderr_tail))
        return self.failure(f"the engine {ended}{self.last_words()}", ONE_REPLY)

    def last_words(self) -> str:
        """Return the last line on standard error as the end of a sentence; empty if none."""
        last_words = bytes(self.channel.stderr_tail).strip().rpartition(b"\n")[2]
        return f"; its last words on standard error: {one_line(last_words)}" if last_words else ""


def _one_by_one(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield lines alone, but `analyze` together with the command that ends it."""
    part: list[str] = []
    for line in lines:
        part.append(line)
        if not line.startswith("analyze "):
            yield part
            part = []
    if part:
        yield part


class Failed(Exception):
    """The engine did something other than what the protocol says.

    `sent` and `received` are the last bytes in each direction, empty if there were none.
    """

    def __init__(
        self, problem: str, expected: str, sent: bytes = b"", received: bytes = b""
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.expected = expected
        self.sent = sent
        self.received = received


class Late(Failed):
    """No complete reply came in time."""


class Skipped(Exception):
    """The step cannot be judged. The message says why."""


class NoTime(Skipped):
    """The check ended before the step or during it."""
