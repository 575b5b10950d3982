"""A tournament that was stopped, by a signal or a SIGKILL, goes on where it was."""

import json
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.interfaces.command_line.test_playing import begin, written
from tests.patience import PATIENCE
from tests.tournaments.toml.written import TWO_QUICK, ours, started, tournament_file

KILLS = 300


def toml(tmp_path: Path, rounds: int, more: str = "", **engines: list[str]) -> Path:
    keys = f"rounds = {rounds}\nconcurrency = 2"
    game = 'game = "odd"\nsize = 3'
    return tournament_file(tmp_path, "long", keys, game, {**TWO_QUICK, **engines}, {"two": more})


def turns(value: dict) -> dict:
    return {game["id"]: [turn[1] for turn in game["turns"]] for game in value["games"]}


def games_kept(path: Path) -> int:
    """How many games the tournament's ledger has; none while it is not there yet."""
    ledger = path.with_suffix(".sqlite")
    if not ledger.exists():
        return 0
    try:
        with closing(sqlite3.connect(ledger.as_uri() + "?mode=ro", uri=True)) as connection:
            return connection.execute("select count(*) from games").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def kill_after(path: Path, games: int, seconds: float) -> int:
    """Run the tournament, and kill it some seconds after so many more games; its exit code."""
    enough = games_kept(path) + games
    process = started(path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and games_kept(path) < enough:
        time.sleep(0.005)
    time.sleep(seconds)
    process.kill()
    return process.wait()


def killed_until_done(path: Path, seed: int) -> int:
    """Kill it at random moments until it gets through; how often that took."""
    draw = random.Random(seed)
    for times in range(1, 200):
        if kill_after(path, draw.randint(0, 14), draw.uniform(0, 0.05)) == 0:
            return times
    raise AssertionError("it never got through")


def test_the_log_of_an_annulled_game_stays_beside_that_of_its_replay(tmp_path, facts, output):
    path, logs = toml(tmp_path, 1), tmp_path / "logs"
    words = ["tournament", path, "--log-dir", logs]
    annulled = facts(*words)["games"][0]["id"]
    before = {log.name: log.read_bytes() for log in logs.iterdir()}
    output("rule", path.with_suffix(".sqlite"), "annul", annulled, "--reason", "a test")
    facts(*words)
    after = {log.name: log.read_bytes() for log in logs.iterdir()}
    (new,) = after.keys() - before.keys()
    assert new.endswith("-one-two-2.log")
    assert f'"id": "{annulled}-2"'.encode() in after.pop(new)
    assert after == before


@pytest.mark.sampled
def test_killed_at_random_moments_it_plays_every_game_once(tmp_path, facts, oddly):
    path = toml(tmp_path, 15)
    whole = facts("tournament", path, "--no-ledger")
    assert killed_until_done(path, 1) > 1
    output, error = oddly("tournament", path, "--json")
    value = json.loads(output)
    assert "30 of 30 games were played before; no game is left" in error
    assert turns(value) == turns(whole)
    for table in (*value["tables"], *whole["tables"]):
        # Times differ from run to run.
        table.pop("statistics")
    assert value["tables"] == whole["tables"]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_killed_many_times(tmp_path, facts, seed):
    path = toml(tmp_path, 60)
    killed_until_done(path, seed)
    assert len(turns(facts("tournament", path))) == 120


@pytest.mark.soak
def test_the_ledger_is_sound_after_300_kills(tmp_path, facts):
    path, draw = toml(tmp_path, 2000), random.Random(300)
    for _ in range(KILLS):
        kill_after(path, draw.randint(0, 14), draw.uniform(0, 0.05))
    found = facts("verify", tmp_path / "long.sqlite")
    assert found["problems"] == []
    assert found["games"] > KILLS


def test_it_grows_by_an_engine_and_rounds_and_says_so(tmp_path, facts, oddly):
    first = facts("tournament", toml(tmp_path, 1))
    output, error = oddly("tournament", toml(tmp_path, 2, three=ours("greedy")), "--json")
    second = json.loads(output)
    assert "long.sqlite: engine 'three' was added" in error
    assert "rounds changed from 1 to 2" in error
    assert "2 of 12 games were played before" in error
    assert turns(first).items() <= turns(second).items()
    assert len(turns(second)) == 12


def test_a_file_that_changes_the_meaning_of_its_games_is_refused(tmp_path, oddly, refusal):
    path = toml(tmp_path, 2)
    oddly("tournament", path)
    before = Path(tmp_path / "long.sqlite").read_bytes()
    error = refusal("tournament", toml(tmp_path, 1))
    assert "rounds changed from 2 to 1" in error
    assert error.count("\n") == 1
    assert "the seed changed from 0 to 9" in refusal("tournament", toml(tmp_path, 2), "--seed", "9")
    assert Path(tmp_path / "long.sqlite").read_bytes() == before
    oddly("tournament", path, "--ledger", tmp_path / "other.sqlite", "--seed", "9")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("has_records", "command"),
    [(False, "the same command"), (True, "the same command with a new file for --records")],
)
def test_ctrl_c_says_which_command_goes_on(tmp_path, has_records, command):
    words = ["--records", str(tmp_path / "played.jsonl")] if has_records else []
    process = begin(written(tmp_path, "hang", time="1"), *words)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert error.splitlines()[-1].endswith(f"; {command} goes on from there")
