"""`oddly standings` and `oddly ratings` of a ledger tell what its tournament told."""

import json
import sqlite3
import subprocess

from oddly.interfaces.command_line import main
from oddly.tournaments.ledger.store import Ledger
from tests.tournaments.run.test_resuming import played, toml
from tests.tournaments.toml.written import ODDLY, ours


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
    value, _ = played(toml(tmp_path, 4, three=ours("greedy")), capsys=capsys)
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


def test_standings_that_follow_are_told_again_when_games_have_ended(tmp_path, capsys):
    path, ledger = toml(tmp_path, 2), tmp_path / "long.sqlite"
    played(path, capsys=capsys)
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
