"""The page that says how to add a game shows the very game that the tests install."""

import tomllib
from pathlib import Path

from tests.docs.pages import DOCS, blocks

INSTALLED = Path(__file__).parent / "installed"


def test_the_page_shows_the_game_that_the_tests_install():
    files = {
        block.file: block.text for block in blocks(DOCS / "how-to" / "add-a-game.md") if block.file
    }
    assert files["tictac.py"] == (INSTALLED / "tictac.py").read_text(encoding="utf-8")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    ((name, value),) = project["entry-points"]["oddly.games"].items()
    (declared,) = INSTALLED.glob("*.dist-info/entry_points.txt")
    assert f"{name} = {value}\n" in declared.read_text(encoding="utf-8")
