"""docs/tutorials/write-an-engine.md is true: its program is put together, every command typed.

A Python block after `<!-- engine: NAME -->` is a piece of the program: a new piece comes before the
last one, and a piece with a known name replaces it. A block after `<!-- file: NAME -->` is a file.
In a `console` block a line after `$ ` is typed, and the lines below are its output; `...` stands
for anything, and on a line of its own for any lines.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.examples.languages import EXAMPLES, LANGUAGES, ROOT

PAGE = ROOT / "docs" / "tutorials" / "write-an-engine.md"
BLOCK = re.compile(
    r"(?:<!-- (engine|file): (\S+) -->\n)?```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
LAST_PIECE = "serve"


@dataclass(frozen=True)
class Block:
    """A fenced block: what the comment above it says, its language and its text."""

    kind: str
    name: str
    language: str
    text: str


def blocks() -> list[Block]:
    page = PAGE.read_text(encoding="utf-8")
    found = [Block(*match.groups(default="")) for match in BLOCK.finditer(page)]
    assert len(found) * 2 == len(re.findall("^```", page, re.MULTILINE))
    return found


def program(pieces: dict[str, str]) -> str:
    order = [name for name in pieces if name != LAST_PIECE]
    return "\n\n".join(pieces[name] for name in [*order, LAST_PIECE])


def matches(expected: str, output: str) -> bool:
    """Whether an output is the expected one, apart from what `...` stands for."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += re.escape(line).replace(r"\.\.\.", r"[^\n]*") + r"[ ]*\n"
    return re.fullmatch(pattern, output.rstrip() + "\n") is not None


def typed(console: str) -> list[tuple[str, str]]:
    """Each command of a block with its output."""
    parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    assert parts[0] == ""
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_every_step_of_the_tutorial(tmp_path):
    here = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    pieces: dict[str, str] = {}
    commands = 0
    for block in blocks():
        if block.kind == "engine":
            pieces[block.name] = block.text
            if LAST_PIECE in pieces:
                (tmp_path / "my_engine.py").write_text(program(pieces), encoding="utf-8")
        elif block.kind == "file":
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command, expected in typed(block.text):
                commands += 1
                done = subprocess.run(
                    ["sh", "-c", command],
                    cwd=tmp_path,
                    env={**os.environ, **here, "COLUMNS": "100"},
                    capture_output=True,
                    text=True,
                )
                assert done.returncode == 0, (command, done.stdout, done.stderr)
                assert matches(expected, done.stdout), (command, done.stdout)
    assert commands >= 8
    finished = (EXAMPLES / "python" / "tiny.py").read_text(encoding="utf-8")
    assert finished == f"#!/usr/bin/env python3\n{program(pieces)}"


def test_dots_stand_for_anything_and_all_else_is_verbatim():
    assert matches("a\n...\nb\n", "a\nb\n")
    assert matches("a\n...\nb\n", "a\nx\n\ny\nb\n")
    assert matches("a ... c\n", "a b c\n")
    assert not matches("a\n...\nb\n", "a\nx\n")
    assert not matches("a ... c\n", "a b\nc\n")
    assert not matches("a\n", "a\nb\n")


def test_the_table_of_the_examples_names_every_file_and_its_links_lead_somewhere():
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    links = set(re.findall(r"\]\(([^)#]+)\)", readme))
    assert [link for link in links if not (EXAMPLES / link).exists()] == []
    for language in LANGUAGES:
        files = [path.name for path in language.folder.iterdir() if path.name != "__pycache__"]
        assert {f"{language.name.lower()}/{name}" for name in files} <= links
