"""A bridge under isolation has a network; any other engine that was refused one is told so."""

import json
import shlex
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from oddly.games.catalogue import create_game
from oddly.protocol.notation import NO_CLOCK
from oddly.referee import Isolation
from oddly.referee.justice.outcome import Termination
from oddly.referee.match.game import play_game
from oddly.referee.program.configuration import EngineConfiguration, Resources
from oddly.referee.program.isolation import isolation_hint
from oddly.tournaments.executors.conditions import Conditions, under
from tests.programs import PYTHON, needs
from tests.referee.bridge.guests import TOKEN, bridge
from tests.referee.fakes import FAKE, fake

ROOT = Path(__file__).parents[3]
WALLS = Resources(isolation=Isolation.BUBBLEWRAP)
HINT = "it is isolated and has no network unless its [[engine]] says network = true"


@needs("bubblewrap")
async def test_the_example_of_the_guide_plays_under_isolation(tmp_path):
    token = tmp_path / "token"
    token.write_bytes(TOKEN)
    oddly = f"{PYTHON} -m oddly"
    async with bridge((sys.executable, FAKE), token=TOKEN) as place:
        far = f"{oddly} bridge --connect {place.address} --token-file {shlex.quote(str(token))}"
        words = ["match", far, f"{oddly} engine greedy", "--game", "odd", "--size", "2"]
        words += ["--games", "2", "--isolation", "bubblewrap", "--json"]
        done = await trio.run_process(
            [sys.executable, "-m", "oddly", *words],
            cwd=ROOT,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    report = json.loads(done.stdout)
    assert all(report["isolation"]["engines"].values())
    assert [row["forfeits"] for row in report["tables"][0]["standings"]] == [0, 0]


def test_only_our_own_bridge_gets_a_network_by_itself():
    conditions = Conditions(isolation=Isolation.AUTO)
    ours = EngineConfiguration("far", ("oddly", "bridge", "--connect", "far:7"), NO_CLOCK)
    theirs = replace(ours, command=("./mine", "bridge", "--connect", "far:7"))
    local = replace(ours, command=("oddly", "bridge", "./mine", "--drop-level"))
    granted = replace(theirs, resources=Resources(network=True))
    found = [under(conditions, each).resources for each in (ours, theirs, local, granted)]
    assert [each.network for each in found] == [True, False, False, True]
    assert all(each.isolation is Isolation.AUTO for each in found)


CALLER = "import socket; socket.create_connection(({host!r}, {port}), timeout=5)"


@needs("bubblewrap")
@pytest.mark.parametrize("host", ["127.0.0.1", "198.51.100.7", "no-such-host.example"])
async def test_an_engine_that_was_refused_a_network_is_told_so_by_name(host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = CALLER.format(host=host, port=server.getsockname()[1])
        command = (sys.executable, "-c", code)
        caller = EngineConfiguration("caller", command, NO_CLOCK, resources=WALLS)
        record = await play_game(create_game("odd", 2), (caller, fake()))
    assert record.outcome.termination is Termination.CRASH
    assert record.outcome.reason == f"caller: the engine exited with code 1; {HINT}"


@needs("bubblewrap")
async def test_other_crashes_and_other_engines_are_not_told_of_a_network():
    refused = b"ConnectionRefusedError: [Errno 111] Connection refused"
    assert isolation_hint(WALLS, refused).endswith(HINT)
    assert not isolation_hint(WALLS, b"Segmentation fault")
    assert not isolation_hint(replace(WALLS, network=True), refused)
    assert not isolation_hint(replace(WALLS, isolation=Isolation.NONE), refused)


PROGRAMS = {
    "python3": [
        "python3",
        "-c",
        "import urllib.request as r; r.urlopen('http://no-such-host.example/')",
    ],
    "node": ["node", "-e", "require('net').connect(9, '127.0.0.1')"],
}


@needs("bubblewrap")
@pytest.mark.parametrize("program", [pytest.param(name, marks=needs(name)) for name in PROGRAMS])
def test_what_programs_say_without_a_network_is_known(program):
    walls = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-net", "--"]
    done = subprocess.run([*walls, *PROGRAMS[program]], capture_output=True, timeout=60)
    assert isolation_hint(WALLS, done.stderr).endswith(HINT), done.stderr
