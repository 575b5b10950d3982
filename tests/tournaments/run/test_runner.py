"""The runner, with an executor in which games are naps: slots wait, are filled, and left in time.

The clock jumps ahead whenever everybody waits, so that the naps take no time.
"""

import os
import signal
import threading

import pytest

from oddly.referee import Termination
from oddly.referee.justice.outcome import EXHAUSTED, abandoned
from oddly.tournaments import Control, Knockout, Observer, RoundRobin, Sprt, Swiss
from oddly.tournaments.formats.swiss import SwissPlan
from oddly.tournaments.run.control import STOPPING
from oddly.tournaments.run.runner import PAUSES, run_plan
from tests.tournaments.formats.playing import by_strength, event, facts_of, played
from tests.tournaments.run.naps import NappingExecutor, opened


def abandoning(times: int, reason: str = "the machine is exhausted"):
    """Results of which the first ones are abandoned attempts."""
    left = iter(range(times))

    def result(scheduled):
        gone = abandoned(reason)
        return by_strength(scheduled) if next(left, None) is None else gone

    return result


class Notes(Observer):
    """An observer that remembers, and may send a signal once so many games ended."""

    def __init__(self, interrupt_after=None, signals=1, signal_number=signal.SIGINT) -> None:
        self.signal_number = signal_number
        self.begun, self.again, self.finished, self.stopped = [], [], [], 0
        self.interrupt_after, self.signals = interrupt_after, signals

    def began(self, scheduled):
        self.begun.append(scheduled.id)

    def began_again(self, scheduled):
        assert scheduled.id in self.begun
        self.again.append(scheduled.id)

    def ended(self, played_game, record):
        self.finished.append(played_game.scheduled.id)
        if len(self.finished) == self.interrupt_after:
            os.kill(os.getpid(), self.signal_number)

    def said(self, what):
        assert what == STOPPING
        self.stopped += 1
        if self.signals > 1:
            os.kill(os.getpid(), signal.SIGINT)

    @property
    def control(self):
        control = Control()
        control.listen(self.said)
        return control


@pytest.mark.parametrize("slots", [1, 3, 50])
@pytest.mark.parametrize("format_", [RoundRobin(1), Swiss(3), Knockout(2, 1)], ids=str)
async def test_all_games_are_played_in_any_number_of_slots(autojump_clock, slots, format_):
    executor, notes = NappingExecutor(slots), Notes()
    run = await run_plan(format_.plan(event(6)), opened(executor), [notes])
    assert sorted(notes.begun) == sorted(notes.finished) == sorted(played(format_.plan(event(6))))
    assert not run.interrupted
    assert executor.most <= slots
    numbers = [game.scheduled.number for game in run.played]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_a_round_keeps_all_slots_busy_that_it_can(autojump_clock):
    executor = NappingExecutor(50)
    await run_plan(Swiss(2).plan(event(6)), opened(executor), [Notes()])
    assert executor.most == 6


async def test_a_round_is_paired_off_the_loop(autojump_clock, monkeypatch):
    threads = []
    prepare = SwissPlan._prepare

    def noted(plan):
        threads.append(threading.current_thread())
        prepare(plan)

    monkeypatch.setattr(SwissPlan, "_prepare", noted)
    await run_plan(Swiss(3).plan(event(4)), opened(NappingExecutor(2)))
    assert len(threads) == 3
    assert threading.main_thread() not in threads


async def test_games_that_run_when_the_verdict_falls_are_played_to_their_end(autojump_clock):
    plan, notes = Sprt(0, 200).plan(event(2)), Notes()
    run = await run_plan(plan, opened(NappingExecutor(4)), [notes])
    assert len(notes.begun) == len(notes.finished) == len(run.played)
    assert run.games is None
    assert "is accepted" in plan.verdict()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
