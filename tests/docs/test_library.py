"""docs/how-to/use-from-python.md: every example runs, one after the other."""

import re
import subprocess
import sys

from oddly.games.installation import VERSION
from tests.source import ROOT

PAGE = ROOT / "docs" / "how-to" / "use-from-python.md"
OUTPUT = [
    "12 legal turns",
    "White (O) to move",
    "Greedy Chance ",
    "all games 1 Greedy ",
    "wins-losses against",
    "club 4 games [",
    "game 1 begins",
    "False 4",
    "('A', 'B') [ 175.59",
    "('Greedy', 'Chance') B+",
    f"random {VERSION} 0 failed",
]
"""What the examples print, among other things."""


def test_every_example_runs(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert [line for line in OUTPUT if line not in done.stdout] == []
    assert "<svg" in (tmp_path / "board.svg").read_text(encoding="utf-8")
    assert (tmp_path / "match.sgf").read_text(encoding="utf-8").count("(;") == 2


def test_a_match_takes_ten_lines():
    text = PAGE.read_text(encoding="utf-8").split("## Play a match")[1]
    block = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(block[1].strip().splitlines()) <= 10
