"""A referee that is really stopped, as by a debugger or with a machine that is suspended.

The engine does it, at exact moments: it stops its parent, and has it go on a second and a half
later.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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
