"""What only watches a run never ends it and costs no game, whatever it raises and whenever.

The engines run in memory on trio's mock clock, chatter on standard error without end, and take
their time to hear how a game ended: so every watcher is called at every moment of a game.
"""

import errno
from contextlib import nullcontext
from functools import partial
from itertools import cycle
from types import SimpleNamespace

import pytest
import trio
from trio.testing import MockClock

from oddly.engines.dispatcher import Dispatcher
from oddly.engines.engine import create_engine
from oddly.games.catalogue import create_game
from oddly.interfaces.terminal.live import progress
from oddly.protocol.codec import encode_reply
from oddly.protocol.notation import parse_time_control
from oddly.referee.match import adjudication, wire_log
from oddly.referee.match.engine_pool import EnginePool
from oddly.referee.match.judgement import judge
from oddly.referee.match.wire_log import GameLog
from oddly.referee.program.configuration import EngineConfiguration
from oddly.tournaments import (
    Observer,
    PlayingSettings,
    RecordFile,
    RoundRobin,
    Tournament,
    play_tournament,
)
from oddly.tournaments.executors import executor
from oddly.tournaments.run import playing
from oddly.tournaments.run.live_feed import FeedWriter
from tests.referee.fakes import ScriptedChannel

ODD = create_game("odd", 2)
GAMES = {1: 4, 8: 8}
"""How many games are played, by how many at once."""
BETWEEN_WORDS = 0.0005
ERRORS = (
    OSError(errno.ENOSPC, "No space left on device"),
    BrokenPipeError(errno.EPIPE, "Broken pipe"),
    ValueError("I/O operation on closed file"),
    UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    RuntimeError("dictionary changed size during iteration"),
    KeyError("id"),
    AssertionError(),
    MemoryError(),
    RecursionError(),
    StopIteration(),
    trio.ClosedResourceError(),
    ExceptionGroup("several", [ValueError("one"), TypeError("two")]),
)


alone_or_among_others = pytest.mark.parametrize(
    ("error", "at_once"),
    [
        pytest.param(error, at_once, id=type(error).__name__)
        for error, at_once in zip(ERRORS, cycle(GAMES), strict=False)
    ],
)


class InMemory(ScriptedChannel):
    """Our engine `random` in memory, which takes a millisecond a command and never falls silent."""

    def __init__(self, command, most_stderr=0, resources=None):
        super().__init__(("", ""))
        self.dispatcher = Dispatcher(create_engine("random"), ODD)

    def answer(self, command):
        seconds = 0.05 if command.name == "game_over" else 0.001
        self.write(encode_reply(self.dispatcher.answer(command)), seconds)

    async def attend(self):
        while True:
            await trio.sleep(BETWEEN_WORDS)
            if self.on_stderr is not None:
                self.on_stderr(b"thinking\n")


class Failing:
    """Raises an error at a call, and counts the calls."""

    def __init__(self, error, at=1):
        self.error, self.left = error, at

    def __call__(self, *_, **__):
        self.left -= 1
        if self.left == 0:
            raise self.error


class AsyncFailing(Failing):
    async def __call__(self, *_, **__):
        await trio.sleep(0.003)
        super().__call__()