async def test_one_signal_finishes_running_games_and_begins_no_others(autojump_clock, number):
    notes, executor = Notes(interrupt_after=5, signal_number=number), NappingExecutor(4)
    run = await run_plan(Swiss(5).plan(event(8)), opened(executor), [notes], notes.control)
    assert run.interrupted
    assert notes.stopped == 1
    assert 5 <= len(notes.finished) == len(notes.begun) <= 9
    assert run.failures == ["it was closed"]


async def test_a_swiss_that_is_interrupted_between_two_rounds_does_not_begin_the_next(
    autojump_clock,
):
    notes, executor = Notes(interrupt_after=1), NappingExecutor(2)
    run = await run_plan(Swiss(3).plan(event(3)), opened(executor), [notes], notes.control)
    assert run.interrupted
    assert len(run.played) == 2
    assert [round_["bye"] for round_ in facts_of(run.plan)["rounds"]] == ["c"]


async def test_two_signals_give_running_games_up(autojump_clock):
    notes, executor = Notes(interrupt_after=5, signals=2), NappingExecutor(4)
    run = await run_plan(Swiss(5).plan(event(8)), opened(executor), [notes], notes.control)
    assert run.interrupted
    assert len(notes.finished) < len(notes.begun)
    assert executor.running == 0
    assert len(run.played) == len(notes.finished)


async def test_a_signal_during_the_last_game_interrupts_nothing(autojump_clock):
    games = len(played(RoundRobin(1).plan(event(2))))
    run = await run_plan(
        RoundRobin(1).plan(event(2)), opened(NappingExecutor(1)), [Notes(interrupt_after=games)]
    )
    assert not run.interrupted


async def test_a_game_that_we_fail_to_carry_through_is_played_again(autojump_clock):
    said = []
    control = Control()
    control.listen(said.append)
    notes, executor = Notes(), NappingExecutor(2, result=abandoning(3))
    run = await run_plan(RoundRobin(1).plan(event(3)), opened(executor), [notes], control)
    assert len(run.played) == len(notes.begun) == len(notes.finished) == 6
    assert sorted(notes.again) == sorted(
        identity for identity, record in run.records_by_id.items() for _ in record.abandoned
    )
    assert not any(game.outcome.is_void for game in run.played)
    assert sum(len(record.abandoned) for record in run.records) == 3
    assert len(said) == 3
    assert said[0].endswith(" is played again, since the machine is exhausted")
    assert not run.interrupted


async def test_a_game_that_fails_for_ever_is_left_to_the_next_run(autojump_clock):
    executor = NappingExecutor(1, result=abandoning(1000))
    run = await run_plan(RoundRobin(1).plan(event(2)), opened(executor), [Notes()])
    assert [game.outcome.termination for game in run.played] == [Termination.ABANDONED] * 2
    assert run.interrupted


async def test_a_run_waits_for_an_exhausted_machine_and_goes_on(autojump_clock):
    said = []
    control = Control()
    control.listen(said.append)
    executor = NappingExecutor(1, result=abandoning(100, f"{EXHAUSTED}no descriptor"))
    run = await run_plan(RoundRobin(1).plan(event(2)), opened(executor), [], control)
    assert len(run.played) == run.games
    assert not any(game.outcome.is_void for game in run.played)
    assert not run.interrupted
    assert len(said) == len(PAUSES) + 2
    assert said[-2].startswith("the machine is exhausted: no descriptor: no new game begins")
    assert said[-1] == "going on"


async def test_a_run_that_waits_for_the_machine_can_be_stopped(autojump_clock):
    control = Control()
    control.listen(lambda what: "no new game" in what and control.stop())
    executor = NappingExecutor(1, result=abandoning(10**6, f"{EXHAUSTED}no descriptor"))
    run = await run_plan(RoundRobin(1).plan(event(2)), opened(executor), [], control)
    assert run.interrupted


async def test_an_ignored_end_of_a_terminal_stays_ignored(autojump_clock):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        notes = Notes(interrupt_after=2, signal_number=signal.SIGHUP)
        run = await run_plan(Swiss(3).plan(event(4)), opened(NappingExecutor(2)), [notes])
    finally:
        signal.signal(signal.SIGHUP, before)
    assert not run.interrupted
