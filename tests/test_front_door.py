"""`import oddly`: a few names, each with an example that runs, and nothing heavy before its use."""

import copy
import doctest
import inspect
import os
import pickle
import pydoc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import oddly
from oddly.games import Illegality
from oddly.referee.justice.outcome import MachineExhausted, Termination, VoidGame
from tests.source import PACKAGES, ROOT

SAMPLES = {
    "str": "a word",
    "int": 7,
    "bytes": b"said",
    "Illegality": Illegality.PARITY,
    "Termination": Termination.CRASH,
}
"""A value for each kind of argument that an error takes."""

CONSTANTS = {"GAMES"}
"""They have no docstring of their own; the one of `oddly` has an example of each."""
MAX_NAMES = 30


def examples():
    """The docstrings of the front door by name, as tests; that of `oddly` itself is one."""
    objects = {name: getattr(oddly, name) for name in oddly.__all__ if name not in CONSTANTS}
    finder = doctest.DocTestFinder(recurse=False, exclude_empty=False)
    found = {}
    for name, each in {"oddly": oddly, **objects}.items():
        (found[name],) = finder.find(each, name, module=False, globs={}, extraglobs={})
    return found


def test_at_most_thirty_names():
    assert 20 < len(oddly.__all__) <= MAX_NAMES
    assert len(set(oddly.__all__)) == len(oddly.__all__)


@pytest.mark.sampled
@pytest.mark.parametrize("name", sorted({*oddly.__all__, "oddly"} - CONSTANTS))
def test_the_example_of_each_name_uses_it_and_runs(name, tmp_path, monkeypatch):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.chdir(tmp_path)
    example = examples()[name]
    assert example.examples, f"{name} has no example"
    assert f"oddly.{name}" in example.docstring or name == "oddly" or is_got_from_another(name)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    results = runner.run(example, out=said.append)
    assert results.failed == 0, "".join(said)


def test_the_examples_of_all_other_names_run():
    front = {example.docstring for example in examples().values()}
    said = []
    for path in (path for room in PACKAGES for path in sorted((ROOT / room).rglob("*.py"))):
        if ">>>" in path.read_text(encoding="utf-8"):
            name = ".".join(("oddly", *path.relative_to(ROOT).with_suffix("").parts))
            for example in doctest.DocTestFinder().find(import_module(name)):
                if example.docstring not in front:
                    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                    runner.run(example, out=said.append)
    assert not said, "".join(said)


def is_got_from_another(name):
    """Whether it is an abstract class whose objects other names give."""
    return inspect.isabstract(getattr(oddly, name))


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_the_package_tells_of_each_constant_with_an_example(name):
    assert any(f"oddly.{name}" in example.source for example in examples()["oddly"].examples)


def test_the_help_shows_each_name_with_its_example():
    text = pydoc.render_doc(oddly, renderer=pydoc.plaintext)
    for name in oddly.__all__:
        each = getattr(oddly, name)
        assert name in oddly.__doc__
        if name not in CONSTANTS:
            assert f"{name}(" in text
            assert inspect.getdoc(each).splitlines()[0] in text


@pytest.mark.timed
def test_the_import_takes_under_30_ms():
    now = "time.perf_counter()"
    words = [sys.executable, "-c", f"import time; t = {now}; import oddly; print({now} - t)"]
    assert any(float(subprocess.check_output(words, cwd=ROOT)) < 0.03 for _ in range(20))


def test_an_engine_in_no_known_language_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"unknown language 'pyton'.* did you mean 'python'\?$"):
        oddly.new_engine("pyton", tmp_path / "mine")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match=r"is not empty$"):
        oddly.new_engine("python", tmp_path)
    with pytest.raises(OSError, match=r"file/mine: Not a directory$"):
        oddly.new_engine("python", tmp_path / "file" / "mine")


def test_a_test_stops_at_its_decision_and_refuses_what_cannot_be():
    decided = oddly.sprt([2] * 40, 0, 100)
    assert decided.decision == "H1"
    assert oddly.sprt([*[2] * 40, *[0] * 40], 0, 100) == decided
    assert oddly.sprt([0] * 40, 0, 100).decision == "H0"
    assert oddly.sprt([], 0, 100).decision == "continue"
    assert oddly.sprt([2] * 40, 0, 100, scale="bradley-terry").llr != decided.llr
    for wrong in (([3], 0, 100), ([2], 100, 0), ([2], 0, 100, 0), ([2], 0, 100, 0.05, 0.05, "x")):
        with pytest.raises(ValueError, match=r"not|expected"):
            oddly.sprt(*wrong)


def errors():
    """An instance of each error that a room exports, and of those that are raised beside them."""
    rooms = [import_module(f"oddly.{package}") for package in PACKAGES]
    exported = [getattr(room, name) for room in rooms for name in room.__all__]
    kinds = {each for each in exported if inspect.isclass(each) and issubclass(each, Exception)}
    for kind in {*kinds, VoidGame, MachineExhausted}:
        names = [each.annotation for each in inspect.signature(kind.__init__).parameters.values()]
        given = [SAMPLES[name] for name in names if name in SAMPLES]
        yield kind(*(given or ["a sentence"]))


def test_errors_come_back_from_other_processes_as_they_were():
    found = list(errors())
    assert {oddly.IllegalTurn, MachineExhausted} < {type(error) for error in found}
    for error in found:
        error.add_note("in another process")
        unpickled = pickle.loads(pickle.dumps(error))  # noqa: S301 - we made it
        for copied in (unpickled, copy.copy(error), copy.deepcopy(error)):
            assert type(copied) is type(error)
            assert (str(copied), vars(copied)) == (str(error), vars(error))
            assert getattr(copied, "name", None) == getattr(error, "name", None)
