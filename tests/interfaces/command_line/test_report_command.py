"""`oddly report` as a user calls it."""

import json
import os
import sqlite3

import pytest

from oddly.interfaces.command_line import main
from tests.interfaces.report.events import GAMES, make_ledger


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "spring.sqlite"
    make_ledger(path, ["one", "two"], games=GAMES[:2])
    return path


def change(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def refusal(words, capsys):
    """The one sentence on standard error."""
    assert main(["report", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("oddly: report: ")
    assert said.count("\n") == 1
    return said


def test_the_page_is_written_beside_and_the_ledger_is_not_changed(ledger, tmp_path, capsys):
    before = ledger.read_bytes()
    assert main(["report", "spring.sqlite"]) == 0
    assert capsys.readouterr().out == "spring.html: 4 games, 4 of them to be played through\n"
    assert (tmp_path / "spring.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert ledger.read_bytes() == before
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_no_command_of_the_ledger_is_run(ledger, tmp_path):
    facts = {
        "name": "x", "format": "round-robin", "seed": 0, "rounds": 1, "games": [],
        "engines": {"one": {"command": ["/usr/bin/touch", str(tmp_path / "run")], "time": "1",
                            "options": {}}},
    }  # fmt: skip
    change(ledger, "update event set facts = ?", json.dumps(facts))
    assert main(["report", str(ledger), "--games", "0"]) == 0
    assert not (tmp_path / "run").exists()
    page = (tmp_path / "spring.html").read_text(encoding="utf-8")
    assert f"<code>touch {tmp_path / 'run'}</code>" in page


def test_standard_output_and_a_name_of_ones_own(ledger, tmp_path, capsys):
    assert main(["report", str(ledger), "--output", "-"]) == 0
    page = capsys.readouterr().out
    assert main(["report", str(ledger), "--output", "own.html"]) == 0
    assert (tmp_path / "own.html").read_text(encoding="utf-8") == page


def test_a_missing_ledger_with_its_nearest_name(ledger, capsys):
    said = refusal(["sprng.sqlite"], capsys)
    assert "there is no ledger sprng.sqlite; did you mean 'spring.sqlite'?" in said


def test_an_output_that_cannot_be_written(ledger, tmp_path, capsys):
    assert "cannot write nowhere" in refusal(["spring.sqlite", "--output", "nowhere/x"], capsys)
    assert "is the ledger itself" in refusal([str(ledger), "--output", str(ledger)], capsys)
    os.mkdir("folder")  # noqa: PTH102 - relative on purpose
    assert "cannot write folder" in refusal([str(ledger), "--output", "folder"], capsys)
    assert sorted(path.name for path in tmp_path.glob("*folder*")) == ["folder"]


@pytest.mark.parametrize("content", [b"", b"nothing of ours", b"SQLite format 3\0" + b"x" * 200])
def test_a_file_that_is_no_ledger(content, tmp_path, capsys):
    path = tmp_path / "wrong.sqlite"
    path.write_bytes(content)
    refusal([str(path)], capsys)


def test_a_ledger_of_a_newer_version(ledger, capsys):
    change(ledger, "pragma user_version = 99")
    assert "install a newer one" in refusal([str(ledger)], capsys)


@pytest.mark.parametrize("facts", ["[]", "{", "{}", '{"name": 1, "format": "x", "engines": {}}'])
def test_an_event_that_is_damaged(facts, ledger, capsys):
    change(ledger, "update event set facts = ?", facts)
    assert "is damaged" in refusal([str(ledger)], capsys)


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
def test_a_game_that_is_damaged(changes, ledger, capsys):
    connection = sqlite3.connect(ledger)
    (text,) = connection.execute("select record from games where id = '0001'").fetchone()
    connection.close()
    record = json.dumps({**json.loads(text), **changes})
    change(ledger, "update games set record = ? where id = '0001'", record)
    said = refusal([str(ledger)], capsys)
    assert "0001" in said


def test_a_record_that_is_no_json(ledger, capsys):
    change(ledger, "update games set record = '[[' where id = '0001'")
    assert "is damaged" in refusal([str(ledger)], capsys)
