"""`oddly --help` and the help of every subcommand."""

from pathlib import Path

import pytest

from oddly.interfaces.command_line.main import GROUPS, SUMMARIES, TOGETHER

FOLDER = Path(__file__).parents[3] / "interfaces" / "command_line"


def test_help_lists_every_subcommand_in_its_group(output):
    shown = output("--help")
    places = [shown.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    for name in SUMMARIES:
        assert f"\n  {name} " in shown


def test_every_module_of_a_subcommand_is_listed():
    alone = {path.stem.removesuffix("_command") for path in FOLDER.glob("*_command.py")}
    assert {path.stem for path in FOLDER.glob("*_commands.py")} == set(TOGETHER)
    together = [name for names in TOGETHER.values() for name in names]
    assert sorted([*alone, *together]) == sorted(SUMMARIES)


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_subcommand_has_help(name, oddly):
    shown, error = oddly(name, "-h")
    assert shown.startswith(f"Usage: oddly {name} ")
    assert error == ""
