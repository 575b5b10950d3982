"""Engines get ready before their first reply and whenever the game changes, never on a clock."""

import importlib

import pytest

from oddly.engines.engine import ENGINES, EngineEntry, Option, create_engine
from oddly.engines.kernels.jit import NOTICE
from oddly.engines.plain_engines import RandomEngine
from oddly.engines.search.searcher import Searcher
from oddly.engines.search_engine import UctEngine
from oddly.games.ayu import Ayu
from oddly.games.turns import GameError
from oddly.games.xodd import Xodd
from oddly.interfaces.command_line import main
from tests.engines.running import run_python
from tests.engines.talking import Talker


class Preparing(RandomEngine):
    """Remembers what happened to it; refuses large boards."""

    name = "preparing"

    def __init__(self):
        super().__init__()
        self.seen = []

    def prepare(self, game):
        if game.size > 9:
            raise GameError(f"preparing plays boards up to size 9, not {game.size}")
        self.seen.append(str(game))

    def new_game(self):
        super().new_game()
        self.seen.append("new game")


def test_it_prepares_before_a_new_game_and_only_for_another_one():
    engine = Preparing()
    talk = Talker(engine, "yodd", 3)
    assert engine.seen == ["yodd 3", "new game"]
    engine.seen.clear()
    talk("clear_board")
    talk("boardsize 3")
    assert engine.seen == ["new game"] * 2
    engine.seen.clear()
    talk("boardsize 4")
    talk("set_game odd")
    odd = "odd 5 (board hexhex, min_group 5)"
    assert engine.seen == ["yodd 4", "new game", odd, "new game"]


class Waited(Preparing):
    """Remembers for which game it got ready."""

    def wait_until_ready(self):
        super().wait_until_ready()
        self.seen.append("ready")


def test_it_does_not_get_ready_for_a_board_that_the_next_line_replaces():
    """The bug: `set_game` compiled for the default size before `boardsize` came."""
    engine = Waited()
    talk = Talker(engine, "yodd", 3)
    engine.seen.clear()
    talk("set_game odd min_group 1")
    assert "ready" not in engine.seen
    talk("boardsize 3")
    three = "odd 3 (board hexhex, min_group 1)"
    assert engine.seen[-3:] == [three, "new game", "ready"]
    assert engine.seen.count("ready") == 1
    talk("play b Bc3")
    talk("genmove w")
    assert engine.seen.count("ready") == 1


@pytest.mark.parametrize(
    "command", ["play b Bc3", "genmove b", "evaluate", "time_left b 5 0", "name", "clear_board"]
)
def test_after_set_game_it_gets_ready_in_the_next_command(command):
    engine = Waited()
    talk = Talker(engine, "yodd", 3)
    talk("set_game odd")
    engine.seen.clear()
    talk.reply(command)
    assert engine.seen.count("ready") == 1


def test_quitting_waits_for_nothing():
    engine = Waited()
    talk = Talker(engine, "yodd", 3)
    talk("set_game odd")
    talk("quit")
    assert "ready" not in engine.seen


def test_what_goes_wrong_when_it_gets_ready_is_told_in_the_reply(capfd):
    class Broken(Preparing):
        def wait_until_ready(self):
            raise RuntimeError("no memory for the tree")

    talk = Talker(Broken(), "yodd", 3)
    talk("set_game odd")
    assert talk.refused("play b Bc3") == "internal error: RuntimeError: no memory for the tree"


@pytest.mark.parametrize("command", ["time_control 5", "time_settings 60 10 1"])
def test_it_is_ready_before_a_clock_can_run(command):
    engine = Waited()
    talk = Talker(engine, "yodd", 3)
    engine.seen.clear()
    talk(command)
    assert engine.seen == ["ready"]


def test_a_game_that_it_cannot_play_is_refused_and_nothing_changes():
    engine = Preparing()
    talk = Talker(engine, "yodd", 3)
    talk("play b Bb3")
    before = talk("showboard")
    engine.seen.clear()
    assert talk.refused("boardsize 10") == (
        "unacceptable size 10: preparing plays boards up to size 9, not 10"
    )
    assert talk.refused("set_game xodd") == "preparing plays boards up to size 9, not 12"
    assert (engine.seen, talk("showboard"), talk.game) == ([], before, "yodd 3")
    talk("genmove w")


