"""What is written every night: all that counts, once, whole, and readable by our own commands."""

import csv
import gzip
import hashlib
import json
import os
import random
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest
import trio

from oddly.game_records.line_formats import read_json_lines
from oddly.interfaces.arena.pages import downloads
from oddly.interfaces.arena.pages.downloads import LIST, NightlyFiles, read_list
from oddly.tournaments import Ledger, rule
from oddly.tournaments.ledger.ledger_file import utc_now
from tests.interfaces.arena.made_up import random_games
from tests.interfaces.arena.test_profiles import EVENT, NAMES, add

NOW = "2099-01-02T00:00:00"
LADDERS = {"pool": "rank,engine\n1,ann 1\n"}
RATINGS = [("pool", "=ann", "2026-01-01T10", 12.5, 50.0, 3),
           ("pool", 'b"b', "2026-01-01T11", -1, 9, 4),
           ("pool", "=ann", "2099-01-02T01", 99.0, 50.0, 3),  # the clock was ahead
           ("other", "dan", "2026-01-01T10", 1.0, 2.0, 3)]  # fmt: skip
LATER = {"later": random_games(NAMES, 1, random.Random(9))["game-0"]}


@pytest.fixture
def records():
    return random_games(NAMES, 30, random.Random(8))


@pytest.fixture
def ledger(tmp_path, records):
    with Ledger(tmp_path / "pool.sqlite") as ledger:
        ledger.begin(EVENT)
        add(ledger, records)
        yield ledger


@pytest.fixture
def files(tmp_path, ledger):
    path = tmp_path / "arena.db"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("create table ratings (pool, engine, hour, elo, error, games)")
        file.executemany("insert into ratings values (?,?,?,?,?,?)", RATINGS)
    return NightlyFiles(
        tmp_path / "downloads", {"pool": ledger.path}, lambda: sqlite3.connect(path)
    )


def games_in(files, downloads):
    """The lines of all files of games."""
    found = []
    for each in downloads:
        if each.month:
            text = gzip.decompress((files.folder / each.name).read_bytes()).decode()
            found += [json.loads(line) for line in text.splitlines()]
    return found


def test_all_games_that_count_are_there_once(files, records, tmp_path):
    downloads = files.write(LADDERS, NOW)
    lines = games_in(files, downloads)
    assert [line["id"] for line in lines] == [*records]
    for line in lines:
        assert line.pop("pool") == "pool"
        assert line.pop("finished") < NOW
        assert line == json.loads(json.dumps(records[line.pop("id")].as_json()))
    (games,) = (each for each in downloads if each.month)
    with gzip.open(files.folder / games.name, "rb") as stream:
        read = [game.record.players for game in read_json_lines(stream)]
    assert read == [record.players for record in records.values()]


