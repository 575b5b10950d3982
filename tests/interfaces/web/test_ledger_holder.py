"""Whether the page takes a tournament for running: by locks, and by processes without them."""

import os
import subprocess
import sys

import pytest

from oddly.interfaces.web import broadcast
from oddly.interfaces.web.broadcast import is_held
from oddly.safe_files.sqlite_file import lock, lock_path, unlock

HOLDER = """
import sys, time
from pathlib import Path
from oddly.safe_files.sqlite_file import lock

held = lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(1000)
"""
LOCKS_ELSEWHERE = """
import fcntl, sys

with open(sys.argv[1], "w") as file:
    fcntl.flock(file, fcntl.LOCK_EX)
    print("held", flush=True)
    input()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "event.sqlite"


@pytest.fixture
def other(tmp_path):
    """A process that holds a lock of another file."""
    words = [sys.executable, "-c", LOCKS_ELSEWHERE, str(tmp_path / "other")]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def long_ago(path, text):
    """Leave the lock file that a run of an hour ago left when it was killed."""
    file = lock_path(path)
    file.write_text(text)
    then = file.stat().st_mtime - 3600
    os.utime(file, (then, then))


needs_processes = pytest.mark.skipif(
    not broadcast.PROCESSES.joinpath("self", "stat").exists(),
    reason="only Linux says when a process began",
)


def test_a_killed_run_is_over(path):
    words = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "held\n"
        assert is_held(path)
        run.kill()
    assert lock_path(path).read_text() == f"{run.pid}\n"
    assert not is_held(path)


@needs_processes
def test_a_killed_run_whose_number_another_process_has_is_over(path, other):
    """The bug: a page said that the tournament was running if the other held any lock."""
    for number in (other.pid, os.getpid()):
        long_ago(path, f"{number}\n")
        assert not is_held(path)


@needs_processes
def test_a_run_without_a_lock_is_on_while_its_process_lives(path, other):
    """The bug: on a file system without locks, it was said not to run."""
    lock_path(path).write_text(f"{other.pid}\n")
    assert is_held(path)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not is_held(path)
    other.wait()
    assert not is_held(path)


def test_a_lock_that_is_listed_tells_more_than_clocks(path, tmp_path, monkeypatch):
    """A clock may have been set while the run went on."""
    monkeypatch.setattr(broadcast, "LOCKS", tmp_path / "locks")
    long_ago(path, f"{os.getpid()}\n")
    monkeypatch.setattr(broadcast, "_beginning", lambda number: float("inf"))
    file = lock_path(path).stat().st_ino
    for number, inode, held in (
        (os.getpid(), file, True),
        (os.getpid(), file + 1, False),
        (os.getpid() + 1, file, False),
    ):
        listed = f"1: FLOCK  ADVISORY  WRITE {number} fe:00:{inode} 0 EOF\n"
        (tmp_path / "locks").write_text(listed)
        assert is_held(path) == held


@pytest.mark.parametrize(
    ("error", "expected"), [(None, True), (PermissionError, True), (ProcessLookupError, False)]
)
def test_where_nothing_is_listed_a_run_is_on_while_its_process_lives(
    path, tmp_path, monkeypatch, error, expected
):
    """The bug: a process of another user was taken for none."""

    def kill(number, given):
        assert (number, given) == (17, 0)
        if error is not None:
            raise error

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(broadcast, "LOCKS", tmp_path / "none")
    monkeypatch.setattr(broadcast, "PROCESSES", tmp_path)
    for text, held in (("17\n", expected), ("", False), ("-17", False), ("x", False)):
        lock_path(path).write_text(text)
        assert is_held(path) == held


def test_a_run_is_on_whatever_links_name_its_ledger(path, tmp_path):
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    for one, other in ((path, link), (link, path)):
        held = lock(one)
        assert is_held(other)
        unlock(held)
        assert not is_held(other)
