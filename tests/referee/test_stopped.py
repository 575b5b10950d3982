"""A referee or an engine that is really stopped, as by a debugger or with a suspended machine.

An engine stops the referee, at exact moments: it stops its parent, and has it go on a second and a
half later. Where an engine is stopped, somebody else is still asking it: a fault, never a crash.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from oddly.games.catalogue import create_game
from oddly.protocol.notation import NO_CLOCK
from oddly.referee.conversation.seat import EngineSeat
from oddly.referee.justice.outcome import EngineFault
from oddly.referee.program.configuration import EngineConfiguration, Limits
from oddly.referee.program.process import EngineProcess
from tests.patience import PATIENCE

GAME = """
import json, sys, trio
from oddly.games.catalogue import create_game
from oddly.referee.match.game import play_game
from tests.referee.fakes import composed

slow = composed(*json.loads(sys.argv[1]), name="slow", time="0.8")
other = composed(name="other", time="60")
record = trio.run(play_game, create_game("odd", 2), (slow, other))
print(json.dumps(record.as_json()))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals have Linux's numbers here")
STOP, GO_ON = [["signal_parent", int(number)] for number in (signal.SIGSTOP, signal.SIGCONT)]
A_WHILE = ["delay", 1.5]


def record_of(*plan: list, code: str = GAME) -> Any:
    """What a program prints of a game in which an engine acts so."""
    command, folder = [sys.executable, "-c", code, json.dumps(plan)], Path(__file__).parents[2]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout)


def test_an_answer_that_lay_in_the_pipe_is_not_ruled_late():
    record = record_of(["ask2", STOP], ["done2", A_WHILE, GO_ON])
    assert record["termination"] == "abandoned"
    assert record["winner"] is None
    assert record["lag"] > 0.5
    assert record["reason"].startswith("the referee stood still for ")


@pytest.mark.sampled
def test_an_engine_that_hangs_loses_on_time_all_the_same():
    record = record_of(["ask2", STOP, A_WHILE, GO_ON, ["delay", 3600]])
    assert (record["termination"], record["winner"]) == ("time", "other")


RUN = """
import json, sys
from oddly.games.catalogue import create_game
from oddly.referee.program.configuration import Isolation
from oddly.tournaments import PlayingSettings, run_match
from tests.referee.fakes import composed

plan = json.loads(sys.argv[1])
engines = [composed(*plan, name="stopping", time="0.8"), composed(name="other", time="60")]
settings = PlayingSettings(concurrency=1, referees=1, isolation=Isolation.NONE)
run = run_match(*engines, create_game("odd", 2), games=1, settings=settings)
print(json.dumps([record.as_json() for record in run.records]))
"""


@pytest.mark.sampled
def test_a_run_with_one_referee_that_an_engine_stops_for_good_goes_on():
    (record,) = record_of(["ask2", STOP, ["delay", 3600]], code=RUN)
    assert (record["termination"], record["winner"]) == ("time", "other")
    assert record["lag"] > 1


COMMAND = (sys.executable, "-m", "oddly", "engine", "uct", "--plain", "true")
YODD = create_game("yodd", 3)


async def analysis_stopped_after(pieces: int, grace: float = 2.0) -> tuple[int, str]:
    """Stop an engine when so many pieces have passed; return how many lines came, and the fault."""
    passed, lines, reason = 0, 0, ""
    async with trio.open_nursery() as nursery:

        def on_piece(direction: str, data: bytes, at: float) -> None:
            nonlocal passed
            passed += direction != "!"
            if passed == pieces:
                nursery.start_soon(seat.stop)

        uct = EngineConfiguration("uct", COMMAND, NO_CLOCK)
        seat = EngineSeat(uct, nursery, limits=Limits(grace=grace), wire=on_piece)
        try:
            async with seat.analyze(YODD.start(), [], 0.02) as stream:
                async for _ in stream:
                    lines += 1
        except EngineFault as fault:
            reason = fault.reason
    return lines, reason


@pytest.mark.sampled
async def test_it_may_be_stopped_between_any_two_pieces_of_its_conversation():
    lines, reasons = 0, []
    while lines < 2:
        lines, reason = await analysis_stopped_after(len(reasons) + 1)
        reasons.append(reason)
    # An engine may have begun its analysis before it learns that it is to stop.
    assert set(reasons) <= {"it was stopped", ""}
    assert reasons[0] == "it was stopped"
    assert len(reasons) > 5


async def test_it_may_be_stopped_before_the_system_has_started_it():
    assert await analysis_stopped_after(1, grace=0.0) == (0, "it was stopped")


@pytest.mark.skipif(sys.platform != "linux", reason="opens the pipe of another process in /proc")
async def test_who_waits_for_a_stopped_engine_learns_it_though_a_stranger_holds_its_output_open():
    engine = "import sys, time; print(flush=True); time.sleep(3600)"
    process = EngineProcess.start((sys.executable, "-c", engine), 100)
    heard = [await process.receive()]
    with trio.fail_after(PATIENCE), Path(f"/proc/{process.pid}/fd/1").open("wb"):
        async with trio.open_nursery() as nursery:

            async def hear() -> None:
                heard.append(await process.receive())

            nursery.start_soon(hear)
            await trio.testing.wait_all_tasks_blocked()
            await process.stop(0.1)
    assert heard == [b"\n", b""]


async def test_a_stopped_engine_takes_and_gives_nothing():
    process = EngineProcess.start(COMMAND, 100)
    await process.stop(5.0, b"quit\n")
    with pytest.raises(BrokenPipeError):
        process.send_nowait(b"name\n")
    with pytest.raises(BrokenPipeError):
        await process.send(b"name\n")
    await process.wait_for_room()
    assert process.receive_nowait() == b""
    assert await process.receive() == b""
    assert process.has_exited()
    assert await process.how_it_ended(0.1) == "exited with code 0"
    await process.rest()
    await process.stop(5.0)


async def test_a_writer_that_waits_for_room_learns_that_the_engine_is_stopped():
    deaf = (sys.executable, "-c", "import time; time.sleep(60)")
    process = EngineProcess.start(deaf, 100)
    async with trio.open_nursery() as nursery:

        async def write() -> None:
            with pytest.raises(BrokenPipeError):
                await process.send(b"name\n" * 100_000)

        nursery.start_soon(write)
        await trio.testing.wait_all_tasks_blocked()
        await process.stop(0.1)
