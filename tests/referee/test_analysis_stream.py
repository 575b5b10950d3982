"""A seat's engine that analyzes: the newest line, its end, and engines that never end."""

from contextlib import asynccontextmanager

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.protocol.codec import encode_reply
from oddly.protocol.messages import Reply
from oddly.protocol.notation import parse_turn
from oddly.referee.conversation.seat import EngineSeat
from oddly.referee.justice.outcome import EngineFault
from oddly.referee.program.configuration import Limits
from tests.referee.fakes import ScriptedChannel, scripted

START = create_game("yodd", 3).start()
LINE = "info turn Bc3 visits {} win_rate 0.5 variation Bc3 pass Bc3 pass\n"


class Analyst(ScriptedChannel):
    """Writes a line of analysis every second of trio's clock, until the next command."""

    also_lists = "analyze stop"

    lines = tuple(LINE.format(number) for number in range(100))
    ends = True
    begins = True

    def send_nowait(self, data):
        if self._arrivals and self.ends:
            self._arrivals = [each for each in self._arrivals if each[0] <= trio.current_time()]
            self.write(b"\n")
        return super().send_nowait(data)

    def answer(self, command):
        if command.name != "analyze" or not self.begins:
            super().answer(command)
            return
        self.write(encode_reply(Reply(True, "", command.id))[:-1])
        for number, line in enumerate(self.lines, start=1):
            self._arrivals.append((trio.current_time() + number, line.encode()))


@asynccontextmanager
async def seated(channel=Analyst):
    """A seat whose engine is such a channel, and the channels it opened."""
    opened = []

    def open_channel(*arguments):
        opened.append(channel(*arguments))
        return opened[-1]

    async with trio.open_nursery() as nursery:
        seat = EngineSeat(
            scripted("Bc3", "analyst"), nursery, open_channel=open_channel, limits=Limits(line=500)
        )
        try:
            yield seat, opened
        finally:
            await seat.stop()


async def test_the_newest_line_is_seen_and_the_engine_plays_on(autojump_clock):
    async with seated() as (seat, opened):
        visits = []
        async with seat.analyze(START, (), interval=1) as analyses:
            async for analysis in analyses:
                visits.append(analysis.best.visits)
                if len(visits) == 2:
                    await trio.sleep(5.5)
                if len(visits) == 4:
                    break
        assert visits == [0, 1, 6, 7]
        assert list(map(str, analysis.best.variation)) == ["Bc3", "pass"]
        assert [str(each.name) for each in opened[0].received][-2:] == ["analyze", "stop"]
        assert (await seat.choose(START, ()))[0] == parse_turn("Bc3")
        assert len(opened) == 1


async def test_a_cancelled_analysis_leaves_the_engine_running(autojump_clock):
    async with seated() as (seat, opened):
        with trio.move_on_after(2.5) as scope:
            async with seat.analyze(START, ()) as analyses:
                async for _ in analyses:
                    pass
        assert scope.cancelled_caught
        assert (await seat.choose(START, ()))[0] == parse_turn("Bc3")
        assert len(opened) == 1


async def test_an_engine_that_does_not_stop_is_gone(autojump_clock):
    class Endless(Analyst):
        ends = False

    async with seated(Endless) as (seat, _):
        with pytest.raises(EngineFault, match="no end of analyze within 5 s"):
            async with seat.analyze(START, ()) as analyses:
                await anext(analyses)
        assert not seat.is_running


async def test_a_seat_that_was_stopped_meanwhile_starts_no_other_engine(autojump_clock):
    async with seated() as (seat, opened):
        async with seat.analyze(START, ()) as analyses:
            await anext(analyses)
            await seat.stop()
        assert (seat.is_running, len(opened)) == (False, 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("info turn Bz9 visits 1 win_rate 0.5\n", "z9 is off the hexhex board"),
        ("rubbish\n", "malformed analysis 'rubbish'"),
        (600 * "x", "a line longer than 500 bytes"),
    ],
)
async def test_what_is_no_analysis_is_a_fault(autojump_clock, line, reason):
    class Wrong(Analyst):
        lines = (line,)

    async with seated(Wrong) as (seat, _):
        with pytest.raises(EngineFault, match=reason):
            async with seat.analyze(START, ()) as analyses:
                await anext(analyses)


async def test_an_engine_that_refuses_or_ends_by_itself_has_nothing_more(autojump_clock):
    class Short(Analyst):
        begins = False

    async with seated(Short) as (seat, _):
        async with seat.analyze(START, ()) as analyses:
            assert [analysis async for analysis in analyses] == []
        assert seat.is_running
