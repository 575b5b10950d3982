"""Folders and files with the names of our rooms, wherever oddly is started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import PYTHON
from tests.source import PACKAGES

MODULES = ("random", "types", "numpy", "trio", "click", "json")
"""Files that Python would import, did it look into the working directory."""


@pytest.fixture
def hostile(tmp_path):
    """A folder in which every room of oddly has a namesake, which fails when it is imported."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError(__file__)\n")
    return tmp_path


def started(folder, *words, **environment):
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_a_match_is_played_in_a_hostile_folder(hostile):
    for name in MODULES:
        (hostile / f"{name}.py").write_text("raise RuntimeError(__file__)\n")
    engine = f"{PYTHON} -P -m oddly engine random"
    words = ["match", engine, engine, "--game", "odd", "--size", "2", "--games", "2", "--json"]
    done = started(hostile, sys.executable, "-P", "-m", "oddly", *words, "--time", "none")
    assert done.returncode == 0, done.stderr
    assert '"forfeits": 0' in done.stdout


@pytest.mark.parametrize("way", ["command", "module", "path"])
def test_packages_with_the_names_of_our_rooms_are_in_nobodys_way(hostile, way):
    oddly = str(Path(sys.executable).with_name("oddly"))
    python = (sys.executable, "-m", "oddly")
    beside = {"PYTHONPATH": str(hostile)} if way == "path" else {}
    start = python if way == "module" else (oddly,)
    done = started(hostile, *start, "show", "--game", "odd", "--size", "2", **beside)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
