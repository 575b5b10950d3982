"""Which process plays which game, with processes that are naps: starting, dying, being replaced."""

from contextlib import asynccontextmanager

import pytest
import trio

from oddly.games import Odd, create_game
from oddly.referee import Outcome, Termination
from oddly.referee.justice.outcome import abandoned
from oddly.tournaments import Control, RoundRobin
from oddly.tournaments.executors import conditions
from oddly.tournaments.executors.conditions import Conditions, say_nothing
from oddly.tournaments.executors.executor import unplayed
from oddly.tournaments.executors.referee_serving import PlaceFree
from oddly.tournaments.executors.referees_executor import (
    HEAD_START,
    MAX_DEATHS,
    FaultCount,
    RefereesExecutor,
)
from oddly.tournaments.results.schedule import scheduled
from oddly.tournaments.run.runner import run_plan
from tests.tournaments.formats.playing import by_strength, event
from tests.tournaments.results.outcomes import outcome
from tests.tournaments.run.naps import NappingExecutor


class OwnOdd(Odd):
    """A game that a program made for itself, and that has the name of another."""


class NappingReferee:
    """Starts for a second, plays each game for ten, and dies after `life` seconds."""

    def __init__(self, log: list, life: float = 1e9, start: float = 1.0) -> None:
        self.log, self.life, self.start = log, life, start
        self.running, self.most = 0, 0
        self.dead = trio.Event()
        self.told: list = []
        log.append(self)

    async def attend(self, ready):
        await trio.sleep(self.start)
        ready()
        await trio.sleep(self.life)
        self.dead.set()
        return "was killed by a test"

    async def play(self, game, faults, stuck, ended):
        self.told.append((game, faults, stuck))
        self.running += 1
        self.most = max(self.most, self.running)
        with trio.move_on_after(10) as nap:
            await self.dead.wait()
        self.running -= 1
        if not nap.cancelled_caught:
            return unplayed(game, abandoned("its referee died")), None
        record = unplayed(game, by_strength(game))
        ended(record)
        return record, PlaceFree(game.id, ("a",), None)


class NappingPool:
    """A pool that only remembers what it learnt."""

    def __init__(self) -> None:
        self.learnt, self.stops = {}, 0

    def learn(self, name, faults, *, is_stuck):
        self.learnt[name] = (faults, is_stuck)

    def is_stuck(self, name):
        return False

    async def stop(self):
        self.stops += 1


class NappingHere(NappingExecutor):
    """The process that plans, which plays each game for ten seconds."""

    def __init__(self) -> None:
        super().__init__(1, 10)
        self.pool = NappingPool()

    @property
    def games(self) -> int:
        return len(self.begun)


@asynccontextmanager
async def opened(executor):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(executor.keep_all)
        yield executor
        nursery.cancel_scope.cancel()


def executor_of(referees: int, at_once: int, start, say=say_nothing):
    here = NappingHere()
    conditions = Conditions(at_once, say=say)
    return RefereesExecutor(here, conditions, referees, start), here


async def shared(at_once: int, start, referees: int = 2, plan=None):
    """The run of a round robin, the process that plans, and what was said."""
    said: list[str] = []
    control = Control()
    control.listen(said.append)
    executor, here = executor_of(referees, at_once, start, said.append)
    plan = plan or RoundRobin(3).plan(event(4))
    run = await run_plan(plan, opened(executor), (), control)
    assert not run.interrupted
    return run, here, said


