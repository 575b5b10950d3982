"""The tables of options in the docs are those of the program."""

import importlib.util

from oddly.interfaces.command_line.main import SUMMARIES
from tests.source import ROOT


def generated():
    path = ROOT / "tools" / "write_options.py"
    spec = importlib.util.spec_from_file_location("write_options", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generated()


def test_the_pages_have_the_options_of_the_program():
    for path, text in generated().items():
        there = (ROOT / path).read_text(encoding="utf-8")
        assert there == text, f"{path}: python tools/write_options.py writes it anew"


def test_every_command_is_there():
    page = (ROOT / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
    assert [name for name in SUMMARIES if f"\n### oddly {name}\n" not in page] == []
