"""A run is paused, slowed, sped up and stopped; games in memory, on a clock that jumps.

A FakeExecutor plays each game by sleeping for its seconds. `order` says what happened when.
"""

import os
import signal
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from oddly.games.catalogue import create_game
from oddly.referee.justice.record import GameRecord
from oddly.tournaments.formats.plan import FixedPlan
from oddly.tournaments.run.control import PAUSED, RESUMED, STOPPING, UNREADABLE, Control
from oddly.tournaments.run.runner import run_plan
from tests.tournaments.formats.schedules import alternating
from tests.tournaments.results.outcomes import outcome

GAME = create_game("odd", 2)


class FakeExecutor:
    """Games of ten seconds; `most` is how many ran at once at worst."""

    slots = 2
    failure = None

    def __init__(self) -> None:
        self.running = 0
        self.begun: list[tuple[float, int]] = []

    async def play(self, scheduled, ended):
        self.running += 1
        self.begun.append((trio.current_time(), self.running))
        await trio.sleep(10)
        self.running -= 1
        names = scheduled.first, scheduled.second
        record = GameRecord(GAME, names, ("", ""), 0, (), outcome(0))
        ended(record)
        return record


async def run_with(control: Control, games: int, *acts):
    """Play games while each of `acts`, a time and a function, is done at its time."""
    executor = FakeExecutor()

    @asynccontextmanager
    async def opening():
        yield executor

    start = trio.current_time()

    async def act(when, what):
        await trio.sleep_until(start + when)
        what()

    async with trio.open_nursery() as nursery:
        for when, what in acts:
            nursery.start_soon(act, when, what)
        plan = FixedPlan(alternating(GAME, ("a", "b"), games, 0))
        run = await run_plan(plan, opening(), control=control)
    return run, [(moment - start, running) for moment, running in executor.begun]


async def test_as_many_games_as_the_executor_has_slots(autojump_clock):
    run, begun = await run_with(Control(), 5)
    assert len(run.played) == 5
    assert not run.interrupted
    assert [moment for moment, _ in begun] == [0, 0, 10, 10, 20]


async def test_a_paused_run_begins_no_game_until_it_goes_on(autojump_clock):
    control = Control(2)
    run, begun = await run_with(
        control, 6, (5, control.pause_or_resume), (100, control.pause_or_resume)
    )
    assert [moment for moment, _ in begun] == [0, 0, 100, 100, 110, 110]
    assert len(run.played) == 6
    assert not run.interrupted


async def test_more_games_at_once_begin_at_once_and_fewer_as_others_end(autojump_clock):
    control = Control(1)
    _, begun = await run_with(
        control, 9, (5, lambda: control.set_at_once(3)), (21, control.fewer), (22, control.fewer)
    )
    assert [moment for moment, _ in begun] == [0, 5, 5, 10, 15, 15, 20, 30, 40]
    assert max(running for _, running in begun) == 3
    assert [running for _, running in begun[-2:]] == [1, 1]


async def test_a_stopped_run_ends_with_its_running_games(autojump_clock):
    control = Control(2)
    run, begun = await run_with(control, 6, (5, control.stop))
    assert len(begun) == len(run.played) == 2
    assert run.interrupted


async def test_a_paused_run_can_be_stopped(autojump_clock):
    control = Control(2)
    run, _ = await run_with(control, 6, (5, control.pause_or_resume), (50, control.stop))
    assert len(run.played) == 2
    assert run.interrupted


async def test_stopping_when_all_games_have_begun_interrupts_nothing(autojump_clock):
    control = Control(2)
    run, _ = await run_with(control, 2, (5, control.stop))
    assert len(run.played) == 2
    assert not run.interrupted


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2])
async def test_signals_pause_and_reread(number):
    control = Control(2, lambda: 7)
    said: list[str] = []
    control.listen(said.append)

    async def wait():
        while not said:
            await trio.sleep(0.01)
        control.stop()

    class Slow(FakeExecutor):
        async def play(self, scheduled, ended):
            os.kill(os.getpid(), number)
            await wait()
            record = GameRecord(GAME, ("a", "b"), ("", ""), 0, (), outcome(0))
            ended(record)
            return record

    @asynccontextmanager
    async def opening():
        yield Slow()

    plan = FixedPlan(alternating(GAME, ("a", "b"), 1, 0))
    await run_plan(plan, opening(), control=control)
    assert said[0] == {signal.SIGUSR1: PAUSED, signal.SIGUSR2: "games at once: 7"}[number]


def test_every_change_is_said():
    said: list[str] = []
    control = Control()
    control.listen(said.append)
    control.open(2)
    for act in (control.pause_or_resume, control.pause_or_resume, control.more, control.reread):
        act()
    for _ in range(4):
        control.fewer()
    control.stop()
    assert said == [
        PAUSED,
        RESUMED,
        "games at once: 3",
        UNREADABLE,
        *(f"games at once: {number}" for number in (2, 1, 1, 1)),
        STOPPING,
    ]


def test_a_file_that_cannot_be_read_again_changes_nothing():
    def broken() -> int:
        raise ValueError("club.toml:3: unknown key")

    said: list[str] = []
    control = Control(4, broken)
    control.listen(said.append)
    control.reread()
    assert control.at_once == 4
    assert said == ["games at once: still 4, since club.toml:3: unknown key"]
