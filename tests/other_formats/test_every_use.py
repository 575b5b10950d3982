"""A format of another package, installed by entry point: played, resumed, reported and served."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

INSTALLED = Path(__file__).parent / "installed"
FILE = """
[tournament]
name = "a ring"
format = "ring"
rounds = {rounds}
time = "none"

[[game]]
game = "odd"
size = 2
"""
ENGINE = (
    '[[engine]]\nname = "{name}"\ncommand = ["{python}", "-P", "-m", "oddly", "engine", "random"]\n'
)


@pytest.fixture
def ring(tmp_path, monkeypatch):
    """A function that writes a file of that many rounds, in a folder where the format is known."""
    monkeypatch.setenv("PYTHONPATH", str(INSTALLED))

    def write(rounds, more=""):
        engines = [ENGINE.format(name=name, python=sys.executable) for name in "abcd"]
        path = tmp_path / "ring.toml"
        path.write_text(
            FILE.format(rounds=rounds).replace("time =", f"{more}time =") + "".join(engines)
        )
        return path

    return write


def oddly(*words, folder, code=0):
    """What `oddly` prints on standard output, and on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "oddly", *map(str, words)], cwd=folder, capture_output=True,
        text=True, timeout=4 * PATIENCE,
    )  # fmt: skip
    assert done.returncode == code, (words, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.mark.sampled
def test_it_is_played_resumed_and_reported(ring, tmp_path):
    path = ring(1)
    oddly("tournament", path, folder=tmp_path)
    first = json.loads(oddly("standings", "ring.sqlite", "--json", folder=tmp_path)[0])
    path = ring(2)
    oddly("tournament", path, folder=tmp_path)
    shown = oddly("standings", "ring.sqlite", folder=tmp_path)[0]
    assert "The ring" in shown
    assert "points from the next" in shown
    after = json.loads(oddly("standings", "ring.sqlite", "--json", folder=tmp_path)[0])
    assert (first["played"], after["played"]) == (8, 16)
    page = tmp_path / "ring.html"
    oddly("report", "ring.sqlite", "--output", page, folder=tmp_path)
    assert "points from the next" in page.read_text("utf-8")
    assert "sound" in oddly("verify", "ring.sqlite", folder=tmp_path)[0]


@pytest.mark.sampled
def test_its_settings_are_checked_and_told(ring, tmp_path):
    _, error = oddly("tournament", ring(0), folder=tmp_path, code=2)
    assert "rounds" in error
    _, error = oddly("tournament", ring(1, "pairs = 2\n"), folder=tmp_path, code=2)
    assert "'pairs' is a key of the formats swiss and knockout; this one has rounds" in error
    keys = oddly("tournament", "--keys", folder=tmp_path)[0]
    assert "pairs of games of two neighbours" in keys
    assert '"ring"' in oddly("tournament", "--schema", folder=tmp_path)[0]


@pytest.mark.sampled
def test_it_is_served(ring, tmp_path):
    from tests.interfaces.web.serving import serving

    oddly("tournament", ring(1), folder=tmp_path)
    with serving(tmp_path, str(tmp_path / "ring.sqlite")) as server:
        assert server.get("/").status_code == 200


@pytest.mark.sampled
def test_without_the_package_its_ledger_still_has_standings(ring, tmp_path, monkeypatch):
    oddly("tournament", ring(1), folder=tmp_path)
    monkeypatch.delenv("PYTHONPATH")
    assert "a" in oddly("standings", "ring.sqlite", folder=tmp_path)[0]
    _, error = oddly("tournament", ring(1), folder=tmp_path, code=2)
    assert "format" in error
