"""`oddly play` on a terminal: Tab, the line below, Ctrl-C and Ctrl-D, and a prompt that ends."""

import os
import signal
import termios

import pytest
import trio
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from oddly.games.catalogue import create_game
from oddly.interfaces.terminal.play.play_session import PlaySession
from oddly.interfaces.terminal.play.prompting import PromptReader
from oddly.interfaces.terminal.play.scoresheet import Participant, Scoresheet
from tests.interfaces.terminal.pseudo_terminal import Terminal
from tests.patience import PATIENCE

TAB, CTRL_C, CTRL_D, CTRL_U = "\t", "\x03", "\x04", "\x15"


def play(tmp_path, words, **how):
    return Terminal(["play", *words.split()], XDG_STATE_HOME=str(tmp_path), **how)


@pytest.fixture
def terminal(tmp_path):
    with play(tmp_path, "--game yodd --size 3 --against random --seed 1") as opened:
        yield opened


def test_ctrl_z_suspends(tmp_path):
    # A group of its own in this session: the kernel stops no group without a shell above it.
    how = {"begin": ("-m", "oddly"), "process_group": 0}
    with play(tmp_path, "--game yodd --size 3 --against human", **how) as opened:
        opened.until("black>", "Tab completes")
        opened.type("\x1a")
        _, status = os.waitpid(opened.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        os.kill(opened.process.pid, signal.SIGCONT)
        opened.type("Bc3\r")
        opened.until("white>")


def test_completion_look_ahead_and_leaving(terminal):
    terminal.until("black>", "Tab completes, help lists the commands")
    terminal.type("Bc3")
    terminal.until("black> Bc3", "Bc3: 1 black + 0 white = 1, odd; Enter plays it")
    terminal.type(CTRL_U + "bd" + TAB)
    terminal.until("Bd1", "Bd2", "Bd3", "Bd4")
    terminal.type(CTRL_U + "un" + TAB)
    terminal.until("black> undo", "undo: take back everything since your last turn")
    terminal.type(CTRL_C + CTRL_C)
    terminal.until("quit or Ctrl-D leaves")
    terminal.type("Bc3\r")
    # A key before the prompt is there would go to the terminal itself.
    lines = terminal.until("random plays ", "Turn 3", "Tab completes")
    assert any("[X]" in line for line in lines)
    terminal.type(CTRL_D)
    terminal.until("The game is kept in ")
    assert terminal.process.wait(PATIENCE) == 0
    assert termios.tcgetattr(terminal.slave) == terminal.before


def test_ctrl_c_clears_the_line_of_a_simple_terminal(tmp_path):
    with play(tmp_path, "--game yodd --size 3 --against human", TERM="dumb") as opened:
        opened.until("black>")
        opened.type("Bc3\r")
        opened.until("white>")
        opened.type(f"resign{CTRL_C}")
        opened.until("^C", "quit or Ctrl-D leaves; the game is kept in ")
        opened.type(CTRL_C)
        opened.type("pass\r")
        opened.until("Turn 3")
        opened.type(CTRL_D)
        opened.until("The game is kept in ", "To go on with it")
        assert opened.process.wait(PATIENCE) == 0


def test_a_signal_gives_the_terminal_back(terminal):
    terminal.until("Tab completes")
    terminal.type("Bc3\r")
    terminal.until("Turn 3", "Tab completes")
    terminal.process.send_signal(signal.SIGTERM)
    terminal.until("The game is kept in ")
    assert terminal.process.wait(PATIENCE) == 3
    assert termios.tcgetattr(terminal.slave) == terminal.before


@pytest.mark.sampled
def test_the_clock_is_shown_as_it_runs_and_its_flag_ends_the_prompt(tmp_path):
    with play(tmp_path, "--game yodd --size 2 --against human --clock 10+0") as opened:
        opened.until("black>", "10.0 s left")
        opened.type("Bb2\r")
        opened.until("white>", "9.8 s left; Tab completes")
        opened.type("Wa")
        opened.until("over>", "Black wins: White lost on time.")
        opened.type(CTRL_D)
        opened.until("To go on with it: oddly play", "--clock 10+0")


PLAYERS = Participant("human 1", True), Participant("human 2", True)


@pytest.fixture
def keys():
    """What is typed."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


@pytest.fixture
def reader(keys):
    return PromptReader(PlaySession(Scoresheet(create_game("yodd", 3), PLAYERS)))


async def test_it_may_be_abandoned_before_it_is_there(reader, keys, monkeypatch):
    """As when a clock runs out at once: the thread has begun, and the prompt has not."""
    prompt = reader._prompt.prompt

    def late(*words, **more):
        reader.abandon()
        keys.send_text("too late\r")
        return prompt(*words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(reader._prompt, "prompt", late)
        with trio.fail_after(PATIENCE):
            assert await reader.read("> ") is None
    with trio.fail_after(PATIENCE):
        assert await reader.read("> ") == "too late"


async def test_pasted_lines_are_read_one_by_one(reader, keys, capsys):
    keys.send_text("\x1b[200~Bb2\nWa3\x07\n\x1b[201~\rpass\r")
    with trio.fail_after(PATIENCE):
        assert await reader.read("> ") == "Bb2"
        assert await reader.read("> ") == "Wa3\x07"
        assert capsys.readouterr().out == "> Wa3\\x07\n"
        assert await reader.read("> ") == "pass"


async def test_it_may_be_abandoned_while_somebody_types_and_when_it_is_over(reader, keys):
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            heard = []

            async def read() -> None:
                heard.append(await reader.read("> "))

            nursery.start_soon(read)
            keys.send_text("Bc")
            while reader._prompt.default_buffer.text != "Bc":
                await trio.sleep(0.01)
            reader.abandon()
            reader.abandon()
        assert heard == [None]
        reader.abandon()
        keys.send_text("Bc3\r")
        assert await reader.read("> ") == "Bc3"
