"""A real arena that is killed again and again, under games over real sockets."""

import random
import time

import pytest
import trio

from tests.interfaces.arena.guests import Guest
from tests.interfaces.arena.hosting import hosted
from tests.interfaces.arena.test_service import agree

BEAT = 1.0
"""Seconds of the arena's clock that a kill may lose."""


class Delay:
    """The longest for which this process kept a guest from reading what was there."""

    def __init__(self) -> None:
        self.seconds = 0.0

    async def measure(self) -> None:
        """Look again and again how late this task is woken, until cancelled."""
        while True:
            due = trio.current_time() + 0.01
            await trio.sleep_until(due)
            self.seconds = max(self.seconds, trio.current_time() - due)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kills", "guests", "thinks"),
    [(3, 6, 0.05), pytest.param(200, 100, 0.2, marks=pytest.mark.soak)],
)
async def test_kills_lose_no_game_and_no_time(tmp_path, kills, guests, thinks):
    seed = time.time_ns()
    draw = random.Random(seed)
    with hosted(tmp_path) as host:
        playing = [Guest(host.url, f"guest {n}x", thinks=thinks) for n in range(guests)]
        delay = Delay()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(delay.measure)
            for guest in playing:
                nursery.start_soon(guest.play)
            for _ in range(kills):
                await trio.sleep(draw.uniform(0.2, 4.0))
                host.kill()
                await trio.to_thread.run_sync(host.start)
            await trio.sleep(5.0)
            nursery.cancel_scope.cancel()
        host.stop()
    records = host.records()
    agree(playing, records)
    assert len(records) > kills, seed
    known = {guest.name: guest for guest in playing}
    for game, record in records.items():
        for number, turn in enumerate(record.turns):
            thought = known[record.players[number % 2]].thought[game, number]
            most = thought + BEAT + 2 * delay.seconds
            assert turn.seconds <= most, (seed, game, number, delay.seconds)
