"""A run on a real terminal: a process with a pseudo-terminal of its own, whose keys are pressed.

`Session.until` reads what the process draws; nothing waits for a time.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from oddly.interfaces.terminal.live.screen import Keyboard

ROOT = Path(__file__).parents[4]
BEGIN = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, '-m', 'oddly', *sys.argv[1:]])"
)
"""Makes the terminal on standard input the process's own."""
TOML = """\
[tournament]
name = "long"
rounds = 2000
concurrency = {concurrency}

[[game]]
game = "odd"
size = 3

[[engine]]
name = "one"
command = ["{python}", "-m", "oddly", "engine", "random"]

[[engine]]
name = "two"
command = ["{python}", "-m", "oddly", "engine", "random"]
"""


class Session:
    """A process on a terminal."""

    def __init__(self, words: list[str], columns: int, lines: int, **more: str) -> None:
        self.terminal, self.slave = pty.openpty()
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, size)
        self.modes = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGIN, *words],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            cwd=ROOT,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "", "LINES": "", **more},
        )
        self.seen = ""

    def until(self, words: str) -> None:
        """Read until these words were drawn since the last call."""
        found = ""
        while words not in found:
            assert self.process.poll() is None, self.seen
            found += self.read()

    def read(self) -> str:
        ready, _, _ = select.select([self.terminal], [], [], 1)
        text = os.read(self.terminal, 65536).decode("utf-8", "replace") if ready else ""
        self.seen += text
        return text

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def end(self) -> int:
        """Read until the process has ended; its exit code."""
        while self.process.poll() is None:
            self.read()
        while select.select([self.terminal], [], [], 0)[0]:
            self.read()
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.terminal, self.slave):
            with suppress(OSError):
                os.close(descriptor)


@pytest.fixture
def toml(tmp_path) -> Path:
    path = tmp_path / "long.toml"
    path.write_text(TOML.format(concurrency=1, python=sys.executable), encoding="utf-8")
    return path


@pytest.fixture
def session(toml):
    opened = Session(["tournament", str(toml)], 80, 24)
    yield opened
    opened.close()


def assert_left_as_it_was(session: Session) -> None:
    assert termios.tcgetattr(session.slave) == session.modes
    assert session.seen.rindex("\x1b[?1049l") > session.seen.rindex("\x1b[?1049h")
    assert session.seen.rindex("\x1b[?25h") > session.seen.rindex("\x1b[?25l")


def test_keys_change_how_a_run_goes(session, toml):
    session.until("1 at once")
    assert termios.tcgetattr(session.slave) != session.modes
    session.press("+")
    session.until("games at once: 2")
    session.press("?")
    session.until("this help")
    session.press("p")
    session.until("p goes on")
    pid = int((toml.parent / "long.sqlite-lock").read_text())
    assert pid == session.process.pid
    os.kill(pid, signal.SIGUSR1)
    session.until("going on")
    toml.write_text(TOML.format(concurrency=3, python=sys.executable), encoding="utf-8")
    os.kill(pid, signal.SIGUSR2)
    session.until("games at once: 3")
    session.press("q")
    assert session.end() == 3
    assert_left_as_it_was(session)
    after = session.seen.rpartition("\x1b[?1049l")[2]
    assert "wins-losses against" in after
    assert re.search(r"interrupted: \d+ of 4000 games were played", after)
    assert (toml.parent / "long.sqlite-lock").read_text() == ""


@pytest.mark.parametrize("how", ["\x03", "\x1c", signal.SIGTERM])
def test_signals_leave_the_terminal_as_it_was(session, how):
    session.until("1 at once")
    if isinstance(how, str):
        session.press(how)
    else:
        session.process.send_signal(how)
    assert session.end() == 3
    assert_left_as_it_was(session)


def test_a_person_is_told_once_that_engines_are_not_isolated(toml, tmp_path):
    session = Session(["tournament", str(toml)], 80, 24, PATH=str(tmp_path))
    try:
        session.until("/4000")
        session.press("q")
        assert session.end() == 3
    finally:
        session.close()
    assert session.seen.count("engines are not isolated from each other: bubblewrap") == 1


def test_a_small_terminal_has_a_bar_on_its_first_line(toml):
    session = Session(["tournament", str(toml)], 40, 8)
    try:
        session.until("/4000")
        session.press("q")
        assert session.end() == 3
        assert_left_as_it_was(session)
    finally:
        session.close()


def test_a_crash_leaves_the_keyboard_as_it_was():
    terminal, slave = pty.openpty()
    modes = termios.tcgetattr(slave)
    with suppress(RuntimeError), Keyboard(slave):
        assert termios.tcgetattr(slave) != modes
        raise RuntimeError("a bug")
    assert termios.tcgetattr(slave) == modes
    os.close(terminal)
    os.close(slave)


async def test_keys_are_told_one_by_one():
    terminal, slave = pty.openpty()
    with Keyboard(slave) as keyboard:
        keys = keyboard.keys()
        os.write(terminal, b"p+")
        assert [await anext(keys), await anext(keys)] == ["p", "+"]
        await keys.aclose()
    os.close(terminal)
    os.close(slave)


def test_a_terminal_that_is_closed_stops_the_run_gently(session, toml):
    session.until("1 at once")
    os.close(session.slave)
    os.close(session.terminal)
    assert session.process.wait(60) == 3
    assert toml.with_suffix(".sqlite").exists()