@pytest.mark.parametrize(("referees", "at_once"), [(2, 2), (2, 8), (3, 5)])
async def test_games_are_shared_evenly(autojump_clock, referees, at_once):
    log = []
    plan = RoundRobin(4).plan(event(5))
    run, here, _ = await shared(at_once, lambda: NappingReferee(log), referees, plan)
    assert len(run.played) == 80
    assert here.games == 1
    assert len(log) == referees
    assert max(each.most for each in log) == -(-at_once // referees)


async def test_the_first_game_waits_for_no_process_and_its_engines_go_when_one_is_there(
    autojump_clock,
):
    log, began = [], trio.current_time()
    plan = RoundRobin(2).plan(event(3))
    run, here, _ = await shared(4, lambda: NappingReferee(log, start=25.0), plan=plan)
    # Two before the processes are up, and one while they come up: one at a time.
    assert (here.games, here.most) == (3, 1)
    assert here.pool.stops == 1
    assert len(run.played) == 12
    assert trio.current_time() - began < 70


async def test_a_match_that_is_over_at_once_starts_no_process(autojump_clock, monkeypatch):
    monkeypatch.setattr(
        "oddly.tournaments.executors.referees_executor.HEAD_START", 100 * HEAD_START
    )
    log = []
    executor, here = executor_of(2, 2, lambda: NappingReferee(log))
    async with opened(executor):
        await executor.play(game_of("a", "b"))
    assert (here.games, log) == (1, [])


async def test_the_games_of_a_process_that_dies_are_played_again_and_no_others(autojump_clock):
    log = []
    run, _, said = await shared(4, lambda: NappingReferee(log, life=1e9 if log else 15.0))
    assert len(run.played) == 36
    again = [record for record in run.records if record.abandoned]
    assert 1 <= len(again) <= 2
    assert {record.abandoned for record in again} == {("its referee died",)}
    assert len(log) == 3
    assert "a referee process was killed by a test" in said


async def test_a_process_that_is_up_early_leaves_the_others_their_share(autojump_clock):
    log = []
    plan = RoundRobin(4).plan(event(5))
    await shared(8, lambda: NappingReferee(log, start=1.0 + 5.0 * len(log)), plan=plan)
    assert max(each.most for each in log) == 4


async def test_without_processes_all_games_are_played_here(autojump_clock):
    log = []
    run, here, said = await shared(4, lambda: NappingReferee(log, life=0.0))
    assert len(run.played) == 36
    assert len(log) == 2 * MAX_DEATHS
    assert here.most == 4
    assert sum(sentence.endswith("; it is not replaced") for sentence in said) == 2


async def test_why_none_comes_up_is_said_once(autojump_clock):
    class Refused(NappingReferee):
        async def attend(self, ready):
            await trio.sleep(0.01)
            return "could not be started: Too many open files"

    run, _, said = await shared(4, lambda: Refused([]))
    assert len(run.played) == 36
    why = "a referee process could not be started: Too many open files; it is not replaced"
    assert said.count(why) == 1


@pytest.mark.parametrize(("fitting", "processes"), [(None, 2), (100, 2), (3, 2), (2, 1), (0, 1)])
def test_where_descriptors_are_scarce_one_process_has_them_all(monkeypatch, fitting, processes):
    monkeypatch.setattr(conditions, "games_that_fit", lambda: fitting)
    assert conditions.referees_for(2, 8, 100) == processes


@asynccontextmanager
async def two_ready():
    """Two processes that are up, with a place each; what plays here; and their executor."""
    log = []
    executor, here = executor_of(2, 2, lambda: NappingReferee(log))
    async with opened(executor):
        await trio.sleep(5)
        yield log, here, executor


async def test_what_one_process_knows_of_an_engine_the_others_learn(autojump_clock):
    async with two_ready() as (log, _, executor):
        async with trio.open_nursery() as games:
            for first, second in (("a", "b"), ("c", "d")):
                games.start_soon(executor.play, game_of(first, second))
        await executor.play(game_of("b", "a"))
    told = [each for referee in log for each in referee.told]
    assert [stuck for game, _, stuck in told if game.first == "a"] == [()]
    assert [stuck for game, _, stuck in told if game.first == "b"] == [("a",)]


async def test_a_game_goes_where_its_engines_run_already(autojump_clock):
    async with two_ready() as (log, _, executor):
        for pair in (("a", "b"), ("c", "d"), ("b", "a"), ("d", "c")):
            await executor.play(game_of(*pair))
        async with trio.open_nursery() as games:
            games.start_soon(executor.play, game_of("a", "b"))
            await trio.sleep(1)
            games.start_soon(executor.play, game_of("e", "f"))
        await executor.play(game_of("f", "e"))
    engines = [{game.first for game, _, _ in referee.told} for referee in log]
    assert sorted(map(sorted, engines)) == [["a", "b", "c", "d"], ["e", "f"]]


async def test_a_game_that_only_this_process_knows_is_played_here(autojump_clock):
    async with two_ready() as (_, here, executor):
        await executor.play(scheduled(1, OwnOdd(2), 1, "a", "b", 0))
    assert here.games == 1


def game_of(first: str, second: str):
    return scheduled(1, create_game("odd", 2), 1, first, second, 0)


def test_faults_in_a_row_are_counted_as_in_one_process():
    count = FaultCount(Conditions(withdraw_after=3))
    game = game_of("a", "b")
    lost = Outcome(1, None, "W+F", Termination.CRASH, "a: crashed", 0)
    for _ in range(5):
        count.count(unplayed(game, lost))
        count.count(unplayed(game, abandoned("the machine is exhausted")))
    assert count.of("ab") == {"a": 3, "b": 0}
    count.count(unplayed(game, outcome(0)))
    assert count.of("a") == {"a": 0}
    count.count(unplayed(game, Outcome(None, None, "void", Termination.VOID, "neither", 0)))
    assert count.of("ab") == {"a": 1, "b": 1}
