"""`oddly database`: what it prints, and what it says of boards that have none."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from oddly.interfaces.command_line import main

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "solved.md"


def test_a_database_is_made_checked_and_found_again(tmp_path, capsys):
    words = ["database", "--game", "xodd", "--size", "3", "--output", str(tmp_path / "x")]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert re.search(r"^winner +Black$", first, re.MULTILINE)
    assert re.search(r"^winning turns +Bb2$", first, re.MULTILINE)
    assert re.search(r"^checked +1,000 positions$", first, re.MULTILINE)
    assert main([*words, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["positions"] == 3**9
    assert facts["winner"] == "black"


def test_the_small_boards_of_the_page_come_out_as_it_says(tmp_path, capsys):
    rows = re.findall(
        r"^\| [^|]+ \| ([\d,]+) \| (Black|White) \| `?([^`|]*)`? \| \S+ "
        r"\| `oddly (database [^`]+)`",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    small = [row for row in rows if int(row[0].replace(",", "")) < 100_000]
    assert len(small) >= 2
    for number, (positions, winner, turns, words) in enumerate(small):
        assert main([*words.split(), "--output", str(tmp_path / str(number)), "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["positions"] == int(positions.replace(",", ""))
        assert facts["winner"] == winner.lower()
        assert facts["winning_turns"] == turns.split()


def test_every_threshold_of_odd_is_found_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["database", "--game", "odd", "--size", "2", "--every-threshold", "--json"]
    assert main(words) == 0
    winners = json.loads(capsys.readouterr().out)["winners"]
    assert winners == {str(t): "black" if t <= 4 else "white" for t in range(1, 8)}
    assert (tmp_path / "odd-hexhex-2-every-threshold" / "database.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--game", "ayu", "--size", "7"], "those of Ayu go up to 5x5"),
        (["--game", "yodd"], "yodd 8 has 169 cells"),
        (["--game", "yodd", "--size", "2", "--every-threshold"], "--every-threshold is for Odd"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["database", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_folder_of_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "database.json").write_text("{}", encoding="utf-8")
    words = ["database", "--game", "xodd", "--size", "2", "--output", str(tmp_path)]
    assert main(words) == 2
    assert "is not the facts of a database" in capsys.readouterr().err
    assert (tmp_path / "database.json").read_text(encoding="utf-8") == "{}"


def test_a_full_disk_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "oddly", "database", "--game", "xodd", "--size", "2",
         "--output", str(tmp_path / "file" / "below")],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("oddly: database: ")
    assert done.stderr.count("\n") == 1
