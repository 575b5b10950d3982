"""Ledgers keep games, once each, for one run at a time, and refuse other files."""

import os
import sqlite3
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from threading import Timer

import pytest

from oddly.games import Colour, create_game
from oddly.referee import GameRecord, Outcome, PlayedTurn, Termination
from oddly.safe_files import BoundedConnection, is_sqlite_file, sqlite_file
from oddly.safe_files.sqlite_file import lock_path, log_beside
from oddly.tournaments import Ledger, LedgerError
from oddly.tournaments.ledger import ledger_file, summaries
from oddly.tournaments.ledger.recorded_event import read_ledger
from oddly.tournaments.ledger.results_file import read_results
from oddly.tournaments.results.counts import statistics_of
from tests.databases import changed
from tests.patience import PATIENCE
from tests.programs import needs
from tests.tournaments.formats.schedules import round_robin

HOSTILE = "=cmd|'<script>\x1b[31m"
WON = GameRecord(
    create_game("odd", 2),
    ("a", HOSTILE),
    ("a 1", "b 2"),
    7,
    (PlayedTurn(Colour.BLACK, "Ba2", 0.25), PlayedTurn(Colour.WHITE, "Wb3", 0.5)),
    Outcome(0, Colour.BLACK, "B+F", Termination.CRASH, "it exited", 2),
)
DRAWN = replace(WON, outcome=replace(WON.outcome, winner=None, termination=Termination.REPETITION))
VOID = replace(WON, outcome=replace(WON.outcome, winner=None, termination=Termination.VOID))
FACTS = {"name": "spring", "format": "round-robin", "seed": 1, "rounds": 1, "games": []}
FACTS["engines"] = {}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "strange % name?.sqlite"


def test_games_come_back_as_they_went_in(path):
    with Ledger(path) as ledger:
        assert ledger.event() is None
        assert ledger.begin(FACTS) == []
        ledger.add("1", WON)
        ledger.add("2", DRAWN)
    assert is_sqlite_file(path)
    for read_only in (False, True):
        with Ledger(path, read_only=read_only) as ledger:
            assert ledger.event() == FACTS
            assert ledger.records() == {"1": WON, "2": DRAWN}
            assert ledger.counts() == {("a", HOSTILE, "first"): 1, ("a", HOSTILE, "draw"): 1}


def test_a_game_counts_once_and_a_void_one_not_at_all(path):
    with Ledger(path) as ledger:
        ledger.add("1", VOID)
        assert ledger.records() == {}
        ledger.add("1", WON)
        ledger.add("1", DRAWN)
        ledger.add("1", VOID)
        assert ledger.records() == {"1": WON}


def test_only_one_run_writes_and_anybody_reads(path):
    with Ledger(path) as ledger:
        ledger.add("1", WON)
        with pytest.raises(LedgerError, match="another run is writing to this ledger now"):
            Ledger(path)
        with Ledger(path, read_only=True) as reader:
            assert reader.records() == {"1": WON}
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.add("2", WON)
    with Ledger(path) as ledger:
        assert ledger.records() == {"1": WON}


def test_a_ledger_is_whole_without_its_log_when_a_run_ends_although_somebody_reads(path):
    """The bug: its last games were only in the log, and a copy of the ledger lacked them."""
    copy = path.with_name("copy.sqlite")
    with Ledger(path) as ledger:
        ledger.add("1", WON)
    with Ledger(path, read_only=True) as reader:
        assert list(reader.records()) == ["1"]
        with Ledger(path) as ledger:
            ledger.add("2", WON)
        assert log_beside(path) is None
        copy.write_bytes(path.read_bytes())
        assert list(reader.records()) == ["1", "2"]
    with Ledger(copy, read_only=True) as ledger:
        assert list(ledger.records()) == ["1", "2"]


