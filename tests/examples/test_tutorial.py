"""docs/tutorials/write-an-engine.md is true: its program is put together, every command typed.

A Python block after `<!-- engine: NAME -->` is a piece of the program: a new piece comes before the
last one, and a piece with a known name replaces it. All else is as in `tests/docs/pages.py`.
"""

import re

import pytest

from tests.docs.pages import matches, printed, typed
from tests.examples.languages import EXAMPLES, LANGUAGES, ROOT

PAGE = ROOT / "docs" / "tutorials" / "write-an-engine.md"
BLOCK = re.compile(
    r"(?:<!-- (engine|file): (\S+) -->\n)?```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
LAST_PIECE = "serve"


def program(pieces: dict[str, str]) -> str:
    order = [name for name in pieces if name != LAST_PIECE]
    return "\n\n".join(pieces[name] for name in [*order, LAST_PIECE])


@pytest.mark.sampled
def test_every_step_of_the_tutorial(tmp_path):
    page, pieces, commands = PAGE.read_text(encoding="utf-8"), {}, 0
    blocks = BLOCK.findall(page)
    assert len(blocks) * 2 == len(re.findall("^```", page, re.MULTILINE))
    for kind, name, language, text in blocks:
        if kind == "engine":
            pieces[name] = text
            if LAST_PIECE in pieces:
                (tmp_path / "my_engine.py").write_text(program(pieces), encoding="utf-8")
        elif kind == "file":
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif language == "console":
            for command, expected in typed(text):
                commands += 1
                output = printed(command, tmp_path)
                assert matches(expected, output), (command, output)
    assert commands >= 8
    finished = (EXAMPLES / "python" / "tiny.py").read_text(encoding="utf-8")
    assert finished == f"#!/usr/bin/env python3\n{program(pieces)}"


def test_the_table_of_the_examples_names_every_file_and_its_links_lead_somewhere():
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    links = set(re.findall(r"\]\(([^)#]+)\)", readme))
    assert [link for link in links if not (EXAMPLES / link).exists()] == []
    for language in LANGUAGES:
        files = [path.name for path in language.folder.iterdir() if path.name != "__pycache__"]
        assert {f"{language.name.lower()}/{name}" for name in files} <= links
