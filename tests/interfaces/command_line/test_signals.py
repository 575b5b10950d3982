"""What a signal does to a command that handles none itself."""

import signal
import subprocess
import sys
from importlib import import_module

import pytest

from oddly.interfaces.command_line import main
from tests.source import ROOT

COMMAND_LINE = import_module(main.__module__)


@pytest.fixture
def running(monkeypatch):
    """Run a command to which a signal is sent; what this process hears of the signal."""
    heard = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    # A shell has what it starts in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in numbers[1:]:
        signal.signal(number, lambda number, _: heard.append(number))

    def run(number, *words):
        monkeypatch.setattr(COMMAND_LINE, "_run", lambda _: signal.raise_signal(number) or 0)
        return main(words), heard

    yield run
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_signal_interrupts_a_command(number, running, capfd):
    """The bug: SIGHUP, as of a closed terminal, killed a command at once."""
    assert running(number, "bridge") == (3, [])
    assert capfd.readouterr().err == "oddly: interrupted\n"
    signal.raise_signal(signal.SIGHUP)
    assert running(signal.SIGINT, "bridge") == (3, [signal.SIGHUP])


def test_a_referee_ends_an_engine_by_sigterm(running):
    assert running(signal.SIGTERM, "engine") == (0, [signal.SIGTERM])


def test_a_hangup_is_ignored_under_nohup(running):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert running(signal.SIGHUP, "bridge") == (0, [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_ends_where_a_shell_has_it_ignore_ctrl_c(number, running):
    """The bug: in the background of a script, SIGTERM had no effect."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert running(number, "bridge") == (3, [])
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_comes_when_the_subcommand_is_imported(number, running, monkeypatch, capfd):
    """The bug: within an import, Python lost it, or ended with the traceback of another error."""
    imported = []

    def importing(name):
        signal.raise_signal(number)
        imported.append(name)
        return import_module(name)

    monkeypatch.setattr(COMMAND_LINE, "import_module", importing)
    assert main(["doctor"]) == 3
    assert imported == ["oddly.interfaces.command_line.doctor_command"]
    assert capfd.readouterr() == ("", "oddly: interrupted\n")


def test_another_ctrl_c_while_python_ends_prints_no_traceback():
    """The bug: a second Ctrl-C in time printed `Exception ignored in atexit callback`."""
    lines = (
        "import atexit, signal, sys",
        "from oddly.__main__ import main",
        "atexit.register(signal.raise_signal, signal.SIGINT)",
        "sys.argv = ['oddly', '--version']",
        "sys.exit(main())",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert done.stdout.startswith("oddly ")
