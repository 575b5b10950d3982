"""What the page shows of a tournament's ledger and feed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys

import pytest
import trio

from oddly.interfaces.web.broadcast import Broadcast
from oddly.interfaces.web.websockets import Outbox
from oddly.tournaments.ledger.arbiter import rule
from oddly.tournaments.ledger.store import Ledger
from oddly.tournaments.results.schedule import ScheduledGame
from oddly.tournaments.run.feed import FeedWriter
from tests.patience import PATIENCE
from tests.tournaments.ledger.test_feed import turned

TOML = """\
[tournament]
name = "<b>small</b>"
rounds = 1
concurrency = 1

[[game]]
game = "odd"
size = 2

[[game]]
game = "ayu"
size = 3

[[engine]]
name = "one"
command = ["{python}", "-m", "oddly", "engine", "random"]

[[engine]]
name = "two"
command = ["{python}", "-m", "oddly", "engine", "random"]
"""


class Looker:
    """A browser without a screen."""

    def __init__(self, room):
        self.outbox = Outbox()
        self.views = {}
        room.join(self.outbox)

    async def sees(self, kind, true):
        with trio.fail_after(PATIENCE):
            while kind not in self.views or not true(self.views[kind]):
                for text in await self.outbox.get():
                    view = json.loads(text)
                    self.views[view["kind"]] = view
        return self.views[kind]


def played(tmp_path):
    """The ledger of a tournament that has been played."""
    path = tmp_path / "small.toml"
    path.write_text(TOML.replace("{python}", sys.executable))
    subprocess.run(
        [sys.executable, "-m", "oddly", "tournament", str(path)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return tmp_path / "small.sqlite"


async def test_standings_running_boards_and_replays(tmp_path):
    path = await trio.to_thread.run_sync(played, tmp_path)
    with Ledger(path, read_only=True) as ledger:
        records = ledger.records()
        (scheduled, *_) = ledger.scheduled()
    room = Broadcast(path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.follow)
        looker = Looker(room)
        event = await looker.sees("event", lambda view: view["played"] == 4)
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
            replay = room.replay(name)
            assert replay["turns"] == [played.turn for played in record.turns]
            assert replay["seconds"] == [round(played.seconds, 3) for played in record.turns]
            assert replay["score"] == record.outcome.score
        assert room.replay("nobody") is None

        writer = FeedWriter(path)
        lock = path.with_name("small.sqlite-lock")
        lock.write_text(str(os.getpid()))
        running = ScheduledGame(9, scheduled.game, 0, "one", "two", 0, "now", ("Bb2",))
        writer.began(running)
        view = await looker.sees("running", lambda view: view["games"])
        assert view["games"][0]["stones"] == "...X..."
        writer.turned(*turned(running, "Wa2"))
        view = await looker.sees("running", lambda view: view["games"][0]["turn"] == 2)
        assert view["games"][0]["stones"] == "..OX..."
        assert view["games"][0]["last"] == "Wa2"
        lock.write_text(str(dead_process()))
        await looker.sees("running", lambda view: not view["games"])
        lock.write_text(str(os.getpid()))
        await looker.sees("running", lambda view: view["games"])
        writer.finish()
        await looker.sees("running", lambda view: not view["games"])

        with Ledger(path, beside_run=True) as ledger:
            (given,) = rule(ledger, "retire", ["one"], "<i>too weak</i>")
        event = await looker.sees("event", lambda view: view["rulings"])
        assert event["rulings"] == [given.sentence()]

        path.unlink()
        event = await looker.sees("event", lambda view: view["problem"])
        assert event["problem"].startswith("there is no ledger")
        assert event["played"] == 4
        nursery.cancel_scope.cancel()


def dead_process():
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


async def test_without_a_ledger_there_is_nothing_to_watch():
    room = Broadcast(None)
    await room.follow()
    view = await Looker(room).sees("event", lambda view: view["none"])
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
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("insert into event values (?)", (facts,))
    connection.close()
    room = Broadcast(path)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.follow)
        looker = Looker(room)
        await looker.sees("event", lambda view: view["problem"] or view["name"])
        nursery.cancel_scope.cancel()
