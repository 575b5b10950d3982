"""`oddly report` as a user calls it."""

import json
import os
import sqlite3

import pytest

from tests.interfaces.report.events import GAMES, make_ledger


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "spring.sqlite"
    make_ledger(path, ["one", "two"], games=GAMES[:2])
    return path


def changed(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


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


def test_a_missing_ledger_with_its_nearest_name(ledger, refused):
    near = "there is no ledger sprng.sqlite; did you mean 'spring.sqlite'?"
    assert near in refused("sprng.sqlite")


def test_an_output_that_cannot_be_written(ledger, tmp_path, refused):
    assert "cannot write nowhere" in refused("spring.sqlite", "--output", "nowhere/x")
    assert "is the ledger itself" in refused(ledger, "--output", ledger)
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
    connection = sqlite3.connect(ledger)
    (text,) = connection.execute("select record from games where id = '0001'").fetchone()
    connection.close()
    record = json.dumps({**json.loads(text), **changes})
    changed(ledger, "update games set record = ? where id = '0001'", record)
    assert "0001" in refused(ledger)
