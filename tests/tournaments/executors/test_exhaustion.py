"""A machine that runs out of something costs no engine a game."""

import json
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import PYTHON
from tests.tournaments.toml.written import tournament_file

ROOT = Path(__file__).parents[3]

SCRIPT = """
import json, resource, sys
import trio
from oddly.games.catalogue import create_game
from tests.referee.fakes import composed
from oddly.tournaments.executors import conditions as room
from oddly.tournaments.executors import executor
from oddly.tournaments.run.control import Control
from oddly.tournaments.formats.plan import FixedPlan
from oddly.tournaments.run.runner import run_plan
from tests.tournaments.formats.schedules import alternating

if sys.argv[1] == "uncounted":
    room.games_that_fit = lambda *_: None
said = []
control = Control(8)
control.listen(said.append)
conditions = executor.Conditions(8, say=control.say)
configurations = {name: composed(name=name) for name in "ab"}
plan = FixedPlan(alternating(create_game("odd", 2), ("a", "b"), 12, 1))
resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))
opening = executor.local_executor(configurations, conditions)
run = trio.run(run_plan, plan, opening, (), control)
print(json.dumps({
    "ends": [game.outcome.termination.value for game in run.played],
    "said": said,
    "abandoned": [reason for record in run.records for reason in record.abandoned],
}))
"""


def run_with_few_descriptors(how: str) -> dict:
    """What came of twelve games, eight at once, with 24 descriptors."""
    command = [sys.executable, "-c", SCRIPT, how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_fewer_games_at_once_are_played_if_the_descriptors_suffice_for_no_more():
    found = run_with_few_descriptors("counted")
    assert found["ends"] == ["board full"] * 12
    assert found["abandoned"] == []
    (said,) = found["said"]
    assert said.startswith("games at once: 1, not 8, since each needs 11 descriptors and ")


@pytest.mark.skipif(sys.platform != "linux", reason="counts what a start needs on Linux")
def test_a_game_that_the_machine_could_not_carry_through_is_played_again():
    found = run_with_few_descriptors("uncounted")
    assert found["ends"] == ["board full"] * 12
    assert found["abandoned"]
    assert all("the machine is exhausted: " in reason for reason in found["abandoned"])
    assert any("Too many open files" in reason for reason in found["abandoned"])


WORDS = ["odd", "--size", "2", "--time", "none", "--quiet"]
ENGINE = f"{PYTHON} -m oddly engine random"


def oddly(descriptors, *words):
    """Run oddly with this many descriptors."""
    return subprocess.run(
        [sys.executable, "-m", "oddly", *words],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors)),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["match", "tournament"])
def test_the_limit_from_which_on_a_game_fits_is_named_before_the_first_and_is_true(kind, tmp_path):
    words = ["match", ENGINE, ENGINE, "--game", *WORDS, "--games", "2"]
    if kind == "tournament":
        engines = dict.fromkeys("abc", shlex.split(ENGINE))
        path = tournament_file(tmp_path, "club", 'time = "none"', engines=engines)
        words = ["tournament", str(path), "--log-dir", str(tmp_path / "logs"), "--quiet"]
    refused = oddly(22, *words)
    assert refused.returncode == 2, refused.stderr
    sentence = r"oddly: no game can be played: one needs ([0-9]+) descriptors, and the system"
    (line,) = refused.stderr.splitlines()
    found = re.match(sentence, line)
    assert found, line
    done = oddly(int(found[1]), *words)
    assert done.returncode == 0, done.stderr
    assert "played again" not in done.stderr
