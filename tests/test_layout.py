"""The source by its own rules: the size of rooms and files, public names, docstrings and words.

A public name that is added is added to tests/data/exports.txt as well, with a line in CHANGELOG.md.
Taking one away needs a new major version. Ruff holds that there are docstrings, and this that they
say which errors are raised. docs/reference/vocabulary.md has one word for each concept.
"""

import ast
import importlib
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import PurePath

import pytest

from tests.source import PACKAGES, ROOT, Module, modules, public_functions, raised_by

MAX_LINES = 400
MAX_SHARE = 0.36
"""About a third of the code, for one top-level room."""
GOLDEN = (ROOT / "tests" / "data" / "exports.txt").read_text(encoding="utf-8").splitlines()
HEAVY = {"click", "jinja2", "numba", "numpy", "pydantic", "pyparsing", "rich", "rustworkx",
         "tabulate", "trio"}  # fmt: skip


def test_the_public_names_are_those_that_are_promised():
    found = []
    for package in PACKAGES:
        room = importlib.import_module(f"oddly.{package}")
        found += [f"{package}.{name}" for name in room.__all__]
        assert all(getattr(room, name) is not None for name in room.__all__)
        with pytest.raises(AttributeError, match="attribute no_such_name"):
            _ = room.no_such_name
    assert sorted(found) == GOLDEN
    assert len(set(GOLDEN)) == len(GOLDEN)


@pytest.mark.parametrize("name", ["oddly", *(f"oddly.{package}" for package in PACKAGES)])
def test_an_import_imports_nothing_heavy_and_no_other_room(name):
    code = f"import sys, {name}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = set(done.stdout.split())
    assert HEAVY & found == set()
    assert {module for module in found if module.split(".")[0] == "oddly"} == {"oddly", name}


def test_no_file_is_longer_than_400_lines():
    lengths = {module.path: len(module.text.splitlines()) for module in modules()}
    assert {path: lines for path, lines in lengths.items() if lines > MAX_LINES} == {}
    assert 60 < statistics.median(lines for lines in lengths.values() if lines > 5) < 300


def test_no_room_holds_more_than_about_a_third_of_the_code():
    sizes = Counter()
    for module in modules():
        sizes[module.room] += len(module.text.splitlines())
    assert set(sizes) == set(PACKAGES)
    assert {room: n for room, n in sizes.items() if n > MAX_SHARE * sizes.total()} == {}


def test_the_page_about_the_house_names_rooms_and_files_that_exist():
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    rooms = page.split("## The rooms")[1].split("## Why")[0].split("\n- **")[1:]
    assert {rooms[n].partition("/")[0] for n in range(len(PACKAGES))} == set(PACKAGES)
    missing = []
    for room in rooms:
        folder = ROOT / room.partition("/")[0]
        for name in re.findall(r"`([\w/]+(?:\.py|/))`", room):
            inside = list(folder.rglob(name)) if "/" not in name.rstrip("/") else []
            if not inside and not (folder / name).exists() and not (ROOT / name).exists():
                missing.append(f"{folder.name}: {name}")
    assert missing == []


def test_what_is_written_about_files_names_files_that_exist():
    known = {path.name for path in ROOT.rglob("*.py") if ".venv" not in path.parts}
    stale = [
        f"{module.path}:{line} {name}"
        for module in modules()
        for line, text in module.docstrings()
        for name in re.findall(r"(?<![\w*])[a-z]\w*\.py\b", text)
        if name not in known
    ]
    assert stale == []


ABSTRACT = {"NotImplementedError"}
CALLED_BY_A_DECORATOR = {"step", "command"}
"""A step of the check and a command: what calls them says what it does with errors."""


def is_called_by_a_decorator(function):
    called = [getattr(decorator, "func", decorator) for decorator in function.decorator_list]
    return any(getattr(each, "id", "") in CALLED_BY_A_DECORATOR for each in called)


def silent(module):
    """The functions of a module that raise something that their docstring does not name."""
    return [
        f"{module.path} {name}: {raised}"
        for name, function, docstring in public_functions(module)
        if not is_called_by_a_decorator(function)
        for raised in sorted(raised_by(function) - ABSTRACT)
        if raised not in docstring
    ]


def test_public_functions_say_what_they_raise():
    assert [place for module in modules() for place in silent(module)] == []


def test_what_a_docstring_does_not_say_is_found():
    text = '''
class Kept:
    """Raises KeyError without a name."""

    def __init__(self, name):
        if not name:
            raise KeyError
        if name == "a":
            raise ValueError("a")

    def read(self):
        """Return it. Raises OSError."""
        def inner():
            raise TypeError
        raise OSError("no")

    def _private(self):
        raise RuntimeError
'''
    module = Module("kept.py", text, ast.parse(text))
    assert silent(module) == ["kept.py Kept.__init__: ValueError"]


PAGE = (ROOT / "docs" / "reference" / "vocabulary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| we say", "| ---"))
]
FORBIDDEN = [word.strip(" `") for row in ROWS for word in row[-1].split(",") if word.strip()]
NAMED = [name for row in ROWS if len(row) == 4 for name in re.findall(r"`([^`]+)`", row[2])]


def words_of(identifier: str) -> str:
    """`MAX_Load`, `maxLoad` and `max_load` all as `max load`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", identifier)
    return apart.replace("_", " ").lower()


def plain(text: str) -> str:
    """A text on one line, without the titles of books, which are set in italics."""
    return re.sub(r"\*[^*]+\*", "", " ".join(text.split()))


@cache
def texts(module: Module) -> list[tuple[int, str]]:
    """The docstrings, comments and identifiers of a module, in lower case."""
    prose = [*module.docstrings(), *module.comments()]
    names = {words_of(name): line for line, name in module.identifiers}
    return [(line, plain(text).lower()) for line, text in prose] + [
        (line, name) for name, line in names.items()
    ]


def uses(module: Module, word: str) -> list[str]:
    """The places where a module uses a forbidden word."""
    if word.endswith("_"):
        found = [(line, name) for line, name in module.identifiers if name.startswith(word)]
    else:
        pattern = re.compile(rf"\b{re.escape(word)}s?\b")
        # Most texts lack the word, which is found out sooner without the pattern.
        found = [
            (line, text) for line, text in texts(module) if word in text and pattern.search(text)
        ]
    return [f"{module.path}:{line}: {word}" for line, _ in found]


def test_the_page_has_words():
    assert len(NAMED) > 20
    assert {"contestant", "whoever", "MOST_"} <= set(FORBIDDEN)


@pytest.mark.parametrize("word", FORBIDDEN)
def test_nobody_uses_the_other_word(word):
    assert [place for module in modules() for place in uses(module, word)] == []


def test_every_word_of_the_page_is_in_the_code():
    known = {name for module in modules() for _, name in module.identifiers}
    known |= {PurePath(module.path).stem for module in modules()}
    known |= {name for module in modules() for name in re.findall(r"\w+", module.text)}
    assert [name for name in NAMED if name not in known] == []


def test_no_two_classes_have_the_same_name():
    homes = defaultdict(list)
    for module in modules():
        for each in module.classes():
            homes[each.name].append(module.path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
