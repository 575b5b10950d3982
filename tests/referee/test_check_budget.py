"""`oddly check` of slow engines: bounded in seconds, with the core of every step."""

import pytest
import trio

import oddly.protocol.grammar  # noqa: F401 - a thread would import it while trio's clock jumps
from oddly.games.catalogue import create_game
from oddly.referee.check import conversation
from oddly.referee.check.checker import all_steps, certificate, check_engine, summary
from oddly.referee.check.engine_under_test import Budget, CheckOptions
from oddly.referee.check.step import spread
from oddly.referee.program.configuration import Isolation
from tests.referee.engine_in_memory import InMemory, opens

SIZES = {"yodd": 3, "odd": 3, "ayu": 5}


async def check(monkeypatch, name, seconds, budget=60.0):
    """The report on an engine that needs these seconds for a command, and its commands."""
    channels = []
    monkeypatch.setattr(conversation.EngineProcess, "start", opens(seconds, channels))
    game = create_game(name, SIZES[name])
    # The default of a second for a turn is too little for a slow engine.
    options = CheckOptions(budget=budget, time=30.0, isolation=Isolation.NONE)
    began = trio.current_time()
    report = await check_engine(["engine"], game, options, lambda _: None)
    return report, trio.current_time() - began, sum(channel.commands for channel in channels)


@pytest.mark.sampled
@pytest.mark.parametrize("name", SIZES)
async def test_an_engine_that_answers_at_once_gets_everything(monkeypatch, autojump_clock, name):
    report, _, commands = await check(monkeypatch, name, 0.0)
    assert report.count("fail") == 0
    assert report.thinned == ()
    assert "thinned" not in summary(report)
    assert (await check(monkeypatch, name, 0.0, budget=1e9))[2] == commands


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["odd", "ayu"])
async def test_a_slow_engine_gets_what_fits_into_the_budget(monkeypatch, autojump_clock, name):
    report, seconds, commands = await check(monkeypatch, name, 0.01)
    assert 30 < seconds < 62
    assert report.count("fail") == 0
    assert report.thinned
    fewer, less, few = await check(monkeypatch, name, 0.01, budget=30.0)
    assert less < 35
    assert few < commands
    assert len(fewer.results) == len(report.results)


@pytest.mark.sampled
async def test_a_slower_engine_gets_the_core_of_every_step(monkeypatch, autojump_clock):
    report, seconds, commands = await check(monkeypatch, "yodd", 0.05)
    quick, _, all_commands = await check(monkeypatch, "yodd", 0.0)
    assert seconds < 0.05 * commands + 15
    assert commands < all_commands / 4
    assert [result.verdict for result in report.results] == [
        result.verdict for result in quick.results
    ]
    for result in report.results:
        assert 0 <= result.left_out < max(1, result.cases), result.step.name


@pytest.mark.parametrize("seconds", [0.2, 1.0])
async def test_a_check_of_a_very_slow_engine_ends_too(monkeypatch, autojump_clock, seconds):
    report, taken, _ = await check(monkeypatch, "odd", seconds)
    assert report.count("fail") == 0
    assert 280 < taken < 310
    cut = [result for result in report.results if result.is_cut]
    assert cut
    assert all(result.reason.startswith("no time is left: the engine answers") for result in cut)
    assert all(result.reason.endswith("a check ends after 300 s (--budget)") for result in cut)
    passed = {result.step.topic for result in report.results if result.verdict == "pass"}
    assert passed >= {"starting", "setting up", "games", "leaving"}
    line = f"cut short: no time was left for {len(cut)} of {len(report.results)} steps (--budget)"
    assert line in summary(report).splitlines()


async def test_the_report_says_what_was_thinned_and_why(monkeypatch, autojump_clock):
    report, *_ = await check(monkeypatch, "yodd", 0.05)
    known = sum(result.cases for result in report.thinned)
    tried = known - sum(result.left_out for result in report.thinned)
    first, last = summary(report).splitlines()
    assert first.startswith(f"thinned: {tried} of {known} cases, as the engine answers in 50 ms")
    assert last.endswith("0 failed, 11 skipped")
    facts = certificate(report, "engine", create_game("yodd", 3))
    assert facts["report"]["thinned"] == first
    assert set(facts["thinned"]) == {result.step.name for result in report.thinned}
    for told in facts["thinned"].values():
        part, _, whole, _ = told.split()
        assert 0 < int(part) < int(whole)


async def test_what_a_step_leaves_goes_to_the_next(autojump_clock):
    budget, tried = Budget(100.0), []
    for share in (1, 2, 1):
        budget.begin_step(share, to_come=4 - sum((1, 2)[: len(tried)]), reserve=0.0)
        tried.append(0)
        for _ in budget.cases(range(1000) if share == 1 else range(3), core=2):
            await trio.sleep(1.0)
            tried[-1] += 1
    # The last one has its own 25 s and what the second one did not need.
    assert tried == [25, 3, 72]
    assert (budget.known, budget.left_out) == (1000, 928)
    budget.begin_step(1, 1)
    assert list(budget.cases("abcd", core=3)) == ["a", "b", "c"]


@pytest.mark.parametrize("length", range(1, 40))
def test_numbers_are_spread_without_a_gap(length):
    assert sorted(spread(length)) == list(range(length))
    assert set(spread(length)[:2]) == {0, length - 1}


def test_every_step_has_a_share():
    assert all(step.share > 0 for step in all_steps(create_game("odd"), 4))


async def test_the_time_to_get_ready_is_not_of_the_budget(monkeypatch, autojump_clock):
    class Compiling(InMemory):
        """Needs a minute for the first game that it is set."""

        is_ready = False

        def send_nowait(self, data):
            if b"set_game" in data and not self.is_ready:
                self.is_ready = True
                self._answer(b"", 60.0)
            return super().send_nowait(data)

    def opened(command, most_stderr, resources=None):
        return Compiling(0.0)

    monkeypatch.setattr(conversation.EngineProcess, "start", opened)
    game = create_game("odd", 3)
    began = trio.current_time()
    report = await check_engine(["engine"], game, CheckOptions(), lambda _: None)
    assert trio.current_time() - began > 60
    assert report.count("fail") == 0
    assert report.thinned == ()
