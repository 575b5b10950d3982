"""`oddly standings` of a ledger tells what its tournament told, and `oddly report` shows it.

And `oddly replay` of logs that no run wrote.
"""

import json
import os
import subprocess
import sys
from random import Random

import pytest

from oddly.games.catalogue import create_game
from oddly.interfaces.command_line.errors import ExitCode
from oddly.tournaments.ledger.store import Ledger
from tests.databases import changed
from tests.interfaces.report.events import (
    GAMES,
    HOSTILE,
    SHOWN,
    fault_record,
    make_ledger,
    random_record,
)
from tests.patience import PATIENCE
from tests.tournaments.run.test_resuming import toml
from tests.tournaments.toml.written import ODDLY, TWO_RANDOM, ours


def test_standings_are_those_of_the_tournament(tmp_path, output, facts):
    value = facts("tournament", toml(tmp_path, 2))
    ledger = str(tmp_path / "long.sqlite")
    told = facts("standings", ledger)
    (test,) = told["tables"][0].pop("sprt")
    versions = {engine["name"]: engine["version"] for engine in told.pop("engines")}
    assert versions.keys() == set(value["games"][0]["players"])
    assert set(versions.values()) <= set(value["games"][0]["engines"])
    assert (test["elo0"], test["elo1"], sum(test["pairs"])) == (0, 50, 2)
    assert (told["event"], told["played"], told["games"]) == ("long", 4, 4)
    assert told["tables"] == value["tables"]
    lines = output("standings", ledger, "--format", "github").splitlines()
    assert lines[:3] == ["long: 4 of 4 games", "", value["tables"][0]["title"]]


def test_the_standings_of_one_game_speak_of_one(tmp_path, output):
    ledger = tmp_path / "one.sqlite"
    with Ledger(ledger) as kept:
        kept.add("only", random_record(GAMES[0], ("one", "two"), Random(1)))
    assert output("standings", ledger).splitlines()[0].endswith(": 1 game")


@pytest.mark.sampled
def test_a_ledger_is_rated_like_its_games_as_csv(tmp_path, facts):
    # Those of TWO_QUICK repeat games, which only a ledger shows.
    engines = {**TWO_RANDOM, "three": ours("greedy")}
    value = facts("tournament", toml(tmp_path, 4, **engines))
    rows = [
        ",".join((*game["players"], ("first", "second")[game["winner_index"]]))
        for game in value["games"]
    ]
    (tmp_path / "games.csv").write_text("\n".join(["first,second,winner", *rows]))
    told = [facts("ratings", tmp_path / name) for name in ("long.sqlite", "games.csv")]
    assert told[0] == told[1]
    assert sum(row["games"] for row in told[0]["ratings"]) == 48


def test_standings_of_what_is_no_ledger_are_refused(tmp_path, oddly, refusal):
    path = toml(tmp_path, 1)
    oddly("tournament", path)
    assert "long.toml is not a ledger: file is not a database" in refusal("standings", path)
    assert "did you mean 'long.sqlite'?" in refusal("standings", tmp_path / "lomg.sqlite")
    changed(tmp_path / "long.sqlite", "update event set facts = '{}'")
    assert "is damaged: its event lacks" in refusal("standings", tmp_path / "long.sqlite")


