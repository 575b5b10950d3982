"""The engines of a bot between two turns: kept for the next one, and stopped when none comes."""

from types import SimpleNamespace

import pytest
import trio

from oddly.game_records.abstract_play_turns import game_by_ids
from oddly.interfaces.bot import thinker as module
from oddly.interfaces.bot.site_view import TurnRequest
from oddly.interfaces.bot.thinker import IDLE, Thinker
from oddly.protocol import Resign

REQUEST = TurnRequest("one", "ayu", game_by_ids("ayu", ["size-9"]), ())
THINKS, STOPS = 1.0, 2.0


class SlowSeat:
    """An engine that takes a while for everything, and always resigns."""

    def __init__(self, configuration, nursery, **_):
        self.is_stopped = False

    async def choose(self, position, turns):
        await trio.sleep(THINKS)
        assert not self.is_stopped
        return Resign(), THINKS

    async def stop(self):
        self.is_stopped = True
        await trio.sleep(STOPS)


@pytest.fixture
def seats(monkeypatch):
    """The engines that were started."""
    seats = []

    def opened(*arguments, **more):
        seats.append(SlowSeat(*arguments, **more))
        return seats[-1]

    async def at_once(function, *arguments):
        return function(*arguments)

    monkeypatch.setattr(module, "EngineSeat", opened)
    # A thread would let trio's clock jump.
    monkeypatch.setattr(trio.to_thread, "run_sync", at_once)
    return seats


async def test_an_engine_that_is_needed_while_another_is_stopped_goes_on(autojump_clock, seats):
    engine = SimpleNamespace(name="slow", configuration=None, plays=lambda game: True)
    settings = SimpleNamespace(engines=[engine], bot=SimpleNamespace(games_at_once=2))
    async with trio.open_nursery() as nursery:
        thinker = Thinker(settings, nursery, None)
        async with trio.open_nursery() as asked:
            for _ in range(2):
                asked.start_soon(thinker.choose, REQUEST)
        nursery.start_soon(thinker.look_after)
        with trio.fail_after(2 * IDLE):
            while not any(seat.is_stopped for seat in seats):
                await trio.sleep(STOPS / 2)
        assert await thinker.choose(REQUEST) == "resign"
        await trio.sleep(IDLE / 2)
        nursery.cancel_scope.cancel()
    assert sorted(seat.is_stopped for seat in seats) == [False, True]
