"""The how-to guide of the environments runs as it is written."""

import re
import subprocess
import sys

import pytest

from tests.programs import need
from tests.source import ROOT

PAGE = (ROOT / "docs" / "how-to" / "train-with-environments.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- needs (\w+) -->\n)?```python\n(.*?)```", re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in BLOCK.finditer(PAGE)]


def run(code, cwd):
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_examples_that_need_nothing_more_run(tmp_path):
    said = run("\n".join(code for package, code in BLOCKS if package is None), tmp_path)
    assert re.fullmatch(r"\(256, 8, 5, 5\) \(256, 40\) first player \d+, second \d+", said[0])
    assert re.fullmatch("[BW][a-g][1-7]", said[2])
    assert said[3:] == ["12 (256, 8, 5, 5) (256, 40)", "1 (8, 5, 5)"]


def test_a_search_takes_fifty_lines():
    (code,) = [code for _, code in BLOCKS if "Playouts(" in code]
    assert len(code.splitlines()) <= 50


@pytest.mark.parametrize(("package", "code"), [each for each in BLOCKS if each[0]])
def test_the_examples_of_other_projects_run(package, code, tmp_path):
    need(package)
    assert run(f"import oddly\n{code}", tmp_path)


def test_every_project_has_an_example():
    assert {package for package, _ in BLOCKS} == {None, "pettingzoo", "gymnasium", "open_spiel"}
