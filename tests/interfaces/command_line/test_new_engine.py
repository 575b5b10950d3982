"""`oddly new-engine`: what it writes builds, passes the check and plays a match."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from oddly.interfaces.command_line.main import main
from oddly.interfaces.command_line.shipped_examples import LANGUAGES, example_file, files_of
from tests.programs import PYTHON, need
from tests.sampling import sample_number

NAMES = sorted(LANGUAGES)
SAMPLED = NAMES[sample_number() % len(NAMES)]


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A PATH on which `oddly` is this one."""
    program = tmp_path / "bin" / "oddly"
    program.parent.mkdir()
    root = Path(__file__).parents[3]
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(root))} exec {PYTHON} -m oddly "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def passes_its_test(tmp_path, language, capsys):
    makes = ["make"] if "Makefile" in LANGUAGES[language].files else []
    need(LANGUAGES[language].program, *makes)
    folder = tmp_path / "My Engine"
    assert main(["new-engine", language, str(folder)]) == 0
    assert str(folder / "test.sh") in capsys.readouterr().out
    done = subprocess.run([str(folder / "test.sh")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed, " in done.stdout
    assert "my-engine" in done.stdout


def test_the_engine_in_the_sampled_language_passes_its_test(tmp_path, path, capsys):
    passes_its_test(tmp_path, SAMPLED, capsys)


@pytest.mark.soak
@pytest.mark.parametrize("language", NAMES)
def test_the_engine_in_every_language_passes_its_test(tmp_path, path, language, capsys):
    passes_its_test(tmp_path, language, capsys)


@pytest.mark.parametrize("language", NAMES)
def test_the_example_is_the_source_and_bears_the_name_of_the_directory(language):
    source = example_file(language).read_text(encoding="utf-8")
    files = files_of(LANGUAGES[language], source, "7 Little_Engines")
    text = files[LANGUAGES[language].source]
    assert text == source.replace(f"tiny-{language}", "engine-7-little-engines")
    assert text != source
    assert "oddly check" in files["test.sh"]
    assert not any("NAME" in files[name] for name in LANGUAGES[language].files)


def test_nothing_is_overwritten(tmp_path, capsys):
    (tmp_path / "mine").write_text("mine")
    assert main(["new-engine", "python", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["new-engine", "perl", str(tmp_path / "new")]) == 2
    assert not (tmp_path / "new").exists()
