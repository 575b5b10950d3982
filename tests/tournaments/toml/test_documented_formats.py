"""The examples of docs/reference/formats.md are tournament files, and no format lacks one."""

import re
import tomllib
from dataclasses import fields

import pytest

from oddly.interfaces.command_line import main
from oddly.tournaments.formats.format import FORMATS
from tests.source import ROOT
from tests.tournaments.toml.written import tournament_file

PAGE = ROOT / "docs" / "reference" / "formats.md"
BLOCKS = re.findall(r"```toml\n(\[tournament\]\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
EXAMPLES = {
    tomllib.loads(block)["tournament"]["format"]: block
    for block in BLOCKS
    if "[[engine]]" not in block
}


def test_every_format_has_an_example():
    # A tuning has a page of its own.
    assert set(EXAMPLES) | {"gauntlet", "tuning"} == set(FORMATS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_passes_the_check(tmp_path, capsys, name):
    path = tournament_file(tmp_path, "example", game='game = "yodd"\nsize = 3')
    rest = path.read_text(encoding="utf-8")
    path.write_text(EXAMPLES[name] + rest[rest.index("[[game]]") :], encoding="utf-8")
    assert main(["tournament", str(path), "--check"]) == 0
    assert main(["tournament", str(path), "--dry-run"]) == 0
    output = capsys.readouterr().out
    assert "yodd 3  one - two" in output


def test_the_keys_of_the_examples_are_all_that_a_format_has():
    for name, block in EXAMPLES.items():
        keys = set(tomllib.loads(block)["tournament"]) - {"name", "format"}
        assert keys == {field.name for field in fields(FORMATS[name])}
