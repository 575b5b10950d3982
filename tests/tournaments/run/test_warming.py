"""`oddly warm`, and that matches and tournaments have it run before their first game."""

import shlex
import subprocess
import sys

import pytest
import trio

from oddly.engines.engine import Engine
from oddly.games.catalogue import create_game
from oddly.games.errors import GameError
from oddly.interfaces.command_line import main, warm_command
from oddly.referee.program.configuration import EngineConfiguration
from oddly.referee.program.limits import Resources
from oddly.tournaments.run.preparing import arguments, split_command, warm_engines
from tests.programs import PYTHON


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
        EngineConfiguration("one", (program, "engine", "rave"), None, resources=place),
        EngineConfiguration("two", (program, "engine", "uct"), None, resources=place),
        EngineConfiguration("three", (program, "engine", "greedy"), None, resources=place),
        EngineConfiguration("four", ("/nowhere/oddly", "engine", "uct"), None),
    ]
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
    (tmp_path / "two.toml").write_text(
        "[tournament]\nname = 'two'\nisolation = 'none'\n[[game]]\ngame = 'odd'\nsize = 2\n"
        f"[[engine]]\nname = 'a'\ncommand = ['{program}', 'engine', 'uct']\n"
        f"[[engine]]\nname = 'b'\ncommand = {shlex.split(other)}\n",
        encoding="utf-8",
    )
    assert main(["tournament", "two.toml"]) == 1
    calls = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    odd = "warm --game odd --size 2 --board hexhex --min-group 5 --engine"
    # A match asks the engine for its name first.
    assert calls[:2] == ["engine rave", f"{odd} rave"]
    assert calls.index(f"{odd} uct") < calls.index("engine uct")


class Prepared(Engine):
    """Remembers what it was prepared for."""

    name = "prepared"
    seen: list[str] = []  # noqa: RUF012

    def is_compiled(self, game):
        return game.name == "yodd"

    def compile(self, game):
        if game.name == "ayu":
            raise GameError("prepared does not play ayu")
        self.seen.append(str(game))

    def choose(self, position):
        raise NotImplementedError


@pytest.fixture
def prepared(monkeypatch):
    monkeypatch.setattr(Prepared, "seen", [])
    monkeypatch.setattr(warm_command, "COMPILED", ["prepared"])
    monkeypatch.setattr(warm_command, "create_engine", lambda _: Prepared())
    monkeypatch.setattr(warm_command, "HAS_NUMBA", True)
    return Prepared.seen


def test_warm_prepares_one_board_of_each_type_of_every_game(prepared, capsys):
    assert main(["warm"]) == 0
    output, error = capsys.readouterr()
    lines = output.splitlines()
    left = sum("yodd" not in line for line in lines)
    seconds = left * warm_command.SECONDS_EACH
    assert (
        error == f"oddly: {left} of {len(lines)} to compile, about {seconds} seconds on two cores\n"
    )
    assert {"yodd 8", "xodd 12", "odd 5 (board hexhex, min_group 5)"} <= set(prepared)
    assert len(lines) == len(prepared) + sum("does not play ayu" in line for line in lines)
    assert all(line.startswith("prepared") for line in lines)


def test_warm_prepares_the_one_board_that_is_named(prepared):
    assert main(["warm", "--game", "odd", "--size", "4", "--board", "square"]) == 0
    assert prepared == ["odd 4 (board square, min_group 5)"]


def test_warm_says_where_nothing_is_left_to_compile(prepared, capsys):
    assert main(["warm", "--game", "yodd", "--size", "4"]) == 0
    assert capsys.readouterr().err == "oddly: compiled before, all 1: loading each takes a second\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("sys.modules['numba'] = None", "Numba is not installed, so the kernels run about a"),
        ("os.environ['NUMBA_DISABLE_JIT'] = '1'", "NUMBA_DISABLE_JIT is set, so there is nothing"),
    ],
)
def test_warm_without_numba_says_so(words, sentence):
    code = (
        f"import os, sys; {words}\n"
        "from oddly.interfaces.command_line import main\n"
        "sys.exit(main(['warm']) + main(['warm', '--game', 'odd', '--size', '4']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert [line.startswith(f"oddly: {sentence}") for line in done.stderr.splitlines()] == [
        True
    ] * 2
