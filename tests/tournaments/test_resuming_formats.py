"""Tournaments of every format that are killed and go on: nothing twice, nothing lost."""

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tournaments.command_line import main

ROOT = Path(__file__).parents[2]
FAKE = [sys.executable, str(ROOT / "tests" / "fakes" / "engine.py")]

FORMATS = {
    "swiss": ('format = "swiss"\nrounds = 3', 5),
    "knockout": ('format = "knockout"\nextra_pairs = 1', 5),
    "match": ('format = "match"\ngames = 12', 2),
    "sprt": ('format = "sprt"\nelo0 = 0\nelo1 = 400\nalpha = 0.1\nbeta = 0.1\ngames = 40', 2),
    "rating-pool": ('format = "rating-pool"\ngames = 16', 3),
}


def toml(tmp_path: Path, format_: str, engines: int, more: str = "") -> Path:
    """Instant engines on the smallest board; each plays as its seed tells it."""
    path = tmp_path / "event.toml"
    text = f'[tournament]\nname = "event"\n{format_}\nconcurrency = 2\ntime = "none"\n{more}\n'
    text += '[[game]]\ngame = "odd"\nsize = 2\nopening_turns = 1\n'
    for name in "abcdefgh"[:engines]:
        command = json.dumps([*FAKE, "--name", name])
        text += f'[[engine]]\nname = "{name}"\ncommand = {command}\n'
    path.write_text(text, encoding="utf-8")
    return path


def killed_after(path: Path, games: int) -> None:
    """Run the tournament, and end it by SIGKILL once so many games ended; it may be done before."""
    words = [sys.executable, "-m", "tournaments", "tournament", str(path)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for _ in range(games):
        process.stderr.readline()
    process.kill()
    process.communicate()


def told(path: Path, capsys, *words: str) -> dict:
    assert main(["tournament", str(path), "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def in_ledger(path: Path) -> tuple[list[str], list[str]]:
    """The ids of the games that began and of those that ended."""
    with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as connection:
        return tuple(
            [name for (name,) in connection.execute(f"select id from {table} order by rowid")]
            for table in ("scheduled", "games")
        )


@pytest.mark.parametrize("name", FORMATS)
def test_a_killed_tournament_comes_to_the_same_end(tmp_path, capsys, name):
    path = toml(tmp_path, *FORMATS[name])
    for games in (2, 4):
        killed_after(path, games)
    begun, ended = in_ledger(path)
    assert set(ended) <= set(begun)
    assert len(ended) >= 2
    value = told(path, capsys)
    begun_now, ended_now = in_ledger(path)
    assert set(begun_now) == set(ended_now)
    assert begun_now[: len(begun)] == begun
    games = [game["id"] for game in value["games"]]
    assert sorted(games) == sorted(ended_now)
    again = told(path, capsys)
    assert again["tables"] == value["tables"]
    assert again.get("format") == value.get("format")
    if name != "rating-pool":
        whole = told(path, capsys, "--no-ledger")
        assert whole.get("format") == value.get("format")
        assert name == "sprt" or whole["tables"] == value["tables"]
    pairs = Counter((*sorted(game["players"]), game["round"]) for game in value["games"])
    assert name == "sprt" or set(pairs.values()) == {2}


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("swiss", ("rounds = 3", "rounds = 4"), None),
        ("swiss", ("rounds = 3", "rounds = 2"), "rounds went from 3 to 2"),
        ("swiss", ("rounds = 3", "pairs = 2\nrounds = 3"), "pairs went from 1 to 2"),
        ("swiss", None, "engine 'f' was added, with which the pairings of the format swiss would"),
        ("knockout", ("extra_pairs = 1", "extra_pairs = 2"), "extra_pairs went from 1 to 2"),
        ("knockout", None, "engine 'f' was added, with which the pairings of the format knockout"),
        ("match", ("games = 12", "games = 14"), None),
        ("match", ("games = 12", "games = 4"), "games went from 12 to 4"),
        ("sprt", ("elo1 = 400", "elo1 = 300"), "elo1 went from 400.0 to 300.0"),
        ("rating-pool", ("games = 16", "games = 18\nuntil = 900"), None),
        ("rating-pool", None, None),
    ],
)
def test_a_changed_file_goes_on_or_is_refused(tmp_path, capsys, name, change, said):
    format_, engines = FORMATS[name]
    told(toml(tmp_path, format_, engines), capsys)
    if change is None:
        path = toml(tmp_path, format_, engines + 1)
    else:
        path = toml(tmp_path, format_.replace(*change), engines)
    if said is None:
        told(path, capsys)
        return
    assert main(["tournament", str(path)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_ledger_without_games_takes_any_change(tmp_path, capsys):
    path = toml(tmp_path, *FORMATS["swiss"])
    text = path.read_text(encoding="utf-8")
    killed_after(path, 0)
    path.write_text(
        text.replace('format = "swiss"', 'format = "rating-pool"\ngames = 2').replace(
            "rounds = 3", ""
        )
    )
    begun, _ = in_ledger(path) if path.with_suffix(".sqlite").exists() else ([], [])
    if not begun:
        told(path, capsys)


def test_the_seeding_of_a_bracket_cannot_change(tmp_path, capsys):
    path = toml(tmp_path, *FORMATS["knockout"])
    told(path, capsys)
    text = path.read_text(encoding="utf-8")
    swapped = text.replace('"a"', '"?"').replace('"b"', '"a"').replace('"?"', '"b"')
    path.write_text(swapped, encoding="utf-8")
    assert main(["tournament", str(path)]) == 2
    assert "the engines are in another order, which seeds them" in capsys.readouterr().err
