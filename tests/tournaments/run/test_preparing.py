"""Engines before the first game: `oddly warm` runs, and those of one name get different names."""

import shlex

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from oddly.games import create_game
from oddly.interfaces.command_line import main
from oddly.referee import EngineConfiguration, Resources
from oddly.tournaments.run.preparing import arguments, split_command, told_apart, warm_engines
from tests.programs import PYTHON
from tests.tournaments.toml.written import tournament_file


@pytest.mark.parametrize(
    ("commands", "names"),
    [
        (["oddly engine rave --threads 2", "oddly engine rave --threads 4"],
         ["rave threads=2", "rave threads=4"]),
        (["oddly engine rave", "oddly engine rave --threads 4"], ["rave", "rave threads=4"]),
        (["oddly engine rave --threads=2 --level 3", "oddly engine rave --level 3"],
         ["rave threads=2", "rave"]),
        (["mine --fast", "mine"], ["rave fast", "rave"]),
        (["mine --fast --level 1", "mine --level 2"], ["rave fast level=1", "rave level=2"]),
        (["/home/me/old/engine", "/home/me/new/engine"], ["rave old", "rave new"]),
        (["/srv/1.0/bin/it x", "/srv/1.1/bin/it y"], ["rave 1.0 x", "rave 1.1 y"]),
        (["python old.py", "python new.py"], ["rave old.py", "rave new.py"]),
        # The bug: these were "rave opt it.py" and "rave srv engine rave".
        (["/opt/bin/python3 it.py", "/srv/bin/oddly engine rave"],
         ["rave python3 it.py", "rave oddly engine rave"]),
        # The bug: these were "rave python bot.py (first)" and "rave python bot.py (second)".
        (["/me/old/bin/python /me/old/bot.py", "/me/new/bin/python /me/new/bot.py"],
         ["rave old old", "rave new new"]),
        (["mine", "mine"], ["rave (first)", "rave (second)"]),
        (["mine", "mine", "mine", "mine"],
         ["rave (first)", "rave (second)", "rave (third)", "rave (4)"]),
    ],
)  # fmt: skip
def test_names_say_what_differs(commands, names):
    assert told_apart("rave", [command.split() for command in commands]) == names


WORDS = st.lists(st.sampled_from(["a", "--b", "--c=1", "--c=2", "x/y", "x/z", "-", "--"]))


@given(st.lists(WORDS, min_size=2, max_size=5))
def test_names_always_differ(commands):
    names = told_apart("it", commands)
    assert len(set(names)) == len(names) == len(commands)
    assert all(name.startswith("it") for name in names)


@pytest.mark.parametrize(
    ("command", "program", "name"),
    [
        ("/bin/oddly engine rave", "/bin/oddly", "rave"),
        ("oddly engine --seed 3 uct --size 4", "oddly", "uct"),
        ("/bin/nice -n 5 /opt/oddly engine rave", "/bin/nice -n 5 /opt/oddly", "rave"),
        ("python3 -m oddly engine rave", "python3 -m oddly", "rave"),
        ("oddly engine rave --simulations 6 --plain false", "oddly", "rave"),
        ("oddly engine rave --simulations 6 --plain true", "", ""),
        ("oddly engine greedy", "", ""),
        ("oddly engine", "", ""),
        ("./steam engine rave", "", ""),
        ("./my-engine", "", ""),
    ],
)
def test_our_compiled_engines_are_known_by_their_command(command, program, name):
    assert split_command(command.split()) == (tuple(program.split()), name)


def test_every_setting_of_a_game_is_passed_on():
    square = create_game("odd", 4, {"board": "square", "min_group": 3})
    assert " ".join(arguments(square, {"uct", "rave"})) == (
        "--game odd --size 4 --board square --min-group 3 --engine rave --engine uct"
    )
    assert "--pie" in arguments(create_game("ayu", 5, {"pie": True}), ["rave"])
    assert "--pie" not in arguments(create_game("ayu", 5), ["rave"])


@pytest.fixture
def program(tmp_path):
    """A program called `oddly` that writes down how it is called, and its path's folder."""
    path = tmp_path / "oddly"
    path.write_text(
        '#!/bin/sh\necho "$@" >> "${CALLS:-calls}"\necho this goes nowhere\nexit 2\n',
        encoding="utf-8",
    )
    path.chmod(0o755)
    return str(path)


def test_each_program_is_called_once_a_game_in_its_own_place(program, tmp_path, capfd):
    (tmp_path / "elsewhere").mkdir()
    place = Resources(directory=str(tmp_path / "elsewhere"), environment={"CALLS": "its-calls"})
    configurations = [
        EngineConfiguration(name, (program, "engine", name), None, resources=place)
        for name in ("rave", "uct", "greedy")
    ]
    configurations.append(EngineConfiguration("x", ("/nowhere/oddly", "engine", "uct"), None))
    trio.run(warm_engines, configurations, [create_game("yodd", 4), create_game("ayu", 5)])
    calls = (tmp_path / "elsewhere" / "its-calls").read_text(encoding="utf-8")
    assert calls.splitlines() == [
        "warm --game yodd --size 4 --engine rave --engine uct",
        "warm --game ayu --size 5 --engine rave --engine uct",
    ]
    assert capfd.readouterr() == ("", "")


def test_a_match_and_a_tournament_warm_before_they_play(program, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    other = f"{PYTHON} -m oddly engine random"
    # It writes down its calls.
    words = ["--game", "odd", "--size", "2", "--games", "1", "--isolation", "none"]
    assert main(["match", f"{program} engine rave", other, *words]) == 1
    engines = {"a": [program, "engine", "uct"], "b": shlex.split(other)}
    tournament_file(tmp_path, "two", "isolation = 'none'", engines=engines)
    assert main(["tournament", "two.toml"]) == 1
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    odd = "warm --game odd --size 2 --board hexhex --min-group 5 --engine"
    # A match asks the engine for its name first.
    assert calls[:2] == ["engine rave", f"{odd} rave"]
    assert calls.index(f"{odd} uct") < calls.index("engine uct")
