"""Pages that are true: the examples of the library run, and what tools write is up to date."""

import re
import runpy
import subprocess
import sys

import pytest

from oddly.games.installation import VERSION
from oddly.interfaces.command_line.main import SUMMARIES
from tests.programs import need
from tests.source import ROOT
from tools import write_names, write_options
from tools.write_walk import PAGE, STEPS, with_walk

LIBRARY = ROOT / "docs" / "how-to" / "use-from-python.md"
OUTPUT = ["12 legal turns", "White (O) to move", "after 2000 simulations",
          "74 first turns, which win", "Greedy Chance ", "all games 1 Greedy ",
          "wins-losses against", "club 4 games [", "game 1 begins", "False 4",
          "('A', 'B') [ 46.99", "('Greedy', 'Chance') B+",
          f"random {VERSION} 0 failed"]  # fmt: skip
"""What the examples print, among other things."""
COMPILING = "compiling kernels once"


@pytest.mark.sampled
def test_every_example_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", LIBRARY.read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    words = [sys.executable, str(script)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # A machine that has not searched before says that it compiles.
    assert [line for line in done.stderr.splitlines() if COMPILING not in line] == []
    assert [line for line in OUTPUT if line not in done.stdout] == []
    assert "<svg" in (tmp_path / "board.svg").read_text(encoding="utf-8")
    assert (tmp_path / "match.sgf").read_text(encoding="utf-8").count("(;") == 2


def test_a_ledger_is_a_table_of_pandas_in_three_lines(tmp_path):
    need("pandas")
    text = LIBRARY.read_text(encoding="utf-8").split("## Run a tournament")[1]
    (lines,) = re.findall(r"```py\n(.*?)```", text, re.DOTALL)
    assert len(lines.strip().splitlines()) == 3
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    script = "\n".join((
        "import pandas\nfrom oddly.games import create_game\nfrom oddly.tournaments import engine",
        'greedy = engine("oddly engine greedy", time="5", name="Greedy")',
        'chance = engine("oddly engine random", time="5", name="Chance")',
        blocks[0], "from pathlib import Path\nfrom oddly.tournaments import Ledger", lines,
    ))  # fmt: skip
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "termination" in done.stdout


def test_the_examples_of_the_actions_run(tmp_path):
    text = (ROOT / "docs" / "reference" / "actions.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True
    )
    result, move = done.stdout.splitlines()
    assert (result[:2] in ("B+", "W+"), move, done.stderr) == (True, "[27] b1-c1 626", "")


def test_a_match_takes_ten_lines():
    text = LIBRARY.read_text(encoding="utf-8").split("## Play a match")[1]
    block = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(block[1].strip().splitlines()) <= 10


def test_the_pages_have_the_options_of_the_program():
    for path, text in write_options.generated().items():
        there = (ROOT / path).read_text(encoding="utf-8")
        assert there == text, f"{path}: python tools/write_options.py writes it anew"


def test_the_page_of_names_has_each_public_name_with_what_its_source_says():
    there = write_names.PAGE.read_text(encoding="utf-8")
    assert there == write_names.generated(), "python tools/write_names.py writes it anew"
    golden = (ROOT / "tests" / "data" / "exports.txt").read_text(encoding="utf-8").split()
    sections = re.findall(r"^## oddly\.(\w+)\n(.*?)(?=^## |\Z)", there, re.DOTALL | re.MULTILINE)
    listed = [
        f"{room}.{name}"
        for room, text in sections
        for name in re.findall(r"^\| `(\w+)`", text, re.MULTILINE)
    ]
    assert sorted(listed) == golden


def test_every_command_is_there():
    page = (ROOT / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
    assert [name for name in SUMMARIES if f"\n### oddly {name}\n" not in page] == []


def test_the_line_numbers_of_the_walk_are_those_of_today():
    page = PAGE.read_text(encoding="utf-8")
    assert with_walk(page) == page, "python tools/write_walk.py writes it anew"


def test_the_walk_opens_at_most_eight_files():
    assert len({file for file, *_ in STEPS}) <= 8


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tools").glob("write_*.py")), ids=lambda path: path.stem
)
def test_help_writes_nothing(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")
