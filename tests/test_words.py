"""One word for each concept: docs/reference/vocabulary.md is true, and the packages keep to it."""

import re
from collections import defaultdict
from functools import cache
from pathlib import PurePath

import pytest

from tests.source import ROOT, Module, modules

PAGE = ROOT / "docs" / "reference" / "vocabulary.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
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
    names = {words_of(name): line for line, name in module.identifiers()}
    return [(line, plain(text).lower()) for line, text in prose] + [
        (line, name) for name, line in names.items()
    ]


def uses(module: Module, word: str) -> list[str]:
    """The places where a module uses a forbidden word."""
    if word.endswith("_"):
        found = [(line, name) for line, name in module.identifiers() if name.startswith(word)]
    else:
        pattern = re.compile(rf"\b{re.escape(word)}s?\b")
        found = [(line, text) for line, text in texts(module) if pattern.search(text)]
    return [f"{module.path}:{line}: {word}" for line, _ in found]


def test_the_page_has_words():
    assert len(NAMED) > 20
    assert {"contestant", "whoever", "MOST_"} <= set(FORBIDDEN)


@pytest.mark.parametrize("word", FORBIDDEN)
def test_nobody_uses_the_other_word(word):
    assert [place for module in modules() for place in uses(module, word)] == []


def test_every_word_of_the_page_is_in_the_code():
    known = {name for module in modules() for _, name in module.identifiers()}
    known |= {PurePath(module.path).stem for module in modules()}
    known |= {name for module in modules() for name in re.findall(r"\w+", module.text)}
    assert [name for name in NAMED if name not in known] == []


def test_no_two_classes_have_the_same_name():
    homes = defaultdict(list)
    for module in modules():
        for each in module.classes():
            homes[each.name].append(module.path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
