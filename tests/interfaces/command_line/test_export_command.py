"""`oddly export` writes what a ledger holds, harmless to spreadsheets."""

import csv
import io
import json

import pytest

from oddly.interfaces.command_line import main
from oddly.referee.justice.record import GameRecord
from oddly.tournaments.ledger.store import Ledger
from tests.tournaments.ledger.test_store import DRAWN, HOSTILE, VOID, WON


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        for identity, record in (("1", WON), ("2", DRAWN), ("3", VOID)):
            ledger.add(identity, record)
    return str(path)


def test_csv_has_a_line_for_each_game_that_counts(ledger, capsys):
    assert main(["export", ledger]) == 0
    output = capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [(row["id"], row["first"], row["winner"]) for row in rows] == [
        ("1", "a", "first"),
        ("2", "a", "draw"),
    ]
    assert (rows[0]["turns"], rows[0]["first_seconds"]) == ("2", "0.250000")
    assert HOSTILE not in output
    assert "\x1b" not in output
    assert rows[0]["second"].startswith("'=cmd")


def test_csv_can_be_rated(ledger, tmp_path, capsys):
    assert main(["export", ledger]) == 0
    (tmp_path / "games.csv").write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["ratings", str(tmp_path / "games.csv"), "--json"]) == 0
    assert [row["games"] for row in json.loads(capsys.readouterr().out)["ratings"]] == [2, 2]


def test_copies_are_marked_and_are_no_evidence_for_ratings(tmp_path, capsys):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        for identity, record in (("1", WON), ("2", DRAWN), ("3", WON), ("4", WON)):
            ledger.add(identity, record)
    assert main(["export", str(path)]) == 0
    output = capsys.readouterr().out
    rows = csv.DictReader(io.StringIO(output))
    assert [row["copy_of"] for row in rows] == ["", "", "1", "1"]
    (tmp_path / "games.csv").write_text(output, encoding="utf-8")
    of_file = []
    for name in ("spring.sqlite", "games.csv"):
        assert main(["ratings", str(tmp_path / name), "--json"]) == 0
        ratings = json.loads(capsys.readouterr().out)["ratings"]
        of_file.append([(row["games"], row["distinct"], row["score"]) for row in ratings])
    assert of_file[0] == of_file[1]
    assert of_file[0][0][:2] == (4, 2)


def test_json_lines_are_whole_records(ledger, capsys):
    assert main(["export", ledger, "--to", "jsonl"]) == 0
    values = list(map(json.loads, capsys.readouterr().out.splitlines()))
    assert [value["id"] for value in values] == ["1", "2"]
    assert [GameRecord.from_json(value) for value in values] == [WON, DRAWN]


def test_what_is_no_ledger_is_refused(tmp_path, capsys):
    assert main(["export", str(tmp_path / "none.sqlite")]) == 2
    assert "there is no ledger" in capsys.readouterr().err
