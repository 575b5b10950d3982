"""`oddly play` on a terminal: what Tab completes, what stands below the line, Ctrl-C and Ctrl-D."""

import os
import signal
import termios

import pytest

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


def test_a_signal_gives_the_terminal_back(terminal):
    terminal.until("Tab completes")
    terminal.type("Bc3\r")
    terminal.until("Turn 3", "Tab completes")
    terminal.process.send_signal(signal.SIGTERM)
    terminal.until("The game is kept in ")
    assert terminal.process.wait(PATIENCE) == 3
    assert termios.tcgetattr(terminal.slave) == terminal.before


def test_the_clock_is_shown_as_it_runs_and_its_flag_ends_the_prompt(tmp_path):
    with play(tmp_path, "--game yodd --size 2 --against human --clock 10+0") as opened:
        opened.until("black>", "10.0 s left")
        opened.type("Bb2\r")
        opened.until("white>", "9.8 s left; Tab completes")
        opened.type("Wa")
        opened.until("over>", "Black wins: White lost on time.")
        opened.type(CTRL_D)
        opened.until("To go on with it: oddly play", "--clock 10+0")
