"""The engines of a game on the page, and what compiles for them."""

import os
import signal
import subprocess
import sys
import time

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from oddly.games import PASS, create_game
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.web import game_request
from oddly.interfaces.web.game_request import GameEngines, WarmingUp
from tests.interfaces.web.test_lobby import visit
from tests.patience import PATIENCE
from tests.processes import running
from tests.source import ROOT

GRACE = 2.0


class StubbornSeat:
    """A seat whose engine exits only when its grace is over."""

    async def follow(self, game, turns):
        return

    async def stop(self):
        await trio.sleep(GRACE)


@pytest.mark.parametrize("how", ["rest", "stop"])
async def test_two_stubborn_engines_of_a_game_are_stopped_at_the_same_time(
    how, monkeypatch, autojump_clock
):
    monkeypatch.setattr(game_request, "seat_for", lambda *_: StubbornSeat())
    engines = GameEngines(dict.fromkeys((0, 1)))
    async with trio.open_nursery() as nursery:
        engines.begin(nursery, GameInProgress.of(create_game("yodd", 2)))
    began = trio.current_time()
    await getattr(engines, how)()
    assert trio.current_time() - began == pytest.approx(GRACE)


class AskedSeat:
    """A seat whose engine passes when it is told to."""

    engine_text = ""
    turn_evaluation = None
    is_running = False

    def __init__(self):
        self.answers = trio.Event()

    async def follow(self, game, turns):
        return

    async def choose(self, position, turns):
        await self.answers.wait()
        return PASS, 1.0

    async def stop(self):
        return


async def test_an_answer_in_the_instant_of_an_undo_is_not_played(tmp_path, monkeypatch):
    seat = AskedSeat()
    monkeypatch.setattr(game_request, "seat_for", lambda *_: seat)
    async with visit(tmp_path, "human", "good") as visitor:
        visitor.plays("b2")
        await wait_all_tasks_blocked()
        seat.answers.set()
        visitor.do("undo")
        await wait_all_tasks_blocked()
        assert visitor.game.record().turns == ()
        visitor.plays("a2")
        assert (await visitor.sees(turns=2))["turns"] == ["Ba2", "pass"]


async def test_each_game_is_named_while_it_is_compiled_for(monkeypatch):
    seen = []
    warming = WarmingUp(["yodd", "ayu"])

    async def compile_(command):
        seen.append((warming.now, command[-4:]))

    monkeypatch.setattr(game_request, "_compile", compile_)
    await warming.run()
    assert seen == [
        ("Yodd", ("--engine", "rave", "--game", "yodd")),
        ("Ayu", ("--engine", "rave", "--game", "ayu")),
    ]
    assert warming.now == ""


SERVER = """
import trio
from oddly.interfaces.serving.http_server import await_signals
from oddly.interfaces.web.game_request import WarmingUp

async def main():
    stop = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(await_signals, stop)
        nursery.start_soon(WarmingUp(["yodd"]).run)
        await stop.wait()
        SIGNALLED

trio.run(main)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found on Linux only")
@pytest.mark.parametrize(
    ("signals", "then", "code"),
    [(1, "nursery.cancel_scope.cancel()", 0), (2, "await trio.sleep_forever()", 1)],
)
def test_what_a_server_compiles_ends_with_it(signals, then, code, tmp_path):
    """The bug: after two signals `oddly warm` compiled on, and after one its helpers did."""
    mark = f"3500.{os.getpid()}"
    compiler = tmp_path / "oddly"
    compiler.write_text(f"#!/bin/sh\nsleep {mark} &\nexec sleep {mark}\n", encoding="utf-8")
    compiler.chmod(0o755)
    words = [sys.executable, "-c", SERVER.replace("SIGNALLED", then)]
    path = os.pathsep.join((str(tmp_path), os.environ["PATH"]))
    with subprocess.Popen(words, cwd=ROOT, env={**os.environ, "PATH": path}) as server:
        while len(running("sleep", mark)) < 2 and server.poll() is None:
            time.sleep(0.01)
        for number in (signal.SIGINT, signal.SIGTERM)[:signals]:
            server.send_signal(number)
        assert server.wait(PATIENCE) == code
    assert running("sleep", mark) == set()
