"""`oddly join` at `oddly arena`, as people run them; both are killed in the middle of a game."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oddly.tournaments import Ledger, verify
from tests.patience import PATIENCE
from tests.processes import running
from tests.tournaments.toml.written import ODDLY

THINKER = (sys.executable, "-m", "tests.fakes.thinker")
ARENA = """
[arena]
name = "Hall"
port = {port}
gather = 0.2

[[pool]]
game = "odd"
size = 4
time = "30+1"
"""


def wait_for(condition) -> None:
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)


class Place:
    """An arena and its guests, which are ended with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen] = []

    def start(self, name: str, *words: str) -> subprocess.Popen:
        with (self.folder / f"{name}.log").open("a") as log:
            process = subprocess.Popen([*ODDLY, *words], stdout=log, stderr=log)
        self.started.append(process)
        return process

    def said(self, name: str) -> list[str]:
        return (self.folder / f"{name}.log").read_text().splitlines()

    def arena(self, port: int = 0) -> tuple[subprocess.Popen, int]:
        before = len(self.said("arena")) if (self.folder / "arena.log").exists() else 0
        (self.folder / "ARENA.toml").write_text(ARENA.format(port=port))
        process = self.start("arena", "arena", str(self.folder / "ARENA.toml"))
        wait_for(lambda: len(self.said("arena")) > before)
        return process, int(self.said("arena")[-1].split("/ ")[0].rpartition(":")[2])

    def join(self, name: str, port: int, games: int) -> subprocess.Popen:
        words = ("--name", name, "--owner", name, "--key", str(self.folder / f"{name}.key"))
        url = f"ws://127.0.0.1:{port}"
        return self.start(name, "join", url, *words, "--games", str(games), "--", *THINKER)


@pytest.fixture
def place(tmp_path):
    found = Place(tmp_path)
    yield found
    for process in found.started:
        process.kill()
        process.wait()


@pytest.mark.sampled
def test_a_game_survives_the_death_of_the_arena_and_of_an_engine(place):
    arena, port = place.arena()
    guests = [place.join(name, port, games=2) for name in ("alpha", "beta")]
    wait_for(lambda: any("begins" in line for line in place.said("alpha")))
    time.sleep(1)
    arena.kill()
    arena.wait()
    arena, _ = place.arena(port)
    wait_for(lambda: any("back at Hall" in line for line in place.said("alpha")))
    wait_for(lambda: any("goes on" in line for line in place.said("beta")))
    os.kill(min(running(*THINKER)), signal.SIGKILL)
    assert [guest.wait(PATIENCE) for guest in guests] == [0, 0]
    arena.send_signal(signal.SIGTERM)
    assert arena.wait(PATIENCE) == 0
    said = place.said("alpha") + place.said("beta")
    assert [line for line in said if "SIGKILL" in line and "started again" in line]
    assert place.said("alpha")[-1] == place.said("beta")[-1] == "left after 2 games"
    (path,) = (place.folder / "arena").glob("odd-4*.sqlite")
    assert not verify(path).problems
    with Ledger(path, read_only=True) as ledger:
        ends = [record.outcome.termination.value for record in ledger.records().values()]
    assert ends == ["board full"] * 2
