"""Folders and files with the names of our packages, wherever oddly is started."""

import os
import subprocess
import sys

import pytest

from tests.programs import PYTHON
from tests.source import PACKAGES, ROOT

COMMAND = [sys.executable, "-P", "-m", "oddly"]
MODULES = ("random", "types", "numpy", "trio", "click", "json")
"""Files that Python would import, did it look into the working directory."""


@pytest.fixture
def hostile(tmp_path):
    """A folder in which everything has a name that oddly imports, and fails."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError(__file__)\n")
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text("raise RuntimeError(__file__)\n")
    return tmp_path


def started(folder, *words, **environment):
    return subprocess.run(
        [*COMMAND, *words], cwd=folder, capture_output=True, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_a_match_is_played_in_a_hostile_folder(hostile):
    engine = f"{PYTHON} -P -m oddly engine random"
    words = ["match", engine, engine, "--game", "odd", "--size", "2", "--games", "2", "--json"]
    done = started(hostile, *words, "--time", "none")
    assert done.returncode == 0, done.stderr
    assert '"forfeits": 0' in done.stdout


@pytest.mark.parametrize("name", ["games", "interfaces", "protocol"])
def test_a_package_that_is_found_before_ours_is_named_in_a_sentence(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").touch()
    done = started(tmp_path, "show", "--game", "odd", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == (
        f"oddly: the package {name!r} of oddly is not in {ROOT}, but found at "
        f"{tmp_path / name / '__init__.py'}: something else has taken its name. Start oddly by "
        "its command, without PYTHONPATH, from an environment of its own\n"
    )