def test_at_the_start_that_is_bad_input(monkeypatch, capfd):
    # Its help lists the engines that there are when it is loaded.
    importlib.import_module("oddly.interfaces.command_line.engine_commands")
    monkeypatch.setitem(ENGINES, "preparing", EngineEntry(__name__, "Preparing", "for tests"))
    assert main(["engine", "preparing", "--game", "yodd", "--size", "10"]) == 2
    assert capfd.readouterr().err == "oddly: preparing plays boards up to size 9, not 10\n"


def test_compiling_is_announced_before_the_first_reply(tmp_path):
    code = (
        "from tests.engines.kernels.small_program import State, np, total, warm\n"
        "from engines import run\n"
        "from oddly.engines.plain_engines import RandomEngine\n"
        "class Compiling(RandomEngine):\n"
        "    name = 'compiling'\n"
        "    def prepare(self, game):\n"
        "        state = State(np.arange(3))\n"
        "        warm(self.name, state, lambda: total(state))\n"
        "run(Compiling())"
    )
    code = f"import os; os.dup2(1, 2)\n{code}"
    given, said = "name\nset_game odd\nquit\n", "= compiling\n\n=\n\n=\n\n"
    for notice in (f"oddly: {NOTICE}\n", ""):
        done = run_python("-c", code, given=given, NUMBA_CACHE_DIR=str(tmp_path))
        assert done.stdout == notice + said


@pytest.fixture
def shown_by(output):
    """What the help of the command says, in one line."""
    return lambda *words: " ".join(output("engine", *words, "--help").split())


def test_help_shows_the_options_of_the_engine_that_is_named(shown_by):
    said = "--at VALUE handshake, first, middle, quit (default: middle)"
    assert said in shown_by("misbehave")
    shown = shown_by()
    assert "--at" not in shown.replace("(--fault, --at;", "")
    assert "greedy: the best group difference" in shown


@pytest.mark.parametrize("name", ENGINES)
def test_every_option_has_a_flag_and_help(name, shown_by):
    shown = shown_by(name)
    for option in create_engine(name).options:
        assert f"--{option.name}" in shown
        assert f"(default: {str(option.default).lower()})" in shown.lower()


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("integer", 5, 1, 9), "whole number from 1 to 9 (default: 5)"),
        (("number", 0.5, 0), "number from 0 (default: 0.5)"),
        (("number", 1e3, 0, 1e9), "number from 0 to 1000000000 (default: 1000)"),
        (("boolean", True), "true or false (default: true)"),
        (("text", "none"), "text (default: none)"),
    ],
)
def test_options_describe_themselves_in_words(option, words):
    assert Option("x", *option).description == words
    assert Option("x", *option, summary="what it is for").description == f"what it is for: {words}"


def test_flags_with_underscores_may_be_written_with_dashes(monkeypatch):
    class Underlined(RandomEngine):
        options = (Option("long_name", "integer", 1, 0, 9),)
        seen: list[int] = []  # noqa: RUF012

        def new_game(self):
            self.seen.append(self.values["long_name"])

    command = "oddly.interfaces.command_line.engine_commands"
    monkeypatch.setattr(f"{command}.engine_class", lambda _: Underlined)
    monkeypatch.setattr(f"{command}.run_engine", lambda engine, *_: engine.new_game())
    for flag in ("--long-name", "--long_name"):
        assert main(["engine", "random", flag, "7"]) == 0
    assert main(["engine", "random", "--option", "long_name=8", "--long-name", "7"]) == 0
    assert Underlined.seen == [7, 7, 7]


@pytest.mark.parametrize("game", [Xodd(4), Ayu(5)], ids=str)
def test_a_rehearsal_calls_all_that_a_turn_calls(game, monkeypatch):
    """The bug: the first turn of Ayu compiled for seconds, since only the search was rehearsed."""
    called = set()
    for name in ("load", "think", "play", "variation", "turns_in", "forget"):
        monkeypatch.setattr(Searcher, name, spied(name, getattr(Searcher, name), called))
    engine = UctEngine()
    engine.set_option("simulations", "8")
    engine.rehearsals(game)["search"]()
    rehearsed = set(called)
    called.clear()
    engine.prepare(game)
    position = game.start()
    for _ in range(2):
        position = position.play(engine.choose(position))
    assert {"think", "turns_in"} <= called <= rehearsed


def spied(name, method, called):
    """The method, which notes its name when it is called."""

    def spy(self, *arguments, **settings):
        called.add(name)
        return method(self, *arguments, **settings)

    return spy