def test_a_run_that_ends_waits_for_a_reader_in_the_middle(path, monkeypatch):
    monkeypatch.setattr(sqlite_file, "PATIENCE_WITH_READERS", 60_000)
    with Ledger(path) as ledger, Ledger(path, read_only=True) as reader, ExitStack() as reading:
        ledger.add("1", WON)
        reading.enter_context(reader.at_one_moment())
        assert list(reader.records()) == ["1"]
        ledger.add("2", WON)
        end = Timer(0.01, reading.close)
        end.start()
        ledger.close()
        end.join()
        assert log_beside(path) is None


def interrupted(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("place", "name"), [(ledger_file, "open_to_write"), (BoundedConnection, "merge_log")]
)
def test_a_signal_while_a_ledger_opens_or_closes_leaves_no_lock_file(
    path, monkeypatch, place, name
):
    monkeypatch.setattr(place, name, interrupted)
    with pytest.raises(KeyboardInterrupt), Ledger(path):
        pass
    assert not lock_path(path).exists()


@pytest.mark.parametrize("name", ["_check", "_lacks_a_place"])
def test_a_signal_while_a_ledger_opens_leaves_no_connection(path, monkeypatch, name):
    Ledger(path).__enter__().close()
    opened = []

    def connect(*given):
        opened.append(_connect(*given))
        return opened[-1]

    _connect = ledger_file._connect
    monkeypatch.setattr(ledger_file, "_connect", connect)
    monkeypatch.setattr(ledger_file, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ledger_file.open_to_read(path)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("select 1")


def linked(path):
    """A link to a ledger, in another folder, by way of another link."""
    between, link = path.with_name("between"), path.parent / "links" / "link.sqlite"
    between.symlink_to(path.name)
    link.parent.mkdir()
    link.symlink_to(between)
    return link


@pytest.mark.parametrize("is_new", [True, False])
def test_a_link_to_a_ledger_is_no_way_around_its_lock(path, is_new):
    link = linked(path)
    if not is_new:
        Ledger(path).__exit__(None, None, None)
    for one, other in ((path, link), (link, path)):
        with Ledger(one), pytest.raises(LedgerError, match="another run is writing") as raised:
            Ledger(other)
        assert str(raised.value).startswith(str(other))
    assert [each.name for each in link.parent.iterdir()] == [link.name]


def test_an_event_that_contradicts_its_games_is_refused_and_nothing_changes(path):
    with Ledger(path) as ledger:
        ledger.begin({**FACTS, "seed": 3})
        # Without a game there is nothing that could come to mean something else.
        ledger.begin(FACTS)
        ledger.add("1", WON)
        with pytest.raises(LedgerError, match="the seed changed from 1 to 2"):
            ledger.begin({**FACTS, "seed": 2})
        assert ledger.begin({**FACTS, "rounds": 3}) == ["rounds changed from 1 to 3"]
        assert ledger.event() == {**FACTS, "rounds": 3}


@pytest.mark.parametrize("how", ["played", "is planned", "is idle"])
def test_an_engine_may_leave_before_its_first_game(path, how):
    with Ledger(path) as ledger:
        ledger.begin({**FACTS, "engines": {name: {} for name in ("a", HOSTILE, "c", "d")}})
        ledger.add("1", WON)
        leaves = HOSTILE if how == "played" else "c"
        if how == "is planned":
            ledger.announce(round_robin([create_game("odd", 2)], ["c", "d"], 1, 1)[0])
        left = {name: {} for name in ("a", HOSTILE, "c", "d") if name != leaves}
        if how == "is idle":
            assert ledger.begin({**FACTS, "engines": left}) == ["engine 'c' was removed"]
        else:
            with pytest.raises(LedgerError, match="was removed but has games"):
                ledger.begin({**FACTS, "engines": left})


def refusal(path, *, read_only: bool) -> str:
    with pytest.raises(LedgerError) as raised:
        Ledger(path, read_only=read_only)
    assert str(path) in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("read_only", [True, False])
def test_other_files_are_no_ledgers(path, read_only):
    path.write_text("first,second,winner\n" * 100, encoding="utf-8")
    assert not is_sqlite_file(path)
    assert "is not a ledger: file is not a database" in refusal(path, read_only=read_only)
    path.unlink()
    changed(path, "create table x (y)")
    assert "an SQLite file, but not a ledger" in refusal(path, read_only=read_only)


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("is_large", [False, True], ids=["read through", "too large for that"])
def test_a_truncated_ledger_is_not_taken_for_a_whole_one(path, read_only, is_large, monkeypatch):
    with Ledger(path) as ledger:
        for number in range(50):
            ledger.add(str(number), WON)
    if is_large:
        monkeypatch.setattr(ledger_file, "MAX_CHECKED_BYTES", 1)
    with Ledger(path, read_only=read_only) as ledger:
        assert len(ledger.records()) == 50
    data = path.read_bytes()
    path.write_bytes(data[:-4096] if is_large else data[: len(data) // 2])
    assert "is damaged" in refusal(path, read_only=read_only)


def test_a_page_that_is_damaged_inside_is_found_by_who_reads_it(path, monkeypatch):
    with Ledger(path) as ledger:
        for number in range(200):
            ledger.add(str(number), WON)
    monkeypatch.setattr(ledger_file, "MAX_CHECKED_BYTES", 1)
    data = bytearray(path.read_bytes())
    for page in range(1, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(data)
    with pytest.raises(LedgerError) as raised, Ledger(path, read_only=True) as ledger:
        ledger.counts()
    assert str(raised.value).startswith(f"{path} ")


def test_nothing_is_made_by_reading(path):
    assert "there is no ledger" in refusal(path, read_only=True)
    assert not path.exists()


def in_a_read_only_folder(path, link=None):
    """What `oddly standings` says of a ledger in a folder that nobody can write to.

    The ledger may be named by a link, which lies elsewhere.
    """
    folder = str(path.parent)
    walls = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", folder, folder]
    command = [sys.executable, "-m", "oddly", "standings", str(link or path)]
    done = subprocess.run([*walls, *command], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout + done.stderr


@needs("bubblewrap")
def test_a_ledger_in_a_read_only_folder_is_read(path):
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.add("1", WON)
    status, said = in_a_read_only_folder(path)
    assert (status, "first-player advantage" in said) == (0, True), said
    assert list(path.parent.iterdir()) == [path]


@needs("bubblewrap")
@pytest.mark.parametrize("by_link", [False, True])
def test_a_log_in_a_read_only_folder_is_not_ignored(tmp_path, by_link):
    path, link = tmp_path / "played" / "a.sqlite", tmp_path / "link.sqlite"
    path.parent.mkdir()
    link.symlink_to(path)
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(b"the log of a run that was killed")
    status, said = in_a_read_only_folder(path, link if by_link else path)
    assert status == 2
    assert said.startswith(f"oddly: {link if by_link else path} cannot be read")
    assert f"because {log} beside it has a part of it: copy both into another folder" in said


def test_what_is_written_while_a_read_only_ledger_is_copied_is_not_half_read(path, monkeypatch):
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.add("1", WON)
    monkeypatch.setattr(ledger_file, "_lacks_a_place", lambda _: True)
    with Ledger(path, read_only=True) as ledger:
        assert ledger.records() == {"1": WON}

    def backup(source, copy):
        with Ledger(path) as ledger:
            ledger.add("2", WON)
        sqlite3.Connection.backup(source, copy)

    monkeypatch.setattr(BoundedConnection, "backup", backup)
    assert "was written to while it was read: try again" in refusal(path, read_only=True)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(LedgerError, match="cannot write"):
        Ledger(tmp_path / "missing" / "x.sqlite")


def test_a_damaged_record_is_named(path):
    with Ledger(path) as ledger:
        ledger.add("1", WON)
    changed(path, "update games set record = '{}'")
    with Ledger(path) as ledger, pytest.raises(LedgerError, match="game 1 is not a game record"):
        ledger.records()


OTHERS = {
    "1": WON,
    "2": replace(DRAWN, game=create_game("ayu", 5), opening=1),
    "3": VOID,
    "4": replace(WON, players=(HOSTILE, "a"), outcome=replace(WON.outcome, winner=1, lag=0.5)),
}


def test_deaths_between_games_are_statistics(path):
    identity, record = next((i, r) for i, r in OTHERS.items() if not r.outcome.is_void)
    with Ledger(path) as ledger:
        ledger.add(identity, replace(record, deaths=("", "exited with code 3")))
    with Ledger(path, read_only=True) as ledger:
        (by_name,) = ledger.statistics_by_title().values()
    assert [by_name[name].deaths for name in record.players] == [0, 1]


def test_summaries_agree_with_records(path):
    with Ledger(path) as ledger:
        for identity, record in OTHERS.items():
            ledger.add(identity, record)
        counting = {name: game for name, game in OTHERS.items() if not game.outcome.is_void}
        assert ledger.records() == counting
        played = {game.scheduled.id: game for game in ledger.each_played()}
        assert played.keys() == counting.keys()
        for name, record in counting.items():
            scheduled, outcome = played[name].scheduled, played[name].outcome
            assert (scheduled.first, scheduled.second) == record.players
            assert scheduled.game == record.game
            assert scheduled.opening == tuple(t.turn for t in record.turns[: record.opening])
            assert outcome.winner == record.outcome.winner
            assert outcome.termination is record.outcome.termination
            assert outcome.turns == len(record.turns)
            assert outcome.lag == record.outcome.lag
        for title, statistics_by_name in ledger.tallies().statistics_by_title.items():
            own = [record for record in counting.values() if str(record.game) == title]
            assert statistics_by_name == statistics_of(["a", HOSTILE], own)
        assert ledger.latest(2) == list(counting.items())[-2:]


@pytest.mark.sampled
@pytest.mark.parametrize("read", [read_results, read_ledger])
def test_games_that_end_while_a_ledger_is_read_count_later(path, monkeypatch, read):
    def names():
        found = read(path)
        return set(found.engines if read is read_ledger else found.everything.names)

    def games_end(connection):
        with Ledger(path) as ledger:
            for identity in ("2", "3"):
                ledger.add(identity, replace(OTHERS["2"], players=("c", "d")))
        return repeats(connection)

    repeats = summaries._repeats
    with Ledger(path) as ledger:
        ledger.begin(FACTS)
        ledger.add("1", WON)
    with monkeypatch.context() as patched:
        patched.setattr(summaries, "_repeats", games_end)
        before = names()
    assert names() - before == {"c", "d"}


def test_the_lock_has_the_number_of_the_process_while_it_is_held(tmp_path):
    lock = tmp_path / "a.sqlite-lock"
    with Ledger(tmp_path / "a.sqlite"):
        for _ in range(2):
            assert lock.read_text() == f"{os.getpid()}\n"
            with pytest.raises(LedgerError, match="another run"):
                Ledger(tmp_path / "a.sqlite")
    assert not lock.exists()


def test_a_game_is_summed_up_as_it_was_announced(path):
    (scheduled, _) = round_robin([WON.game], list(WON.players), 1, 1)
    with Ledger(path) as ledger:
        ledger.announce(scheduled)
        ledger.add(scheduled.id, WON, replace(scheduled, number=9))
        assert [game.scheduled.number for game in ledger.all_played()] == [1]


CROWD = """
import sys
from pathlib import Path
from oddly.safe_files.sqlite_file import UnusableFileError, lock, unlock

path, inside = Path(sys.argv[1]), Path(sys.argv[2])
held = 0
while held < 300:
    try:
        file = lock(path)
    except UnusableFileError:
        continue
    inside.touch(exist_ok=False)
    inside.unlink()
    unlock(file)
    held += 1
"""


def test_no_two_processes_hold_a_lock_at_once(tmp_path):
    words = [sys.executable, "-c", CROWD, tmp_path / "a.sqlite", tmp_path / "inside"]
    crowd = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[1] for process in crowd] == ["", "", ""]
    assert list(tmp_path.iterdir()) == []
