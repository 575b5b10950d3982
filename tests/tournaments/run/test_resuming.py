"""A tournament that was stopped, by a signal or a SIGKILL, goes on where it was."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from oddly.interfaces.command_line import main
from oddly.tournaments.ledger.store import Ledger
from tests.interfaces.command_line.test_playing import begin, written
from tests.patience import PATIENCE

TOML = """\
[tournament]
name = "long"
rounds = {rounds}
concurrency = 2

[[game]]
game = "odd"
size = 3

[[engine]]
name = "one"
command = ["{python}", "-m", "oddly", "engine", "random"]

[[engine]]
name = "two"
command = ["{python}", "-m", "oddly", "engine", "random"]
{more}
"""
KILLS = 300

THIRD = """
[[engine]]
name = "three"
command = ["{python}", "-m", "oddly", "engine", "greedy"]
"""


def toml(tmp_path: Path, rounds: int, more: str = "") -> Path:
    path = tmp_path / "long.toml"
    text = TOML.format(rounds=rounds, python=sys.executable, more=more)
    path.write_text(text.replace("{python}", sys.executable), encoding="utf-8")
    return path


def played(path: Path, *words: str, capsys) -> tuple[dict, str]:
    assert main(["tournament", str(path), "--json", *words]) == 0
    output, error = capsys.readouterr()
    return json.loads(output), error


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
    words = [sys.executable, "-m", "oddly", "tournament", str(path)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


def test_killed_at_random_moments_it_plays_every_game_once(tmp_path, capsys):
    path = toml(tmp_path, 15)
    whole, _ = played(path, "--no-ledger", capsys=capsys)
    assert killed_until_done(path, 1) > 1
    value, error = played(path, capsys=capsys)
    assert "30 of 30 games were played before; no game is left" in error
    assert turns(value) == turns(whole)
    for table in (*value["tables"], *whole["tables"]):
        # Times differ from run to run.
        table.pop("statistics")
    assert value["tables"] == whole["tables"]


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_killed_many_times(tmp_path, capsys, seed):
    path = toml(tmp_path, 60)
    killed_until_done(path, seed)
    value, _ = played(path, capsys=capsys)
    assert len(turns(value)) == 120


@pytest.mark.soak
def test_the_ledger_is_sound_after_300_kills(tmp_path, capsys):
    path, draw = toml(tmp_path, 2000), random.Random(300)
    for _ in range(KILLS):
        kill_after(path, draw.randint(0, 14), draw.uniform(0, 0.05))
    assert main(["verify", str(tmp_path / "long.sqlite"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["problems"] == []
    assert facts["games"] > KILLS


def test_it_grows_by_an_engine_and_rounds_and_says_so(tmp_path, capsys):
    first, _ = played(toml(tmp_path, 1), capsys=capsys)
    second, error = played(toml(tmp_path, 2, THIRD), capsys=capsys)
    assert "long.sqlite: engine 'three' was added" in error
    assert "rounds changed from 1 to 2" in error
    assert "2 of 12 games were played before" in error
    assert turns(first).items() <= turns(second).items()
    assert len(turns(second)) == 12


def test_a_file_that_changes_the_meaning_of_its_games_is_refused(tmp_path, capsys):
    path = toml(tmp_path, 2)
    played(path, capsys=capsys)
    before = Path(tmp_path / "long.sqlite").read_bytes()
    assert main(["tournament", str(toml(tmp_path, 1))]) == 2
    error = capsys.readouterr().err
    assert "rounds changed from 2 to 1" in error
    assert error.count("\n") == 1
    assert main(["tournament", str(toml(tmp_path, 2)), "--seed", "9"]) == 2
    assert "the seed changed from 0 to 9" in capsys.readouterr().err
    assert Path(tmp_path / "long.sqlite").read_bytes() == before
    played(path, "--ledger", str(tmp_path / "other.sqlite"), "--seed", "9", capsys=capsys)


def test_standings_are_those_of_the_tournament(tmp_path, capsys):
    value, _ = played(toml(tmp_path, 2), capsys=capsys)
    ledger = str(tmp_path / "long.sqlite")
    assert main(["standings", ledger, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (test,) = told["tables"][0].pop("sprt")
    versions = {engine["name"]: engine["version"] for engine in told.pop("engines")}
    assert versions.keys() == set(value["games"][0]["players"])
    assert set(versions.values()) <= set(value["games"][0]["engines"])
    assert (test["elo0"], test["elo1"], sum(test["pairs"])) == (0, 50, 2)
    assert (told["event"], told["played"], told["games"]) == ("long", 4, 4)
    assert told["tables"] == value["tables"]
    assert main(["standings", ledger, "--format", "github"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["long: 4 of 4 games", "", value["tables"][0]["title"]]


def test_a_ledger_is_rated_like_its_games_as_csv(tmp_path, capsys):
    value, _ = played(toml(tmp_path, 4, THIRD), capsys=capsys)
    rows = [
        ",".join((*game["players"], ("first", "second")[game["winner_index"]]))
        for game in value["games"]
    ]
    (tmp_path / "games.csv").write_text("\n".join(["first,second,winner", *rows]))
    told = []
    for name in ("long.sqlite", "games.csv"):
        assert main(["ratings", str(tmp_path / name), "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    assert sum(row["games"] for row in told[0]["ratings"]) == 48


def test_a_ledger_without_games_has_no_ratings(tmp_path, capsys):
    with Ledger(tmp_path / "new.sqlite"):
        pass
    assert main(["ratings", str(tmp_path / "new.sqlite")]) == 2
    assert capsys.readouterr().err.endswith("new.sqlite has no games yet\n")


def test_standings_of_what_is_no_ledger_are_refused(tmp_path, capsys):
    path = toml(tmp_path, 1)
    played(path, capsys=capsys)
    assert main(["standings", str(path)]) == 2
    assert "long.toml is not a ledger: file is not a database" in capsys.readouterr().err
    assert main(["standings", str(tmp_path / "lomg.sqlite")]) == 2
    assert "did you mean 'long.sqlite'?" in capsys.readouterr().err
    with sqlite3.connect(tmp_path / "long.sqlite") as connection:
        connection.execute("update event set facts = '{}'")
    connection.close()
    assert main(["standings", str(tmp_path / "long.sqlite")]) == 2
    assert "is damaged: its event lacks" in capsys.readouterr().err


def test_two_runs_do_not_share_a_ledger(tmp_path):
    path = written(tmp_path, "hang", time="600")
    process = begin(path)
    try:
        words = [sys.executable, "-m", "oddly", "tournament", path]
        second = subprocess.run(words, capture_output=True, text=True)
        assert second.returncode == 2
        assert "another run is writing to this ledger now" in second.stderr
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


def test_ctrl_c_says_that_the_same_command_goes_on(tmp_path):
    process = begin(written(tmp_path, "hang", time="1"))
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert error.splitlines()[-1].endswith("the same command goes on from there")


def test_standings_that_follow_are_told_again_when_games_have_ended(tmp_path, capsys):
    path, ledger = toml(tmp_path, 2), tmp_path / "long.sqlite"
    played(path, capsys=capsys)
    with Ledger(ledger, read_only=True) as whole:
        facts, games = whole.event(), list(whole.records().items())
    growing = tmp_path / "growing.sqlite"
    with Ledger(growing) as kept:
        kept.begin(facts)
        kept.add(*games[0])
        words = [sys.executable, "-m", "oddly", "standings", str(growing), "--follow"]
        process = subprocess.Popen([*words, "--json"], stdout=subprocess.PIPE, text=True)
        assert json.loads(process.stdout.readline())["played"] == 1
        for game in games[1:]:
            kept.add(*game)
        told = [json.loads(line) for line in process.stdout]
    assert process.wait() == 0
    process.stdout.close()
    assert told[-1]["played"] == told[-1]["games"] == 4