@pytest.mark.sampled
def test_standings_that_follow_are_told_again_when_games_have_ended(tmp_path, oddly):
    path, ledger = toml(tmp_path, 2), tmp_path / "long.sqlite"
    oddly("tournament", path)
    with Ledger(ledger, read_only=True) as whole:
        facts, games = whole.event(), list(whole.records().items())
    growing = tmp_path / "growing.sqlite"
    with Ledger(growing) as kept:
        kept.begin(facts)
        kept.add(*games[0])
        words = [*ODDLY, "standings", str(growing), "--follow", "--json"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert json.loads(process.stdout.readline())["played"] == 1
        for game in games[1:]:
            kept.add(*game)
        told = [json.loads(line) for line in process.stdout]
    assert process.wait() == 0
    process.stdout.close()
    assert told[-1]["played"] == told[-1]["games"] == 4


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "spring.sqlite"
    make_ledger(path, ["one", "two"], games=GAMES[:2])
    return path


@pytest.fixture
def refused(refusal):
    """Report on this ledger with these options; why it cannot be."""

    def run(*words):
        said = refusal("report", *words)
        assert said.startswith("oddly: report: ")
        return said

    return run


def test_the_page_is_written_beside_and_the_ledger_is_not_changed(ledger, tmp_path, output):
    before = ledger.read_bytes()
    assert output("report spring.sqlite") == "spring.html: 4 games, 4 of them to replay\n"
    assert (tmp_path / "spring.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ledger.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_one_problem_of_one_game_is_told_as_one(tmp_path, output):
    ledger = tmp_path / "one.sqlite"
    make_ledger(ledger, ["one"], games=GAMES[:1])
    with Ledger(ledger) as kept:
        kept.add("only", random_record(GAMES[0], ("one", "two"), Random(1)))
    assert output("verify", ledger).startswith(f"{ledger} is sound: 1 game, ")
    changed(ledger, "update summaries set round = 7")
    conclusion = output("verify", ledger, code=1).splitlines()[-1]
    assert conclusion.startswith(f"{ledger} is not sound: 1 problem, in 1 of 1 game and ")


def test_no_command_of_the_ledger_is_run(ledger, tmp_path, output):
    facts = {
        "name": "x", "format": "round-robin", "seed": 0, "rounds": 1, "games": [],
        "engines": {"one": {"command": ["/usr/bin/touch", str(tmp_path / "run")], "time": "1",
                            "options": {}}},
    }  # fmt: skip
    changed(ledger, "update event set facts = ?", json.dumps(facts))
    output("report", ledger, "--games", "0")
    assert not (tmp_path / "run").exists()
    page = (tmp_path / "spring.html").read_text(encoding="utf-8")
    assert f"<code>touch {tmp_path / 'run'}</code>" in page


def test_standard_output_and_a_name_of_ones_own(ledger, tmp_path, output):
    page = output("report", ledger, "--output", "-")
    output("report", ledger, "--output", "own.html")
    assert (tmp_path / "own.html").read_text(encoding="utf-8") == page


def test_a_page_goes_into_a_pipe(ledger, tmp_path, output):
    """The bug: the pipe gave way to a file, and its reader waited for ever."""
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        output("report", ledger, "--output", "pipe")
        assert reader.communicate(timeout=PATIENCE)[0] == output("report", ledger, "--output", "-")
    assert (tmp_path / "pipe").is_fifo()


def test_a_page_for_a_reader_who_has_left(ledger):
    words = [sys.executable, "-m", "oddly", "report", str(ledger), "--output", "/dev/stdout"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == ExitCode.READER_LEFT


def test_a_missing_ledger_with_its_nearest_name(ledger, refused):
    near = "there is no ledger sprng.sqlite; did you mean 'spring.sqlite'?"
    assert near in refused("sprng.sqlite")


def test_a_link_that_leads_nowhere_is_not_its_own_nearest_name(ledger, tmp_path, refused):
    (tmp_path / "link.sqlite").symlink_to("gone.sqlite")
    assert refused("link.sqlite").endswith("there is no ledger link.sqlite\n")


def test_an_output_that_cannot_be_written(ledger, tmp_path, refused):
    assert "cannot write nowhere" in refused("spring.sqlite", "--output", "nowhere/x")
    assert "is the ledger itself" in refused(ledger, "--output", ledger)
    make_ledger(tmp_path / "other.sqlite", ["three"], games=GAMES[:1])
    before = (tmp_path / "other.sqlite").read_bytes()
    assert "other.sqlite is a ledger: name" in refused(ledger, "--output", "other.sqlite")
    assert (tmp_path / "other.sqlite").read_bytes() == before
    assert "File name too long" in refused(ledger, "--output", "x" * 300)
    os.mkdir("folder")  # noqa: PTH102 - relative on purpose
    assert "cannot write folder" in refused(ledger, "--output", "folder")
    assert sorted(path.name for path in tmp_path.glob("*folder*")) == ["folder"]


@pytest.mark.parametrize("content", [b"", b"nothing of ours", b"SQLite format 3\0" + b"x" * 200])
def test_a_file_that_is_no_ledger(content, tmp_path, refused):
    path = tmp_path / "wrong.sqlite"
    path.write_bytes(content)
    refused(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("pragma user_version = 99", "install a newer one"),
        ("update event set facts = '[]'", "is damaged"),
        ("update event set facts = '{'", "is damaged"),
        ("update event set facts = '{}'", "is damaged"),
        ('update event set facts = \'{"name": 1, "format": "x", "engines": {}}\'', "is damaged"),
        ("update games set record = '[[' where id = '0001'", "is damaged"),
    ],
)
def test_a_ledger_that_is_newer_or_damaged(change, said, ledger, refused):
    changed(ledger, change)
    assert said in refused(ledger)


@pytest.mark.parametrize(
    "changes",
    [
        {"turns": [["black", "Bz99", 0.1]]},
        {"turns": [["black", "pass", 0.1]]},
        {"turns": [["black", "Bb2", "soon"]]},
        {"turns": [["black", "Bb2", float("nan")]]},
        {"turns": [["black", 7, 0.1]]},
        {"turns": 5},
        {"players": ["one"]},
        {"players": ["one", "one"]},
        {"players": [1, 2]},
        {"winner_index": 7},
        {"opening": 99},
        {"opening": "all"},
        {"reason": None},
        {"lag": -1},
        {"termination": "boredom"},
        {"size": 999},
    ],
    ids=str,
)
def test_a_game_that_is_damaged(changes, ledger, refused):
    with Ledger(ledger, read_only=True) as kept:
        record = json.dumps({**kept.records()["0001"].as_json(), **changes})
    changed(ledger, "update games set record = ? where id = '0001'", record)
    assert "0001" in refused(ledger)


def test_the_outcome_of_a_hostile_log_moves_no_terminal(tmp_path, oddly):
    record = fault_record(create_game("odd", 2), ("a", "b"), HOSTILE)
    path = tmp_path / "x.log"
    header = {"wire_log": 1, "game": "odd", "size": 2, "settings": {}}
    lines = (header, {"outcome": record.as_json()})
    path.write_text("".join(f"# {json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert f"Recorded: W+F, illegal turn: {SHOWN}\n" in oddly("replay", path, code=1).out


def test_a_log_that_was_cut_is_not_judged_to_its_end(tmp_path, oddly):
    game = create_game("odd", 2)
    path = tmp_path / "x.log"
    header = {"wire_log": 2, "game": "odd", "size": 2, "settings": {}}
    lines = (header, {"cut": True}, {"outcome": fault_record(game, ("a", "b"), "no").as_json()})
    path.write_text("".join(f"# {json.dumps(line)}\n" for line in lines), encoding="utf-8")
    said = oddly("replay", path, code=1).out
    assert said.endswith("\nThe log was cut at line 2: the game cannot be judged from there on.\n")
    found = json.loads(oddly("replay", path, "--json", code=1).out)
    assert found["cut"] == "the log was cut at line 2: the game cannot be judged from there on"
    assert found["contradictions"] == []


def test_a_file_with_an_endless_line_is_no_log(tmp_path, refusal):
    path = tmp_path / "x.log"
    with path.open("w", encoding="utf-8") as file:
        file.truncate(2**24)
    assert f"replay: {path}: line 1 is longer than 1,000,000 characters" in refusal("replay", path)
