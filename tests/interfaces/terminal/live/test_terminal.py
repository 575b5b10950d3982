"""A run on a real terminal, by what it draws; nothing waits for a time."""

import os
import pty
import re
import signal
import termios
from contextlib import contextmanager, suppress

import pytest

from oddly.interfaces.terminal.live.screen import Keyboard
from tests.interfaces.made_up_events import RANDOM, write_tournament
from tests.interfaces.terminal.pseudo_terminal import Terminal


def write(path, at_once):
    write_tournament(path, [("odd", 3)], 2000, at_once, name="long", one=RANDOM, two=RANDOM)
    return path


@pytest.fixture
def toml(tmp_path):
    return write(tmp_path / "long.toml", 1)


@pytest.fixture
def session(toml):
    with Terminal(["tournament", toml], 80, 24) as opened:
        yield opened


def assert_left_as_it_was(session):
    assert termios.tcgetattr(session.slave) == session.before
    assert session.seen.rindex("\x1b[?1049l") > session.seen.rindex("\x1b[?1049h")
    assert session.seen.rindex("\x1b[?25h") > session.seen.rindex("\x1b[?25l")


def test_keys_change_how_a_run_goes(session, toml):
    session.until("1 at once")
    assert termios.tcgetattr(session.slave) != session.before
    session.type("+")
    session.until("games at once: 2")
    session.type("?")
    session.until("this help")
    session.type("p")
    session.until("p goes on")
    pid = int((toml.parent / "long.sqlite-lock").read_text())
    assert pid == session.process.pid
    os.kill(pid, signal.SIGUSR1)
    session.until("going on")
    write(toml, 3)
    os.kill(pid, signal.SIGUSR2)
    session.until("games at once: 3")
    session.type("q")
    assert session.end() == 3
    assert_left_as_it_was(session)
    after = session.seen.rpartition("\x1b[?1049l")[2]
    assert "wins-losses against" in after
    assert re.search(r"interrupted: \d+ of 4000 games were played", after)
    assert not (toml.parent / "long.sqlite-lock").exists()


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["\x03", "\x1c", signal.SIGTERM])
def test_signals_leave_the_terminal_as_it_was(session, how):
    session.until("1 at once")
    if isinstance(how, str):
        session.type(how)
    else:
        session.process.send_signal(how)
    assert session.end() == 3
    assert_left_as_it_was(session)


def test_a_person_is_told_once_that_engines_are_not_isolated(toml, tmp_path):
    with Terminal(["tournament", toml], 80, 24, PATH=str(tmp_path)) as session:
        session.until("/4000")
        session.type("q")
        assert session.end() == 3
    assert session.seen.count("engines are not isolated from each other: bubblewrap") == 1


def test_a_small_terminal_has_a_bar_on_its_first_line(toml):
    with Terminal(["tournament", toml], 40, 8) as session:
        session.until("/4000")
        session.type("q")
        assert session.end() == 3
        assert_left_as_it_was(session)


@contextmanager
def pair():
    """Both ends of a pseudo-terminal."""
    ends = pty.openpty()
    yield ends
    for descriptor in ends:
        os.close(descriptor)


def test_a_crash_leaves_the_keyboard_as_it_was():
    with pair() as (_, slave):
        modes = termios.tcgetattr(slave)
        with suppress(RuntimeError), Keyboard(slave):
            assert termios.tcgetattr(slave) != modes
            raise RuntimeError("a bug")
        assert termios.tcgetattr(slave) == modes


async def test_keys_are_told_one_by_one():
    with pair() as (terminal, slave), Keyboard(slave) as keyboard:
        keys = keyboard.keys()
        os.write(terminal, b"p+")
        assert [await anext(keys), await anext(keys)] == ["p", "+"]
        await keys.aclose()


def test_a_terminal_that_is_closed_stops_the_run_gently(session, toml):
    session.until("1 at once")
    os.close(session.slave)
    os.close(session.master)
    assert session.process.wait(60) == 3
    assert toml.with_suffix(".sqlite").exists()