def played(tmp_path, observers=(), at_once=1, *, logs=True, ledger=False):
    """Play the games; return the run and what was said of it."""
    said = []

    class Hearing(Observer):
        def start(self, start):
            start.control.listen(said.append)

    engines = tuple(
        EngineConfiguration(name, ("engine",), parse_time_control("5")) for name in ("one", "two")
    )
    settings = PlayingSettings(concurrency=at_once, referees=1)
    event = Tournament(
        name="test",
        format=RoundRobin(GAMES[at_once] // 2),
        games=(ODD,),
        engines=engines,
        settings=settings,
    )

    async def play():
        return await play_tournament(
            event,
            tmp_path / "a.sqlite" if ledger else None,
            [*observers, Hearing()],
            log_directory=tmp_path / "logs" if logs else None,
        )

    return trio.run(play, clock=MockClock(autojump_threshold=0)), said


@pytest.fixture(autouse=True)
def in_memory(monkeypatch):
    monkeypatch.setattr(executor, "EnginePool", partial(EnginePool, open_channel=InMemory))
    # No process is there to be ended with this one.
    monkeypatch.setattr(playing, "guarded", nullcontext)


def watching(method, failing):
    return type("Watching", (Observer,), {method: lambda _, *args: failing(*args)})()


def of_a_log(method):
    def arrange(monkeypatch, failing, tmp_path):
        file = SimpleNamespace(write=len, flush=list, close=list)
        setattr(file, method, failing)

        def open_log(path):
            return wire_log.WireLog(file, trio.current_time())

        monkeypatch.setattr(executor, "open_log", open_log)
        return ()

    return arrange


def of(target, name):
    def arrange(monkeypatch, failing, tmp_path):
        monkeypatch.setattr(target, name, failing)
        return ()

    return arrange


def of_an_observer(method):
    return lambda monkeypatch, failing, tmp_path: (watching(method, failing),)


def of_the_records(monkeypatch, failing, tmp_path):
    monkeypatch.setattr(RecordFile, "_write", failing)
    return (RecordFile(tmp_path / "games.jsonl"),)


def of_the_live_view(monkeypatch, failing, tmp_path):
    shown = progress.PlainProgress()
    monkeypatch.setattr(shown, "said", failing)
    return (shown,)


def of_the_feed(monkeypatch, failing, tmp_path):
    monkeypatch.setattr(FeedWriter, "_write", failing)
    return ()


WATCHERS = {
    "opening a log": of(executor, "open_log"),
    "a log's line": of_a_log("write"),
    "a log on its way to the disk": of_a_log("flush"),
    "closing a log": of_a_log("close"),
    "a wait in a log": of(wire_log.WireLog, "wait"),
    "the outcome in a log": of(wire_log.WireLog, "outcome"),
    "the records": of_the_records,
    "the live view": of_the_live_view,
    "the feed of the page": of_the_feed,
    **{
        f"an observer's {method}": of_an_observer(method)
        for method in ("start", "began", "turned", "ended", "finish")
    },
}
MOMENTS = (1, 2, 3, 7, 30, 110)
"""The call at which a watcher fails."""
SILENT = ("a wait in a log",)
"""Watchers that are not called in games without a fault."""


@pytest.mark.sampled
@pytest.mark.parametrize("at_once", [1, 8])
@pytest.mark.parametrize("name", WATCHERS)
def test_a_watcher_that_fails_ends_no_run_and_costs_no_game(name, at_once, tmp_path, monkeypatch):
    happened = 0
    # One half of the errors comes while one game is played, and the other while several are.
    half = ERRORS[: len(MOMENTS)] if at_once == 1 else ERRORS[len(MOMENTS) :]
    for number, (error, moment) in enumerate(zip(half, MOMENTS, strict=True)):
        with monkeypatch.context() as patched:
            failing = Failing(error, moment)
            folder = tmp_path / str(number)
            folder.mkdir()
            observers = WATCHERS[name](patched, failing, folder)
            run, _ = played(folder, observers, at_once, ledger=name == "the feed of the page")
        assert all_counted(run), error
        if failing.left <= 0:
            happened += 1
            assert run.failures, error
    assert happened or name in SILENT


def all_counted(run):
    return (
        len(run.played) == run.games
        and not run.interrupted
        and not any(game.outcome.is_void or game.outcome.is_forfeit for game in run.played)
    )


@alone_or_among_others
def test_an_observer_that_fails_while_it_attends_ends_no_run(error, at_once, tmp_path):
    observer = type("Watching", (Observer,), {"attend": AsyncFailing(error).__call__})()
    run, said = played(tmp_path, [observer], at_once)
    assert all_counted(run)
    (sentence,) = said
    assert sentence.startswith("the observer Watching failed: ")
    assert sentence.endswith("; it is told nothing more about this run")


@alone_or_among_others
def test_an_announcement_that_fails_is_noted(error, at_once, tmp_path, monkeypatch):
    monkeypatch.setattr(adjudication, "tell_end", AsyncFailing(error, 3))
    run, _ = played(tmp_path, at_once=at_once)
    assert all_counted(run)
    (failure,) = run.failures
    assert failure.startswith("an engine was not told how its game ended: ")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_engine_that_is_not_stopped_costs_no_game(error, tmp_path, monkeypatch):
    failing = AsyncFailing(error)
    monkeypatch.setattr(InMemory, "stop", failing)
    run, _ = played(tmp_path)
    assert all_counted(run)
    (failure,) = run.failures
    assert failure.startswith("an engine was not stopped: ")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_fault_of_the_referee_voids_its_game_alone_which_is_played_again(
    error, tmp_path, monkeypatch
):
    monkeypatch.setattr(GameLog, "follow", Failing(error, 5))
    run, said = played(tmp_path)
    assert all_counted(run)
    (again,) = said
    assert again.startswith("game 3 is played again, since the referee failed: ")


def test_logs_are_whole_though_engines_chatter_after_the_end(tmp_path):
    run, said = played(tmp_path, at_once=8)
    assert (all_counted(run), run.failures, said) == (True, [], [])
    logs = sorted((tmp_path / "logs").iterdir())
    assert len(logs) == 8
    for log in logs:
        judgement = judge(log.read_text().splitlines())
        assert judgement.contradictions() == []
