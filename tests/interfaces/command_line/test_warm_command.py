"""`oddly warm` compiles what our engines need, one board of each type, and says what is left."""

import subprocess
import sys

import pytest

from oddly import engines
from oddly.engines.engine import Engine
from oddly.games.turns import GameError
from oddly.interfaces.command_line import main, preparing_commands


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
    monkeypatch.setattr(preparing_commands, "COMPILED", ["prepared"])
    monkeypatch.setattr(engines, "create_engine", lambda _: Prepared())
    monkeypatch.setattr(engines, "HAS_NUMBA", True)
    return Prepared.seen


def test_warm_prepares_one_board_of_each_type_of_every_game(prepared, oddly):
    output, error = oddly("warm")
    lines = output.splitlines()
    left = sum("yodd" not in line for line in lines)
    seconds = left * preparing_commands.SECONDS_EACH
    assert (
        error == f"oddly: {left} of {len(lines)} to compile, about {seconds} seconds on two cores\n"
    )
    assert {"yodd 8", "xodd 12", "odd 5 (board hexhex, min_group 5)"} <= set(prepared)
    assert len(lines) == len(prepared) + sum("does not play ayu" in line for line in lines)
    assert all(line.startswith("prepared") for line in lines)


def test_warm_prepares_the_one_board_that_is_named(prepared):
    assert main(["warm", "--game", "odd", "--size", "4", "--board", "square"]) == 0
    assert prepared == ["odd 4 (board square, min_group 5)"]


def test_warm_says_where_nothing_is_left_to_compile(prepared, oddly):
    said = oddly("warm --game yodd --size 4").err
    assert said == "oddly: compiled before, all 1: loading each takes a second\n"


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
