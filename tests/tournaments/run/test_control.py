"""A run is paused, slowed, sped up and stopped; games in memory, on a clock that jumps.

Two games of ten seconds run at once.
"""

import os
import signal

import pytest
import trio
import trio.testing

from oddly.games import create_game
from oddly.tournaments import Control, FixedPlan
from oddly.tournaments.run.control import PAUSED, RESUMED, STOPPING, UNREADABLE
from oddly.tournaments.run.runner import run_plan
from tests.tournaments.formats.schedules import alternating
from tests.tournaments.run.naps import NappingExecutor, opened

GAME = create_game("odd", 2)


async def run_with(control: Control, games: int, *acts):
    """Play games while each of `acts`, a time and a function, is done at its time."""
    executor = NappingExecutor(2, 10)
    start = trio.current_time()

    async def act(when, what):
        await trio.sleep_until(start + when)
        what()

    async with trio.open_nursery() as nursery:
        for when, what in acts:
            nursery.start_soon(act, when, what)
        plan = FixedPlan(alternating(GAME, ("a", "b"), games, 0))
        run = await run_plan(plan, opened(executor), control=control)
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


@pytest.mark.parametrize(
    ("games", "pauses_at", "stops_at", "interrupted"),
    [(6, None, 5, True), (6, 5, 50, True), (2, None, 5, False)],
    ids=["with its running games", "paused", "when all have begun"],
)
async def test_a_run_is_stopped(autojump_clock, games, pauses_at, stops_at, interrupted):
    control = Control(2)
    pause = [] if pauses_at is None else [(pauses_at, control.pause_or_resume)]
    run, begun = await run_with(control, games, *pause, (stops_at, control.stop))
    assert len(begun) == len(run.played) == 2
    assert run.interrupted == interrupted


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2])
async def test_signals_pause_and_reread(number):
    control = Control(2, lambda: 7)
    said = heard(control)

    async def wait():
        while not said:
            await trio.sleep(0.01)
        control.stop()

    class Slow(NappingExecutor):
        async def play(self, scheduled, ended):
            os.kill(os.getpid(), number)
            await wait()
            return await super().play(scheduled, ended)

    plan = FixedPlan(alternating(GAME, ("a", "b"), 1, 0))
    await run_plan(plan, opened(Slow(1, 0.001)), control=control)
    assert said[0] == {signal.SIGUSR1: PAUSED, signal.SIGUSR2: "games at once: 7"}[number]


def heard(control: Control) -> list[str]:
    said: list[str] = []
    control.listen(said.append)
    return said


def test_every_change_is_said():
    control = Control()
    said = heard(control)
    control.open(2)
    for act in (control.pause_or_resume, control.pause_or_resume, control.more, control.reread):
        act()
    for _ in range(4):
        control.fewer()
    control.stop()
    numbers = [f"games at once: {number}" for number in (2, 1, 1, 1)]
    assert said == [PAUSED, RESUMED, "games at once: 3", UNREADABLE, *numbers, STOPPING]


def test_a_closed_terminal_hears_nothing_more_and_any_other_failure_is_said():
    def closed(_: str) -> None:
        raise BrokenPipeError

    def broken(_: str) -> None:
        raise RuntimeError("no such line")

    control = Control()
    control.listen(closed)
    control.listen(broken)
    said = heard(control)
    control.set_at_once(2)
    control.set_at_once(3)
    first, failure, *rest = said
    assert (first, rest) == ("games at once: 2", ["games at once: 3"])
    assert failure.startswith("a listener failed: RuntimeError: no such line (test_control.py, ")


def test_a_file_that_cannot_be_read_again_changes_nothing():
    def broken() -> int:
        raise ValueError("club.toml:3: unknown key")

    control = Control(4, broken)
    said = heard(control)
    control.reread()
    assert control.at_once == 4
    assert said == ["games at once: still 4, since club.toml:3: unknown key"]
