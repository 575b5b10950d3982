"""`oddly export` writes what a ledger holds, harmless to spreadsheets."""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest

from oddly.referee import Termination
from oddly.referee.justice.record import GameRecord
from oddly.tournaments.ledger.store import Ledger
from tests.tournaments.ledger.test_store import DRAWN, HOSTILE, VOID, WON
from tests.tournaments.results.outcomes import outcome


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        for identity, record in (("1", WON), ("2", DRAWN), ("3", VOID)):
            ledger.add(identity, record)
    return str(path)


def test_csv_has_a_line_for_each_game_that_counts(ledger, output):
    shown = output("export", ledger)
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert [(row["id"], row["first"], row["winner"]) for row in rows] == [
        ("1", "a", "first"),
        ("2", "a", "draw"),
    ]
    assert (rows[0]["turns"], rows[0]["first_seconds"]) == ("2", "0.250000")
    assert HOSTILE not in shown
    assert "\x1b" not in shown
    assert rows[0]["second"].startswith("'=cmd")


def test_csv_can_be_rated(ledger, tmp_path, output, facts):
    (tmp_path / "games.csv").write_text(output("export", ledger), encoding="utf-8")
    assert [row["games"] for row in facts("ratings", tmp_path / "games.csv")["ratings"]] == [2, 2]


def test_copies_are_marked_and_are_no_evidence_for_ratings(tmp_path, output, facts):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        for identity, record in (("1", WON), ("2", DRAWN), ("3", WON), ("4", WON)):
            ledger.add(identity, record)
    shown = output("export", path)
    rows = csv.DictReader(io.StringIO(shown))
    assert [row["copy_of"] for row in rows] == ["", "1", "1", "1"]
    (tmp_path / "games.csv").write_text(shown, encoding="utf-8")
    of_file = []
    for name in ("spring.sqlite", "games.csv"):
        ratings = facts("ratings", tmp_path / name)["ratings"]
        of_file.append([(row["games"], row["distinct"], row["score"]) for row in ratings])
    assert of_file[0] == of_file[1]
    assert of_file[0][0][:2] == (4, 2)


@pytest.mark.parametrize("seed", range(4))
def test_games_that_end_otherwise_after_the_same_turns_are_rated_as_in_the_ledger(
    tmp_path, output, facts, seed
):
    die, seen = Random(seed), set()
    path, exported = tmp_path / "spring.sqlite", tmp_path / "games.csv"
    with Ledger(path) as ledger:
        for number in range(40):
            players, winner = tuple(die.sample("abc", 2)), die.choice((0, 1))
            ended = outcome(winner, die.choice((Termination.RESIGNATION, Termination.CRASH)))
            turns = WON.turns[: die.choice((0, 1, 2))]
            ledger.add(str(number), replace(WON, players=players, outcome=ended, turns=turns))
            seen |= {(*players, winner, turns)}
    exported.write_text(output("export", path), encoding="utf-8")
    whole = facts("ratings", path)
    assert facts("ratings", exported) == whole
    assert sum(row["distinct"] for row in whole["ratings"]) == 2 * len(seen)


@pytest.mark.parametrize("format_", ["csv", "jsonl", "sgf"])
def test_the_same_turns_from_openings_of_different_lengths_are_distinct_games(
    tmp_path, output, facts, format_
):
    path, exported = tmp_path / "spring.sqlite", tmp_path / f"games.{format_}"
    with Ledger(path) as ledger:
        for number in range(12):
            ledger.add(str(number), replace(WON, opening=number % 3))
    exported.write_text(output("export", path, "--to", format_), encoding="utf-8")
    found = [facts("ratings", each)["ratings"] for each in (path, exported)]
    assert [[row["distinct"] for row in rows] for rows in found] == [[3, 3], [3, 3]]


def test_json_lines_are_whole_records(ledger, output):
    values = list(map(json.loads, output("export", ledger, "--to", "jsonl").splitlines()))
    assert [value["id"] for value in values] == ["1", "2"]
    assert [GameRecord.from_json(value) for value in values] == [WON, DRAWN]


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale in which Python writes no letter beyond ASCII."""


@pytest.mark.parametrize("words", ["export", "report -o -"])
def test_files_are_utf_8_in_every_locale(words, tmp_path):
    path = tmp_path / "spring.sqlite"
    with Ledger(path) as ledger:
        ledger.add("1", replace(WON, players=("tiny é", "b")))
    name, *options = words.split()
    # Before 3.13, Python reads its .pth files in the locale: one that leads to "für" keeps it from
    # starting. So -S, and the paths that they hold are given here.
    command = [sys.executable, "-S", "-m", "oddly", name, str(path), *options]
    environment = {**os.environ, **ASCII, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert "tiny é" in done.stdout.decode()
