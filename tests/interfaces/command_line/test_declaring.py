"""A parameter's name, annotation and declaration make its option, and all options have help."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import click
import pytest

from oddly.games.catalogue import GAMES
from oddly.games.yodd import Yodd
from oddly.interfaces.command_line import common_options
from oddly.interfaces.command_line.command import (
    POSITIVE,
    SECONDS,
    WHOLE_NUMBER,
    Value,
    command,
)
from oddly.interfaces.command_line.common_options import GameOptions
from oddly.interfaces.command_line.declaring import argument, collected, flag, option, options
from oddly.interfaces.command_line.main import GROUPS, PROGRAM, SUMMARIES, TOGETHER
from tests.source import ROOT


@options("Shape")
class Shape:
    width: int = option("N", "how wide", kind=POSITIVE, default=8)
    title: str | None = option("TEXT", "what is above")


@options()
class LargeShape(Shape):
    depth: int = option("N", "how deep", kind=POSITIVE, names="--depth -d")
    own: Mapping[str, str] = collected("own_", lambda: [click.Option(["--own-colour"])])


@command("draw house")
def draw(
    file: Path = argument("FILE"),
    words: tuple[str, ...] = argument("[WORD...]"),
    *,
    shape: LargeShape,
    names: tuple[str, ...] = option("NAME", "may be repeated"),
    seconds: float = option("S", kind=SECONDS, default=2.0),
    sizes: tuple[int, ...] = option("N,N", kind=Value(str.split), default=(1, 2)),
    every: str | None = option("[DAY]", without_value="day"),
    plain: bool = flag("no colours"),
    table: bool | None = flag("print a table, or not"),
):
    print(dict(locals()))
    return 0


@command("deal")
def deal(
    *,
    game: GameOptions,
    seed: int = option("N", "of everything random", kind=WHOLE_NUMBER, default=0),
):
    print(seed, dict(game.settings))
    return 0


@dataclass(frozen=True)
class Seeded(Yodd):
    """A game of another package with settings named like options of a command."""

    name: ClassVar[str] = "seeded"
    seed: int = 3
    row: int = 4


def test_an_option_of_a_command_is_not_taken_by_a_setting_of_its_name(capsys, monkeypatch):
    monkeypatch.setattr(common_options, "GAMES", {**GAMES, "seeded": Seeded})
    deal.main(["--game", "seeded", "--seed", "5", "--row", "6"], standalone_mode=False)
    assert capsys.readouterr().out == "5 {'row': 6}\n"
    with pytest.raises(SystemExit):
        deal.main(["--help"])
    assert capsys.readouterr().out.count("--seed") == 1


def drawn(*words, capsys):
    draw.main(list(words), standalone_mode=False)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", "'words': (), 'shape': LargeShape(width=8, title=None, depth=3, own={})"),
        ("", "'file': PosixPath('f')"),
        ("", "'names': (), 'seconds': 2.0, 'sizes': (1, 2), 'every': None, 'plain': False, "),
        ("", "'table': None}"),
        ("a b", "'words': ('a', 'b')"),
        ("--names a --names b", "'names': ('a', 'b')"),
        ("--width 3 --title x --own-colour red", "width=3, title='x', depth=3, own={'colour'"),
        ("--depth 4", "depth=4"),
        ("--every", "'every': 'day'"),
        ("--every week", "'every': 'week'"),
        ("--plain --no-table", "'plain': True, 'table': False}"),
        ("--table", "'table': True}"),
    ],
)
def test_the_function_takes_values_as_they_are_annotated(words, expected, capsys):
    assert expected in drawn("-d", "3", "f", *words.split(), capsys=capsys)


@pytest.mark.parametrize("words", [["f"], ["-d", "3"]], ids=["an option", "an argument"])
def test_what_can_be_neither_none_nor_empty_is_required(words, capsys):
    with pytest.raises(click.MissingParameter):
        drawn(*words, capsys=capsys)


@pytest.mark.parametrize(
    ("declared", "annotation"), [(option("N"), int), (flag("is a word"), str), (option("W"), bool)]
)
def test_a_type_that_nothing_reads_is_a_mistake(declared, annotation):
    with pytest.raises(TypeError, match="it needs a kind"):
        declared.parameter("name", annotation)


def test_the_help_has_names_groups_and_defaults(capsys):
    shown = drawn("--help", capsys=capsys)
    width, title, _, *example = shown.partition("\n\nShape:\n")[2].splitlines()
    assert width.split() == ["--width", "N", "how", "wide", "(default:", "8)"]
    assert title.split()[0] == "--title"
    assert example == ["Example:", "  oddly draw house"]
    assert "-d, --depth N" in shown
    assert "--seconds S           (default: 2)\n" in shown
    assert "--table / --no-table  print a table, or not\n" in shown


def test_a_class_of_options_is_made_like_any_dataclass():
    assert Shape(title="a") == Shape(width=8, title="a")
    with pytest.raises(AttributeError):
        Shape(title="a").width = 3


@pytest.mark.parametrize("name", SUMMARIES)
def test_no_help_tells_a_default_twice(name):
    command = PROGRAM.get_command(click.Context(PROGRAM), name)
    context = command.make_context(name, [], resilient_parsing=True)
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        assert record is None or record[1].count("default: ") <= 1


FOLDER = ROOT / "interfaces" / "command_line"


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
