"""No command prints a line that a terminal of 80 columns would fold."""

import re
import sys

import pytest
from wcwidth import wcswidth

from tests.interfaces.command_line.test_playing import RANDOM
from tests.interfaces.terminal.pseudo_terminal import Terminal
from tests.referee.fakes import COMPOSED
from tests.tournaments.toml.written import tournament_file

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
GAME = ["--game", "odd", "--size", "2", "--time", "none"]
LONG = ["match", RANDOM, f"{RANDOM} --seed 123456789123456789 ", *GAME, "--games", "4"]
NAME = "an event whose name is as long as its organiser may make it"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a tournament of twelve engines, which is played by the first test."""
    folder = tmp_path_factory.mktemp("wide")
    command = [sys.executable, "-E", "-S", COMPOSED, "[]"]
    names = (f"an engine with a name of its author's, number {number}" for number in range(12))
    keys, engines = 'time = "none"\nformat = "gauntlet"\nrounds = 1', dict.fromkeys(names, command)
    tournament_file(folder, NAME, keys, engines=engines).rename(folder / "event.toml")
    run(folder, "tournament", "event.toml", "--records", "games.jsonl")
    return folder


def run(folder, *words):
    """What a command prints below its live view."""
    words = [str(folder / word) if (folder / word).suffix in ENDINGS else word for word in words]
    with Terminal(words, 80, 24) as session:
        assert session.end() in (0, 1), session.seen
    return ESCAPE.sub("", session.seen.rpartition("\x1b[?1049l")[2])


ENDINGS = (".toml", ".sqlite", ".jsonl")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "words",
    [
        "standings event.sqlite",
        "standings event.sqlite --sprt 0,50",
        "standings event.sqlite --top 3 --crosstable",
        "ratings event.sqlite",
        "ratings event.sqlite --over-time week",
        "tournament event.toml",
        "show --record games.jsonl",
        "--help",
        "match --help",
        "standings --help",
        "doctor",
    ],
)
def test_no_line_is_folded(folder, words):
    told = run(folder, *words.split())
    assert told.strip()
    lines = [line.rstrip("\r") for line in told.split("\n")]
    # A path is never divided.
    assert [line for line in lines if wcswidth(line) > 80 and " " in line.strip()] == []


def test_a_match_of_two_settings_names_them_by_what_differs(folder):
    told = run(folder, *LONG)
    assert "seed=123456789123456789" in told
    assert [line for line in told.split("\r\n") if wcswidth(line) > 80] == []


def test_all_columns_are_had_by_one_word(folder):
    assert "forfeits" not in run(folder, "standings", "event.sqlite")
    assert "forfeits" in run(folder, "standings", "event.sqlite", "--wide")
