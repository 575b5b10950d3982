"""A ledger knows which programs played, and reports a program that changed."""

import hashlib
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from oddly.games import VERSION
from oddly.tournaments import Ledger
from oddly.tournaments.ledger.engines import OURS, Entrant, fingerprint, hash_of, own_hash
from tests.tournaments.ledger.test_store import HOSTILE, WON
from tests.tournaments.toml.written import tournament_file

A = Entrant("a", ("prog", "a"), {"seed": "1"}, {"prog": "12" * 32})
B = Entrant(HOSTILE, ("prog", "b"), {}, {"prog": "34" * 32, "net": "56" * 32})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.sqlite"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_programs_hash_is_that_of_sha256sum(tmp_path):
    program = tmp_path / "engine"
    program.write_text("one", encoding="utf-8")
    found = fingerprint((str(program), "--level", "3"))
    assert found == {str(program): sha256("one")}
    assert hash_of(found) == sha256("one")


def test_files_among_the_arguments_count_too_and_devices_do_not(tmp_path):
    for name, text in (("script.py", "one"), ("net", "two")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    words = ("script.py", "missing", "pipe", "/dev/zero", "x" * 5000, "a\0b", "net")
    found = fingerprint(words, tmp_path)
    assert found == {"script.py": sha256("one"), "net": sha256("two")}
    assert hash_of(found) == sha256(f"{sha256('one')}\n{sha256('two')}\n")
    (tmp_path / "net").write_text("three", encoding="utf-8")
    assert hash_of(fingerprint(words, tmp_path)) != hash_of(found)
    given = fingerprint(("missing", "--net=net"), tmp_path, {"book": "net", "level": "3"})
    assert list(given) == ["net"]
    assert hash_of(fingerprint(("missing",), tmp_path)) == ""


@pytest.mark.parametrize("words", [["-m", "oddly", "engine", "random"], ["-c", "pass"]])
def test_our_own_engines_are_the_sources_of_oddly(words):
    found = fingerprint([sys.executable, *words])
    assert found.get(OURS) == (own_hash() if words[0] == "-m" else None)
    assert fingerprint([str(Path(sys.executable).parent / "oddly"), "engine", "x"])[OURS]


def test_what_played_is_kept_with_its_first_and_last_game(path):
    with Ledger(path) as ledger:
        assert ledger.enter([A, B]) == []
        ledger.add("1", WON)
        ledger.add("2", WON)
        ledger.add("2", WON)
        rows = {known.entrant.name: known for known in ledger.engines()}
    assert {name: known.version for name, known in rows.items()} == {"a": "a 1", HOSTILE: "b 2"}
    assert [rows[entrant.name].entrant for entrant in (A, B)] == [A, B]
    assert all(known.first_seen <= known.last_seen for known in rows.values())
    with Ledger(path, read_only=True) as ledger:
        assert {known.entrant.name: known for known in ledger.engines()} == rows


def test_another_program_is_said_at_once_and_both_are_kept(path):
    with Ledger(path) as ledger:
        ledger.enter([A, B])
        ledger.add("1", WON)
    rebuilt = replace(A, files={"prog": "78" * 32})
    with Ledger(path) as ledger:
        (said,) = ledger.enter([rebuilt, B])
        assert said.startswith("the program of engine 'a' has changed since 20")
        assert ": prog; " in said
        ledger.add("2", WON)
        assert ledger.noticed == []
        hashes = [known.entrant.hash for known in ledger.engines() if known.entrant.name == "a"]
        assert hashes == ["12" * 32, "78" * 32]
    with Ledger(path) as ledger:
        assert ledger.enter([rebuilt, B]) == []


def test_a_change_is_said_once_although_the_clock_was_set_back(path, monkeypatch):
    """The bug: every run said that the program had changed since a moment in the future."""
    rebuilt = replace(A, files={"prog": "78" * 32})
    for year, entrant in (("2036", A), ("2026", rebuilt)):
        moment = f"{year}-11-29T00:00:00+00:00"
        monkeypatch.setattr("oddly.tournaments.ledger.store.utc_now", lambda now=moment: now)
        with Ledger(path) as ledger:
            ledger.enter([entrant, B])
            ledger.add(year, WON)
    with Ledger(path) as ledger:
        assert ledger.enter([rebuilt, B]) == []
        (latest,) = (each for each in ledger.engines() if each.entrant == rebuilt)
    assert (latest.first_seen[:4], latest.last_seen[:4]) == ("2026", "2036")


def test_another_version_is_noticed_with_its_first_game(path):
    newer = replace(WON, engines=("a 2\x1b[31m", "b 2"))
    with Ledger(path) as ledger:
        ledger.enter([A, B])
        ledger.add("1", WON)
        ledger.add("2", newer)
        ledger.add("3", newer)
        (said,) = ledger.noticed
        assert said.startswith("engine 'a' reported version 'a 1' until 20")
        assert "and now 'a 2\\x1b[31m'" in said
        versions = [known.version for known in ledger.engines() if known.entrant.name == "a"]
        assert versions == ["a 1", "a 2\x1b[31m"]
    with closing(sqlite3.connect(path)) as connection:
        happenings = [what for (what,) in connection.execute("select what from happenings")]
    assert happenings == [said]


def test_an_engine_that_did_not_start_has_no_version(path):
    with Ledger(path) as ledger:
        ledger.enter([A, B])
        ledger.add("1", replace(WON, engines=("", "b 2")))
        assert [known.entrant.name for known in ledger.engines()] == [HOSTILE]


ENGINE = """
import subprocess
import sys
from oddly.engines.engine import ENGINES
sys.argv = ["oddly", "engine", "random"]
from oddly.interfaces.command_line import main
main()
"""


def test_a_tournament_goes_on_with_a_rebuilt_engine_and_says_so(tmp_path, facts, oddly):
    script = tmp_path / "engine.py"
    script.write_text(ENGINE, encoding="utf-8")
    command = [sys.executable, str(script)]
    toml = tournament_file(tmp_path, "x", "rounds = 1", engines={"a": command, "b": command})
    assert "is not the program" not in oddly("tournament", toml).err
    script.write_text(ENGINE + "# rebuilt\n", encoding="utf-8")
    toml.write_text(toml.read_text("utf-8").replace("rounds = 1", "rounds = 2"), encoding="utf-8")
    said = oddly("tournament", toml).err
    assert said.count("has changed since") == 2
    assert f": {script}; " in said
    known = facts("standings", toml.with_suffix(".sqlite"))["engines"]
    assert [each["name"] for each in known] == ["a", "a", "b", "b"]
    assert {each["version"] for each in known} == {f"random {VERSION}"}
    assert len({each["hash"] for each in known}) == 2
    assert known[1]["files"][str(script)] == sha256(script.read_text(encoding="utf-8"))


def test_our_own_hash_is_of_the_sources_wherever_oddly_is_started(tmp_path):
    code = "from oddly.tournaments.ledger.engines import own_hash; print(own_hash())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.strip() == own_hash() != hashlib.sha256().hexdigest()
