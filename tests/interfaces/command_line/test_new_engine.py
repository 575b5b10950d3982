"""`oddly new-engine`: what it writes builds, passes the check and plays a match."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from itertools import product

import pytest

from oddly.interfaces.command_line import main
from oddly.interfaces.command_line.copying_commands import LANGUAGES, example_file, files_of
from tests.programs import PYTHON, need
from tests.sampling import sample_number
from tests.source import ROOT

NAMES = sorted(LANGUAGES)
SAMPLED = NAMES[sample_number() % len(NAMES)]


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A PATH on which `oddly` is this one."""
    program = tmp_path / "bin" / "oddly"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {PYTHON} -m oddly "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    "language",
    [
        pytest.param(SAMPLED, id="sampled"),
        *(pytest.param(name, marks=pytest.mark.soak) for name in NAMES),
    ],
)
def test_the_engine_in_the_sampled_or_every_language_passes_its_test(
    language, tmp_path, path, output
):
    makes = ["make"] if "Makefile" in LANGUAGES[language].files else []
    need(LANGUAGES[language].program, *makes)
    folder = tmp_path / "My Engine"
    assert shlex.quote(str(folder / "test.sh")) in output("new-engine", language, folder)
    done = subprocess.run([str(folder / "test.sh")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed, " in done.stdout
    assert "my-engine" in done.stdout


@pytest.mark.parametrize("language", NAMES)
def test_the_example_is_the_source_and_bears_the_name_of_the_directory(language):
    source = example_file(language).read_text(encoding="utf-8")
    files = files_of(LANGUAGES[language], source, "7 Little_Engines")
    text = files[LANGUAGES[language].source]
    assert text == source.replace(f"tiny-{language}", "engine-7-little-engines")
    assert text != source
    assert "oddly check" in files["test.sh"]
    assert not any("NAME" in files[name] for name in LANGUAGES[language].files)


AWKWARD = [
    *["a b", "fn", "class", "import", "go", "fmt", "std", "core", "java", "test", "build", "deps"],
    *["7up", "my.engine.v1", "..mine", "gr\u00f6\u00dfe", "\u5f15\u64ce", "it's", 'say "hi"'],
    *["$HOME", "`x`", "a;b", "back\\slash", "-dash", "con", "node_modules", "Tiny", "target"],
    *["100%", "a:b", "a\nb", "tab\tb", "\udcff", "\x1b[31m"],
]
REFUSED_BY = {"100%": ["rust"], "a:b": ["rust"]}
"""Names in which some languages build nothing; none builds in one that is not printable."""


def is_refused(language, name) -> bool:
    return not name.isprintable() or language in REFUSED_BY.get(name, ())


@pytest.mark.parametrize("name", AWKWARD, ids=ascii)
@pytest.mark.parametrize("language", NAMES)
def test_any_name_of_a_directory_is_taken_or_refused_in_a_sentence(
    tmp_path, language, name, refusal
):
    folder = tmp_path / name
    if is_refused(language, name):
        (sentence,) = refusal("new-engine", language, folder).splitlines()
        assert "expected a p" in sentence
        assert not folder.exists()
        return
    assert main(["new-engine", language, str(folder)]) == 0
    assert subprocess.run(["sh", "-n", str(folder / "test.sh")]).returncode == 0
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".toml":
            tomllib.loads(text)
        elif file.suffix == ".json":
            json.loads(text)
        elif file.name == "go.mod":
            # A path without a dot in its first word belongs to Go's own library.
            assert text.startswith("module example.com/engine\n")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("language", "name"),
    [pair for pair in product(NAMES, AWKWARD) if not is_refused(*pair)],
    ids=ascii,
)
def test_the_engine_runs_in_a_directory_of_any_name(tmp_path, monkeypatch, language, name):
    template = LANGUAGES[language]
    need(template.program, *(["make"] if template.build == "make" else []))
    monkeypatch.chdir(tmp_path)
    # Relative, which `-dash` can only be after `--`.
    assert main(["new-engine", language, "--", name]) == 0
    words = ["sh", "-ec", f"{template.build or ':'} >&2\n{template.start}"]
    done = subprocess.run(
        words, cwd=tmp_path / name, input="1 name\n", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch("=1 [a-z0-9-]+\n\n", done.stdout), done.stdout


def test_the_test_of_an_engine_in_this_directory_is_named_so_that_a_shell_finds_it(
    tmp_path, monkeypatch, output
):
    monkeypatch.chdir(tmp_path)
    assert "Build and test it with ./test.sh\n" in output("new-engine python .")


def test_nothing_is_overwritten(tmp_path, refusal):
    (tmp_path / "mine").write_text("mine")
    assert "is not empty" in refusal("new-engine python", tmp_path)
    assert "unknown language 'perl'" in refusal("new-engine perl", tmp_path / "new")
    assert not (tmp_path / "new").exists()
