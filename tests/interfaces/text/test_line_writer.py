"""Lines come in their order, and nobody waits for who reads them."""

import os
import sys
import threading
from contextlib import contextmanager
from unittest.mock import Mock

from oddly.interfaces.text.line_writer import LineWriter
from tests.pipes import full_pipe


@contextmanager
def stalled(monkeypatch):
    """Give the reading end of a standard error that takes nothing more until it is read."""
    ours, theirs = full_pipe()
    with os.fdopen(theirs, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        yield ours


def test_lines_come_before_what_is_printed_later(capfd):
    lines = LineWriter("stdout")
    for number in range(3):
        lines.write(f"line {number}")
        print(f"after {number}", flush=True)
    expected = [f"{word} {number}" for number in range(3) for word in ("line", "after")]
    assert capfd.readouterr().out.splitlines() == expected


def test_lines_wait_for_a_reader_and_nobody_waits_for_them(monkeypatch):
    lines = LineWriter("stderr")
    with stalled(monkeypatch) as ours:
        for number in range(100):
            lines.write(f"line {number}")
        assert lines.is_behind
        text = b""
        while not text.endswith(b"line 99\n"):
            text += os.read(ours, 65536)
        lines.flush()
        os.close(ours)
    assert text.lstrip(b"x").decode().splitlines() == [f"line {number}" for number in range(100)]
    assert not lines.is_behind


def test_a_reader_who_goes_away_is_no_fault(monkeypatch):
    lines = LineWriter("stderr")
    with stalled(monkeypatch) as ours:
        lines.write("before")
        assert lines.is_behind
        os.close(ours)
        lines.write("after")
        lines.flush()
    assert not lines.is_behind


def test_what_no_file_stands_behind_is_written_to(capsys):
    lines = LineWriter("stderr")
    lines.write("über")
    lines.flush()
    assert capsys.readouterr().err == "über\n"


def test_characters_that_a_stream_lacks_are_escaped(monkeypatch, tmp_path):
    file = tmp_path / "log"
    with file.open("w", encoding="ascii", errors="backslashreplace") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        lines = LineWriter("stderr")
        lines.write("über")
        lines.flush()
    assert file.read_text(encoding="ascii") == "\\xfcber\n"


def test_a_machine_without_a_thread_to_spare_ends_nothing(monkeypatch, capfd):
    lines = LineWriter("stderr")
    with monkeypatch.context() as exhausted:
        exhausted.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError))
        lines.write("one")
    lines.write("two")
    lines.flush()
    assert capfd.readouterr().err == "one\ntwo\n"


def test_a_closed_standard_error_swallows_lines(monkeypatch):
    lines = LineWriter("stderr")
    monkeypatch.setattr(sys, "stderr", None)
    lines.write("one")
    lines.flush()
    assert not lines.is_behind
