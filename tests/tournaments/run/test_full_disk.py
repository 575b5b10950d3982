"""A full disk pauses a run, which goes on when there is room: what is not kept counts nowhere.

What is kept is read meanwhile.
"""

import json
import os
import resource
from contextlib import contextmanager
from random import Random

import pytest
import trio
import trio.testing

from oddly.tournaments import Control, Ledger, LedgerError, Observer, RoundRobin
from oddly.tournaments.ledger.engines import Entrant
from oddly.tournaments.results.schedule import PlayedGame
from oddly.tournaments.run.control import HELD, RESUMED
from oddly.tournaments.run.observer import RecordFile, UnkeptError
from oddly.tournaments.run.runner import run_plan
from tests.tournaments.formats.playing import event
from tests.tournaments.formats.schedules import round_robin
from tests.tournaments.ledger.conftest import GAME
from tests.tournaments.ledger.conftest import played as ledger_game
from tests.tournaments.ledger.test_store import FACTS
from tests.tournaments.run.naps import NappingExecutor, opened
from tests.tournaments.run.test_resuming import toml
from tests.tournaments.run.test_runner import Notes


@contextmanager
def full_disk(room: int):
    """A disk on which no file can grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class FullAtTimes(Observer):
    """A recorder on a disk that is full at some times of the clock."""

    def __init__(self, *times: tuple[float, float]) -> None:
        self.times, self.kept, self.begun = times, [], []

    def write(self) -> None:
        now = trio.current_time() - self.start_time
        if any(begin <= now < end for begin, end in self.times):
            raise UnkeptError("cannot write x: disk is full")

    def began(self, scheduled):
        self.write()
        self.begun.append(scheduled.id)

    def ended(self, played, record):
        self.write()
        self.kept.append(played.scheduled.id)


def run_on(disk: FullAtTimes, interrupt_at: float | None = None, slots: int = 3):
    """A round robin of 12 games; the run, what was said, and what a later observer heard."""
    control, said, notes = Control(slots), [], Notes()
    control.listen(said.append)

    async def play():
        disk.start_time = trio.current_time()
        plan = RoundRobin(rounds=2).plan(event(3))
        async with trio.open_nursery() as nursery:

            async def interrupt():
                await trio.sleep(interrupt_at)
                control.stop()

            if interrupt_at is not None:
                nursery.start_soon(interrupt)
            run = await run_plan(plan, opened(NappingExecutor(slots)), [disk, notes], control)
            nursery.cancel_scope.cancel()
        return run

    return trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0)), said, notes


@pytest.mark.parametrize("full", [(0, 10), (1, 500), (20, 300), (120, 4000)])
def test_it_waits_and_goes_on(full):
    disk = FullAtTimes(full)
    run, said, notes = run_on(disk)
    assert len(set(disk.kept)) == len(disk.kept) == len(run.played) == 12
    assert said[:2] == [f"cannot write x: disk is full: {HELD}", RESUMED]
    assert len(said) % 2 == 0
    assert not run.interrupted
    assert notes.begun == disk.begun


def test_no_game_begins_and_none_counts_meanwhile():
    disk = FullAtTimes((30, 10_000))
    run, said, _ = run_on(disk, interrupt_at=5_000)
    assert run.interrupted
    assert [game.scheduled.id for game in run.played] == sorted(disk.kept, key=disk.begun.index)
    assert len(disk.begun) - len(disk.kept) == 3
    assert said[-1] == "3 games that ended were not recorded; the same command plays them again"


@pytest.mark.parametrize("games", [0, 2])
def test_records_on_a_full_disk_end_with_a_whole_line(tmp_path, games):
    (scheduled, _) = round_robin([GAME], ["a", "b"], 1, 1)
    record = ledger_game(Random(1), "a", "b")
    game = PlayedGame(scheduled, record.outcome), record
    file, path = RecordFile(tmp_path / "r.jsonl"), tmp_path / "r.jsonl"
    for _ in range(games):
        file.ended(*game)
    whole = path.read_bytes() if games else b""
    with full_disk(room=len(whole) + 100):
        file.ended(*game)
    assert file.failure.startswith(f"cannot write {path} from game {scheduled.number} on: ")
    assert path.read_bytes() == whole
    file.ended(*game)
    assert path.read_bytes() == whole
    file.finish()


def test_records_are_written_by_one_run_at_a_time(tmp_path):
    """The bug: two runs mixed their games, and on a full disk one cut off those of the other."""
    (scheduled, _) = round_robin([GAME], ["a", "b"], 1, 1)
    record = ledger_game(Random(1), "a", "b")
    game = PlayedGame(scheduled, record.outcome), record
    path = tmp_path / "r.jsonl"
    one, other = RecordFile(path), RecordFile(path)
    one.ended(*game)
    other.ended(*game)
    assert other.failure == (
        f"cannot write {path} from game {scheduled.number} on: another run is writing to it now: "
        "name another file"
    )
    one.finish()
    again = RecordFile(path)
    again.ended(*game)
    again.finish()
    assert again.failure is None
    assert len(path.read_text().splitlines()) == 2


def test_records_that_are_moved_away_go_on_in_a_new_file(tmp_path):
    (scheduled, _) = round_robin([GAME], ["a", "b"], 1, 1)
    record = ledger_game(Random(1), "a", "b")
    path, file = tmp_path / "r.jsonl", RecordFile(tmp_path / "r.jsonl")
    for name in ("first", "second"):
        file.ended(PlayedGame(scheduled, record.outcome), record)
        path.rename(tmp_path / name)
    file.finish()
    assert [(tmp_path / name).read_text().count("\n") for name in ("first", "second")] == [1, 1]


def test_records_may_go_into_a_pipe(tmp_path):
    (scheduled, _) = round_robin([GAME], ["a", "b"], 1, 1)
    record = ledger_game(Random(1), "a", "b")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    file = RecordFile(tmp_path / "pipe")
    for _ in range(2):
        file.ended(PlayedGame(scheduled, record.outcome), record)
    assert file.failure is None
    assert os.read(reader, 1 << 16).count(b"\n") == 2
    os.close(reader)
    file.finish()


@pytest.mark.parametrize("length", [1, 200_000])
def test_a_ledger_on_a_full_disk_is_read(tmp_path, length):
    """Also one of megabytes, when there is no room for temporary files either."""
    path, name = tmp_path / "a.sqlite", "a" * length
    records = {f"{number}": ledger_game(Random(number), name, "b") for number in range(20)}
    with Ledger(path) as ledger:
        for identity, record in records.items():
            ledger.add(identity, record)
    with full_disk(room=0), Ledger(path, read_only=True) as ledger:
        assert ledger.records() == records
        assert ledger.tallies().games == len(records)


@pytest.mark.parametrize("what", ["begin", "enter"])
def test_a_ledger_on_a_full_disk_begins_nothing(tmp_path, what):
    path, name = tmp_path / "a.sqlite", "a" * 200_000
    before, now = (Entrant(name, ("prog",), {}, {"prog": hash_ * 64}) for hash_ in "12")
    with Ledger(path) as ledger:
        ledger.enter([before])
        ledger.add("1", ledger_game(Random(1), name, "b"))
    with Ledger(path) as ledger, full_disk(room=100_000):
        write, value = {
            "begin": (ledger.begin, {**FACTS, "name": name}),
            "enter": (ledger.enter, [now]),
        }[what]
        with pytest.raises(LedgerError, match=" cannot be written: "):
            write(value)
        assert ledger.happenings() == []


def test_a_run_that_cannot_begin_on_a_full_disk_says_so(tmp_path, refusal):
    options = ", ".join(f'note{number} = "{"x" * 60_000}"' for number in range(4))
    path = toml(tmp_path, 1, f"options = {{ {options} }}")
    with full_disk(room=100_000):
        said = refusal("tournament", path)
    assert said.startswith(f"oddly: {path.with_suffix('.sqlite')} cannot be written: ")


def test_a_full_disk_is_said_at_once_and_costs_no_game(tmp_path, oddly, monkeypatch):
    """SQLite itself says that it is full, until somebody makes room."""
    path = toml(tmp_path, 4)
    add, fails = Ledger.add, iter([False, True, True, True])

    def sometimes(self, *values):
        pages = 1 if next(fails, False) else 1 << 30
        self._connection.execute(f"pragma max_page_count = {pages}")
        return add(self, *values)

    monkeypatch.setattr("oddly.tournaments.ledger.store.Ledger.add", sometimes)
    monkeypatch.setattr("oddly.tournaments.run.recording.RETRY_PAUSE", 0.05)
    output, error = oddly("tournament", path, "--json")
    assert len(json.loads(output)["games"]) == 8
    assert f"cannot write {tmp_path / 'long.sqlite'}: database or disk is full: {HELD}" in error
    assert RESUMED in error
    with Ledger(tmp_path / "long.sqlite", read_only=True) as ledger:
        assert len(ledger.records()) == 8
