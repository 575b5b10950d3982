"""Tournaments of every format that are killed and go on: nothing twice, nothing lost."""

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from oddly.tournaments import Ledger, load_tournament
from oddly.tournaments.ledger.event_facts import additions, contradictions, event_facts
from tests.referee.fakes import FAKE
from tests.tournaments.toml.written import started, tournament_file

FORMATS = {
    "swiss": ('format = "swiss"\nrounds = 3', 3),
    "knockout": ('format = "knockout"\nextra_pairs = 1', 3),
    "match": ('format = "match"\ngames = 12', 2),
    "sprt": ('format = "sprt"\nelo0 = 0\nelo1 = 400\nalpha = 0.1\nbeta = 0.1\ngames = 40', 2),
    "rating-pool": ('format = "rating-pool"\ngames = 12', 3),
}


def toml(tmp_path: Path, format_: str, engines: int, more: str = "") -> Path:
    """Instant engines on the smallest board; each plays as its seed tells it."""
    openings = tmp_path / "openings.txt"
    openings.write_text("Ba2\nBb2\nWb3\nWc1\n", encoding="utf-8")
    game = f'game = "odd"\nsize = 2\nopenings = {json.dumps(str(openings))}'
    keys = f'{format_}\nconcurrency = 2\ntime = "none"\n{more}'
    commands = {name: [sys.executable, FAKE, "--name", name] for name in "abcdefgh"[:engines]}
    return tournament_file(tmp_path, "event", keys, game, commands)


def killed_after(path: Path, games: int) -> None:
    """Run the tournament, and end it by SIGKILL once so many games ended; it may be done before."""
    process = started(path, stdout=subprocess.DEVNULL)
    for _ in range(games):
        # Before the first game oddly warns that this board is White's.
        while process.stderr.readline().startswith("oddly: "):
            pass
    process.kill()
    process.communicate()


@pytest.fixture
def told(output):
    # Ratings are sums of floats, which depend on the order of games in their last digits.
    return lambda *words: json.loads(
        output("tournament", *words, "--json"), parse_float=lambda text: round(float(text), 4)
    )


def timeless(value: dict) -> list[dict]:
    """The tables without what depends on how fast it went."""
    return [{key: table[key] for key in table if key != "statistics"} for table in value["tables"]]


def in_ledger(path: Path) -> tuple[list[str], list[str]]:
    """The ids of the games that began and of those that ended."""
    with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as connection:
        begun = connection.execute("select id from scheduled order by rowid").fetchall()
        ended = connection.execute("select id from games order by rowid").fetchall()
    return [name for (name,) in begun], [name for (name,) in ended]


@pytest.mark.sampled
@pytest.mark.parametrize("name", FORMATS)
def test_a_killed_tournament_goes_on_with_exactly_what_is_missing(tmp_path, told, name):
    path = toml(tmp_path, *FORMATS[name])
    killed_after(path, 3)
    begun, ended = in_ledger(path)
    assert set(ended) <= set(begun)
    assert len(ended) >= 3
    value = told(path)
    if name == "swiss":
        whole = told(path, "--no-ledger")
        assert (whole["format"], timeless(whole)) == (value["format"], timeless(value))
    begun_now, ended_now = in_ledger(path)
    assert begun_now[: len(begun)] == begun
    assert ended_now[: len(ended)] == ended
    assert sorted(game["id"] for game in value["games"]) == sorted(ended_now)
    again = told(path)
    assert again["tables"] == value["tables"]
    assert again.get("format") == value.get("format")
    if name == "sprt":
        # A game that was running while the verdict fell is not played for nothing.
        assert set(ended_now) <= set(begun_now)
        return
    assert set(ended_now) == set(begun_now)
    pairs = Counter((*sorted(game["players"]), game["round"]) for game in value["games"])
    assert set(pairs.values()) == {2}


ADDED = "engine 'd' was added"
CHANGES = [
    ("swiss", ("rounds = 3", "rounds = 4"), "rounds changed from 3 to 4", None),
    ("swiss", ("rounds = 3", "rounds = 2"), None, "rounds changed from 3 to 2"),
    ("swiss", ("rounds = 3", "pairs = 2\nrounds = 3"), None, "pairs changed from 1 to 2"),
    ("swiss", None, ADDED, f"{ADDED}, which would have changed the pairings of the format swiss"),
    ("knockout", ("extra_pairs = 1", "pairs = 2"), None, "pairs changed from 1 to 2"),
    ("knockout", ("extra_pairs = 1", ""), None, "extra_pairs changed from 1 to 3"),
    ("knockout", None, ADDED, "which would have changed the pairings of the format knockout"),
    ("knockout", ('"event"', '"other"'), None, "the name changed from 'event' to 'other'"),
    ("match", ("games = 12", "games = 14"), "games changed from 12 to 14", None),
    ("match", ("games = 12", "games = 4"), None, "games changed from 12 to 4"),
    ("sprt", ("elo1 = 400", "elo1 = 300"), None, "elo1 changed from 400.0 to 300.0"),
    ("sprt", ("\ngames = 40", ""), "games changed from 40 to none", None),
    ("rating-pool", ("games = 12", "until = 9"), "until changed from none to 9.0", None),
    ("rating-pool", ("games = 12", "games = 4"), "games changed from 12 to 4", None),
    ("rating-pool", None, ADDED, None),
    ("rating-pool", (FORMATS["rating-pool"][0], ""), None, "the format changed from 'rating-p"),
]


@pytest.mark.parametrize(("name", "change", "added", "wrong"), CHANGES)
def test_a_changed_file_may_go_on_or_may_not(tmp_path, name, change, added, wrong):
    format_, engines = FORMATS[name]
    old = event_facts(load_tournament(toml(tmp_path, format_, engines)))
    path = toml(tmp_path, format_, engines + (change is None))
    if change is not None:
        path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    new = json.loads(json.dumps(event_facts(load_tournament(path))))
    assert (added or "") in "; ".join(additions(old, new))
    assert bool(additions(old, new)) == (added is not None)
    assert (wrong or "") in "; ".join(contradictions(old, new))
    assert bool(contradictions(old, new)) == (wrong is not None)


def test_a_change_is_refused_once_a_game_began_and_not_before(tmp_path, told, refusal):
    path = toml(tmp_path, 'format = "match"\ngames = 1', 2)
    facts = event_facts(replace(load_tournament(path), seed=5))
    with Ledger(path.with_suffix(".sqlite")) as ledger:
        ledger.begin(facts)
    told(path)
    text = path.read_text(encoding="utf-8")
    swapped = text.replace('"a"', '"?"').replace('"b"', '"a"').replace('"?"', '"b"')
    path.write_text(swapped, encoding="utf-8")
    error = refusal("tournament", path)
    assert "the order of the engines changed, which is their seeding" in error
    assert error.count("\n") == 1
