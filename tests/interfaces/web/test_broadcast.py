"""What the page shows of a tournament's ledger and feed, and whether it says that it is running.

The page learns that from locks, and without them from processes.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing
from playwright.sync_api import expect

from oddly.games import create_game
from oddly.interfaces.web import broadcast
from oddly.interfaces.web.broadcast import Broadcast, is_held
from oddly.interfaces.web.websockets import Outbox
from oddly.protocol import TurnEvaluation
from oddly.safe_files.sqlite_file import lock, lock_path, unlock
from oddly.tournaments.ledger.arbiter import rule
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.results.schedule import ScheduledGame
from oddly.tournaments.run.live_feed import FeedWriter
from tests.databases import changed
from tests.interfaces.made_up_events import RANDOM, write_tournament
from tests.interfaces.report.events import make_ledger
from tests.interfaces.web.serving import THINKER, serving, wait_until
from tests.interfaces.web.test_lobby import Looker
from tests.patience import PATIENCE
from tests.programs import needs
from tests.tournaments.run.test_feed import turned


@asynccontextmanager
async def followed(path):
    """A room that follows a ledger, and a browser that looks on."""
    room = Broadcast(path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.follow)
        yield room, Looker(room)
        nursery.cancel_scope.cancel()


def played(tmp_path):
    """The ledger of a tournament that has been played."""
    path = tmp_path / "small.toml"
    boards = [("odd", 2), ("ayu", 3)]
    write_tournament(path, boards, name="<b>small</b>", one=RANDOM, two=RANDOM)
    words = [sys.executable, "-m", "oddly", "tournament", str(path)]
    subprocess.run(words, check=True, capture_output=True)
    return path.with_suffix(".sqlite")


@pytest.mark.sampled
async def test_standings_running_boards_and_replays(tmp_path):
    path = await trio.to_thread.run_sync(played, tmp_path)
    with Ledger(path, read_only=True) as ledger:
        records = ledger.records()
        (scheduled, *_) = ledger.scheduled()
    async with followed(path) as (room, looker):
        event = await looker.hears("event", lambda view: view["played"] == 4)
        assert (event["name"], event["games"], event["running"]) == ("<b>small</b>", 4, False)
        titles = [table["title"] for table in event["tables"]]
        assert titles[-1] == "all games"
        assert sum(row["points"] for row in event["tables"][-1]["standings"]) == 4
        # The list tells the score of each game, and who won it.
        assert {game["id"]: (game["score"], game["winner"]) for game in event["ended"]} == {
            name: (record.outcome.score, record.outcome.winner) for name, record in records.items()
        }
        assert all(game["score"] for game in event["ended"])

        for name, record in records.items():
            shown = await room.game(name)
            assert (shown.state, shown.record) == ("over", record)
            replay = shown.as_json()
            assert replay["turns"] == [played.turn for played in record.turns]
            assert replay["seconds"] == [round(played.seconds, 3) for played in record.turns]
            assert replay["score"] == record.outcome.score
        assert await room.game("nobody") is None
        assert room.has(name)
        assert not room.has("nobody")

        writer = FeedWriter(path)
        held = lock(path)
        running = ScheduledGame(9, scheduled.game, 0, "one", "two", 0, "now", ("Bb2",))
        writer.began(running)
        view = await looker.hears("running", lambda view: view["games"])
        assert view["games"][0]["stones"] == "...X..."
        one = Outbox()
        room.follow_game(one, "now")
        writer.turned(*turned(running, "Wa2", expects=TurnEvaluation(0.25)))
        view = await looker.hears("running", lambda view: view["games"][0]["turn"] == 2)
        assert view["games"][0]["stones"] == "..OX..."
        assert view["games"][0]["last"] == "Wa2"
        assert view["games"][0]["clocks"] == [9.0, 8.5]
        assert view["games"][0]["expects"] == [None, 0.25]
        (heard,) = [each for text in await one.get() if "turns" in (each := json.loads(text))]
        assert (heard["state"], heard["turns"]) == ("running", ["Bb2", "Wa2"])
        assert len(heard["counts"]) == len(heard["leads"]) == 3
        shown = await room.game("now")
        assert (shown.state, len(shown.positions)) == ("running", 3)
        dead = subprocess.Popen([sys.executable, "-c", ""])
        dead.wait()
        unlock(held)
        path.with_name("small.sqlite-lock").write_text(str(dead.pid))
        await looker.hears("running", lambda view: not view["games"])
        assert [json.loads(text) for text in await one.get()] == [{"kind": "ended"}]
        held = lock(path)
        await looker.hears("running", lambda view: view["games"])
        writer.finish()
        await looker.hears("running", lambda view: not view["games"])

        with Ledger(path, beside_run=True) as ledger:
            (given,) = rule(ledger, "retire", ["one"], "<i>too weak</i>")
        event = await looker.hears("event", lambda view: view["rulings"])
        assert event["rulings"] == [given.sentence()]
        unlock(held)

        path.unlink()
        event = await looker.hears("event", lambda view: view["problem"])
        assert event["problem"].startswith("there is no ledger")
        assert event["played"] == 4


async def test_a_game_that_is_played_again_is_shown_from_its_start(tmp_path):
    path, odd = tmp_path / "event.sqlite", create_game("odd", 2)
    make_ledger(path, ["one", "two"], games=[odd])
    held, writer = lock(path), FeedWriter(path)
    game = ScheduledGame(9, odd, 0, "one", "two", 0, "now", ("Bb2",))
    writer.began(game)
    writer.turned(*turned(game, "Wa2"))
    async with followed(path) as (room, looker):
        await looker.hears("running", lambda view: view["games"])
        # The page hears of both at once, when the new game is as long as the old one.
        writer.began_again(game)
        writer.turned(*turned(game, "Wb3"))
        view = await looker.hears("running", lambda view: view["games"][0]["last"] != "Wa2")
        assert (view["games"][0]["last"], view["games"][0]["turn"]) == ("Wb3", 2)
        shown = await room.game("now")
        assert [played.turn for played in shown.record.turns] == ["Bb2", "Wb3"]
        writer.finish()
        await looker.hears("running", lambda view: not view["games"])
    unlock(held)


async def test_without_a_ledger_there_is_nothing_to_watch():
    room = Broadcast(None)
    await room.follow()
    view = await Looker(room).hears("event", lambda view: view["none"])
    assert view == {"kind": "event", "none": True}


@pytest.mark.parametrize(
    "facts",
    [
        "[]",
        "{}",
        '{"name": 1, "format": [], "engines": {}, "games": [], "rounds": 1}',
        '{"name": "x", "format": "sprt", "engines": {"a": 1}, "games": ["yodd 3"], "rounds": 1}',
    ],
)
async def test_a_ledger_that_is_damaged_is_told_of(tmp_path, facts):
    path = tmp_path / "odd.sqlite"
    with Ledger(path):
        pass
    changed(path, "insert into event values (?)", facts)
    async with followed(path) as (_, looker):
        await looker.hears("event", lambda view: view["problem"] or view["name"])


async def test_the_first_page_waits_for_the_first_look_at_the_ledger(tmp_path, monkeypatch):
    path = tmp_path / "event.sqlite"
    make_ledger(path, ["one", "two"], games=[create_game("yodd", 3)])
    allowed, read = threading.Event(), broadcast._ledger_view

    def when_allowed(*words):
        allowed.wait(PATIENCE)
        return read(*words)

    monkeypatch.setattr(broadcast, "_ledger_view", when_allowed)
    monkeypatch.setattr(broadcast, "FIRST_READING", 10 * PATIENCE)
    room, seen = Broadcast(path), []

    async def page():
        await room.first_reading()
        seen.append(room.event["tables"])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.follow)
        nursery.start_soon(page)
        await trio.testing.wait_all_tasks_blocked()
        assert seen == []
        allowed.set()
        await room.first_reading()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert [table["title"] for table in seen[0]] == ["yodd 3"]


async def test_a_page_waits_no_longer_for_the_ledger_than_it_says(tmp_path, autojump_clock):
    room = Broadcast(tmp_path / "event.sqlite")
    await room.first_reading()
    assert trio.current_time() == broadcast.FIRST_READING
    room.archive.close()


@needs("chromium")
@pytest.mark.sampled
def test_a_running_tournament_is_watched_turn_by_turn_and_replayed(page, tmp_path):
    toml, slow = tmp_path / "live.toml", (sys.executable, THINKER)
    write_tournament(toml, [("yodd", 3)], 20, name="live <i>now</i>", slow=slow, random=RANDOM)
    words = [sys.executable, "-m", "oddly", "tournament", str(toml)]
    quiet = subprocess.DEVNULL
    tournament = subprocess.Popen(words, stdout=quiet, stderr=quiet)
    try:
        for name in ("live.sqlite", "live.sqlite-live"):
            wait_until((tmp_path / name).exists)
        with serving(tmp_path, tmp_path / "live.sqlite") as server:
            # The old address of the tournament leads to the new one.
            page.goto(f"{server.origin}/#watch")
            expect(page.locator("h1")).to_have_text("live <i>now</i>")
            assert page.url == f"{server.origin}/watch"
            card = page.locator(".boards .card").first
            expect(card).to_be_visible()
            expect(card.locator(".clock").first).not_to_be_empty()
            before = card.get_attribute("data-turn")
            wait_until(lambda: card.get_attribute("data-turn") != before, "a turn")
            expect(page.locator("a.ended").first).to_be_visible()
            tournament.send_signal(signal.SIGINT)
            tournament.wait(PATIENCE)
            expect(page.locator(".boards .card")).to_have_count(0)
            expect(page.locator(".heading .note")).to_have_text(
                re.compile(r"^\d+ of 40 games played, (not running|finished)$")
            )
            page.locator("a.ended").first.click()
            expect(page.locator("input[type=range]")).to_be_visible()
            expect(page.locator(".state-line")).to_contain_text(" wins: ")
            page.get_by_label("To the start").click()
            expect(page.locator(".said-of-turn")).to_have_text("The start.")
            expect(page).to_have_url(re.compile(r"\?turn=0$"))
            page.get_by_label("One turn on").click()
            expect(page.locator(".said-of-turn")).to_contain_text("Turn 1 of ")
            expect(page.locator("svg .piece")).to_have_count(1)
    finally:
        if tournament.poll() is None:
            tournament.kill()
        tournament.wait()


HOLDER = """
import sys, time
from pathlib import Path
from oddly.safe_files.sqlite_file import lock

held = lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(1000)
"""
LOCKS_ELSEWHERE = """
import fcntl, sys

with open(sys.argv[1], "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    input()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "event.sqlite"


@pytest.fixture
def other(tmp_path):
    """A process that holds a lock of another file."""
    words = [sys.executable, "-c", LOCKS_ELSEWHERE, str(tmp_path / "other")]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def long_ago(path, text):
    """Leave the lock file that a run of an hour ago left when it was killed."""
    file = lock_path(path)
    file.write_text(text)
    then = file.stat().st_mtime - 3600
    os.utime(file, (then, then))


needs_processes = pytest.mark.skipif(
    not broadcast.PROCESSES.joinpath("self", "stat").exists(),
    reason="only Linux says when a process began",
)


def test_a_killed_run_is_over(path):
    words = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "held\n"
        assert is_held(path)
        run.kill()
    assert lock_path(path).read_text() == f"{run.pid}\n"
    assert not is_held(path)


@needs_processes
def test_a_killed_run_whose_number_another_process_has_is_over(path, other):
    """The bug: a page said that the tournament was running if the other held any lock."""
    for number in (other.pid, os.getpid()):
        long_ago(path, f"{number}\n")
        assert not is_held(path)


@needs_processes
def test_a_run_without_a_lock_is_on_while_its_process_lives(path, other):
    """The bug: on a file system without locks, it was said not to run."""
    lock_path(path).write_text(f"{other.pid}\n")
    assert is_held(path)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not is_held(path)
    other.wait()
    assert not is_held(path)


def test_a_lock_that_is_listed_tells_more_than_clocks(path, tmp_path, monkeypatch):
    """A clock may have been set while the run went on."""
    monkeypatch.setattr(broadcast, "LOCKS", tmp_path / "locks")
    long_ago(path, f"{os.getpid()}\n")
    monkeypatch.setattr(broadcast, "_beginning", lambda number: float("inf"))
    file = lock_path(path).stat().st_ino
    for number, inode, held in (
        (os.getpid(), file, True),
        (os.getpid(), file + 1, False),
        (os.getpid() + 1, file, False),
    ):
        listed = f"1: FLOCK  ADVISORY  WRITE {number} fe:00:{inode} 0 EOF\n"
        (tmp_path / "locks").write_text(listed)
        assert is_held(path) == held


@pytest.mark.parametrize(
    ("error", "expected"), [(None, True), (PermissionError, True), (ProcessLookupError, False)]
)
def test_where_nothing_is_listed_a_run_is_on_while_its_process_lives(
    path, tmp_path, monkeypatch, error, expected
):
    """The bug: a process of another user was taken for none."""

    def kill(number, given):
        assert (number, given) == (17, 0)
        if error is not None:
            raise error

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(broadcast, "LOCKS", tmp_path / "none")
    monkeypatch.setattr(broadcast, "PROCESSES", tmp_path)
    for text, held in (("17\n", expected), ("", False), ("-17", False), ("x", False)):
        lock_path(path).write_text(text)
        assert is_held(path) == held


def test_a_run_is_on_whatever_links_name_its_ledger(path, tmp_path):
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    for one, other in ((path, link), (link, path)):
        held = lock(one)
        assert is_held(other)
        unlock(held)
        assert not is_held(other)