def test_the_list_says_what_lies_there(files):
    downloads = files.write(LADDERS, NOW)
    assert read_list(files.folder) == downloads
    assert {path.name for path in files.folder.iterdir()} == {LIST, *(d.name for d in downloads)}
    for each in downloads:
        data = (files.folder / each.name).read_bytes()
        assert (each.size, each.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_ratings_are_those_of_the_pool_and_no_formulas(files):
    files.write(LADDERS, NOW)
    assert (files.folder / "pool-ratings.csv").read_text() == LADDERS["pool"]
    text = (files.folder / "pool-ratings-by-hour.csv").read_text()
    rows = list(csv.reader(text.splitlines()))
    assert rows[0] == ["engine", "hour", "elo", "error_95", "games"]
    assert [row[1:] for row in rows[1:]] == [
        ["2026-01-01T10", "12.5", "50.0", "3"], ["2026-01-01T11", "-1", "9", "4"],
    ]  # fmt: skip
    assert rows[1][0] == "'=ann"
    assert rows[2][0] == 'b"b'


def test_a_month_that_is_over_is_written_again_only_after_a_ruling(files, ledger, records):
    (before,) = (each for each in files.write(LADDERS, NOW) if each.month)
    (again,) = (each for each in files.write(LADDERS, "2099-01-03T00:00:00") if each.month)
    assert again == before
    rule(ledger, "annul", ["game-7"], "a test")
    downloads = files.write(LADDERS, "2099-01-04T00:00:00")
    assert [line["id"] for line in games_in(files, downloads)] == [
        identity for identity in records if identity != "game-7"
    ]


def test_a_month_that_lasts_is_written_every_time(files, ledger):
    now = utc_now()
    files.write(LADDERS, now)
    add(ledger, LATER)
    assert games_in(files, files.write(LADDERS, now))[-1]["id"] == "later"


def test_a_month_with_more_games_than_before_is_written_again(files, ledger):
    files.write(LADDERS, NOW)
    add(ledger, LATER)
    assert games_in(files, files.write(LADDERS, "2099-01-03T00:00:00"))[-1]["id"] == "later"


async def test_a_clock_that_was_ahead_stops_no_downloads(
    files, ledger, monkeypatch, nursery, autojump_clock
):
    """The bug: nothing was written until that day came, and games were missing for ever."""
    files.write(LADDERS, NOW)
    add(ledger, LATER)
    monkeypatch.setattr(downloads, "ratings_csv", str)
    site = SimpleNamespace(arena=SimpleNamespace(pools=["pool"]), ladder=LADDERS.get)
    nursery.start_soon(downloads.Downloads(site, files).keep_writing)
    while any(each.written == NOW for each in read_list(files.folder)):
        await trio.sleep(1.0)
    assert games_in(files, read_list(files.folder))[-1]["id"] == "later"
    assert max(each.written for each in read_list(files.folder)) <= utc_now()


def test_what_fails_leaves_the_files_of_before(files, monkeypatch):
    files.write(LADDERS, NOW)
    before = {path.name: path.read_bytes() for path in files.folder.iterdir()}

    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write({"pool": "other"}, "2099-02-01T00:00:00")
    assert {path.name: path.read_bytes() for path in files.folder.iterdir()} == before


def disagreeing(files):
    """The listed files that are not as the list says, or that are not served."""
    return [
        each.name
        for each in read_list(files.folder)
        if hashlib.sha256((files.folder / each.name).read_bytes()).hexdigest() != each.sha256
        or files.listed.get(each.name) != each
    ]


class Disk:
    """What the list says of the files whenever one is about to be there; full at a number."""

    def __init__(self, files):
        self.files, self.found, self.full_at = files, [], 0
        self.write = os.fsync

    def fsync(self, descriptor):
        self.found.append(disagreeing(self.files))
        if len(self.found) == self.full_at:
            raise OSError(28, "No space left on device")
        self.write(descriptor)


@pytest.fixture
def disk(files, ledger, monkeypatch):
    """A disk on which two pools have their files: two tables, and then the list, for each."""
    files._ledgers = {"pool": ledger.path, "other": ledger.path}
    files.write({"pool": "old", "other": "old"}, NOW)
    disk = Disk(files)
    monkeypatch.setattr("os.fsync", disk.fsync)
    return disk


def test_the_list_agrees_with_the_files_while_they_are_written(files, disk):
    """The bug: the sums were wrong until the files of all pools were there."""
    files.write({"pool": "new", "other": "new"}, "2099-02-01T00:00:00")
    assert disk.found == [[]] * 6
    assert disagreeing(files) == []


@pytest.mark.sampled
@pytest.mark.parametrize("number", range(1, 7))
def test_the_list_agrees_with_the_files_after_a_failure(files, disk, number):
    disk.full_at = number
    with pytest.raises(OSError, match="No space left"):
        files.write({"pool": "new", "other": "new"}, "2099-02-01T00:00:00")
    assert disagreeing(files) == []
    assert not list(files.folder.glob(".*"))
    tables = [(files.folder / f"{pool}-ratings.csv").read_text() for pool in files._ledgers]
    assert tables == ["new" if number > 3 else "old", "old"]


async def test_what_failed_for_one_pool_is_tried_again(
    files, ledger, monkeypatch, nursery, autojump_clock
):
    files._ledgers = {"pool": ledger.path, "other": ledger.path.with_name("none")}
    monkeypatch.setattr(downloads, "ratings_csv", str)
    site = SimpleNamespace(arena=SimpleNamespace(pools=["pool", "other"]), ladder=str)
    served = downloads.Downloads(site, files)
    nursery.start_soon(served.keep_writing)
    while not served._files.listed:
        await trio.sleep(1.0)
    assert {each.pool for each in served._files.listed.values()} == {"pool"}
    files._ledgers["other"] = ledger.path
    while len({each.pool for each in served._files.listed.values()}) < 2:
        await trio.sleep(60.0)


@pytest.mark.parametrize("text", ["", "[]", "{", '[{"name": 1}]', '{"a": 1}', "null"])
def test_a_list_that_cannot_be_read_is_none(tmp_path, text):
    (tmp_path / LIST).write_text(text)
    assert read_list(tmp_path) == []
