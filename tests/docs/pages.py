"""Pages of the docs as a reader works through them: files to save, commands to type, their output.

A block after `<!-- file: NAME -->` is a file. In a `console` block a line after `$ ` is typed, and
the lines below are what it prints: standard output, or what a command that fails says. `...` stands
for anything within a line, and on a line of its own for any lines.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.patience import PATIENCE

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(
    r"(?:<!-- file: (\S+) -->\n)?```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE
)


class Block(NamedTuple):
    """A fenced block: the file that it is, if it is one, its language and its text."""

    file: str
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = [Block(*match.groups(default="")) for match in BLOCK.finditer(text)]
    assert len(found) * 2 == len(re.findall("^```", text, re.MULTILINE))
    return found


def typed(console: str) -> list[tuple[str, str]]:
    """Each command of a block with the output that the page shows."""
    before, *parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    assert before == ""
    return list(zip(parts[::2], parts[1::2], strict=True))


def matches(expected: str, output: str) -> bool:
    """Whether an output is the expected one, apart from what `...` stands for."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", r"[^\n]*") + r"[ ]*\n"
    return re.fullmatch(pattern or r"\n?", output.rstrip() + "\n") is not None


def printed(command: str, folder: Path) -> str:
    """What a reader sees who types a command in a folder, on a line 100 characters wide."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.stdout + (done.stderr if done.returncode else "")


def work_through(page: Path, folder: Path) -> int:
    """Save its files and type its commands, in order; how many commands there were.

    Data that the page links to lies in the folder from the start.
    """
    for name in re.findall(r"\]\((\.\./data/[^)]*)\)", page.read_text(encoding="utf-8")):
        shutil.copy(page.parent / name, folder)
    count = 0
    for block in blocks(page):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        if block.language != "console":
            continue
        for command, expected in typed(block.text):
            output = printed(command, folder)
            assert matches(expected, output), f"{page.name}: $ {command}\n{output}"
            count += 1
    return count
