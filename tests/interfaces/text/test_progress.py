"""A command that takes long shows that it is at work, on a terminal only."""

import sys
from io import StringIO
from threading import Event

import pytest

from oddly.interfaces.text import progress
from oddly.interfaces.text.progress import waiting
from tests.patience import PATIENCE


class Screen(StringIO):
    """Standard error that is a terminal, and says when something is written."""

    def __init__(self):
        super().__init__()
        self.written = Event()

    def isatty(self):
        return True

    def write(self, text):
        self.written.set()
        return super().write(text)


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    return Screen()


def test_what_takes_long_is_shown(screen, capsys, monkeypatch):
    # Pytest sets its own stream between a fixture and a test.
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    with waiting("merging 2 ledgers [odd]"):
        assert screen.written.wait(PATIENCE)
        print("the answer")
    assert capsys.readouterr().out == "the answer\n"
    assert "merging 2 ledgers [odd]" in screen.getvalue()


def test_what_is_over_at_once_is_not(screen, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    with waiting("merging"):
        pass
    assert screen.getvalue() == ""


def test_an_error_passes(screen, monkeypatch):
    monkeypatch.setattr(sys, "stderr", screen)
    with pytest.raises(KeyError), waiting("merging"):
        raise KeyError


def test_nothing_is_shown_in_a_log(monkeypatch):
    log = StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    with waiting("merging"):
        pass
    assert log.getvalue() == ""
