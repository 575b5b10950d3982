"""The faults that `oddly engine misbehave` can commit instead of, or with, an honest reply."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[bytes], None]
    Fault = Callable[[bytes, Write], None]

MEGABYTE = b"x" * 1_000_000
A_MOMENT = 0.3
"""Seconds that every sensible limit leaves."""


def crash(reply: bytes, write: Write) -> None:
    """Exit with a code."""
    sys.stderr.write("misbehave: crashing as told\n")
    sys.stderr.flush()
    os._exit(3)


def killed(reply: bytes, write: Write) -> None:
    """Be killed by a signal."""
    os.kill(os.getpid(), signal.SIGKILL)


def hang(reply: bytes, write: Write) -> NoReturn:
    """Never answer, never read."""
    while True:
        time.sleep(3600)


def busy(reply: bytes, write: Write) -> NoReturn:
    """Compute and never answer."""
    while True:
        pass


def stopped(reply: bytes, write: Write) -> None:
    """Be stopped like a job in a shell."""
    os.kill(os.getpid(), signal.SIGSTOP)


def endless_lines(reply: bytes, write: Write) -> NoReturn:
    """A reply that never ends."""
    write(reply.rstrip(b"\n") + b"\n")
    while True:
        write(b"and so on\n" * 100)


def endless_line(reply: bytes, write: Write) -> NoReturn:
    """A line that never ends."""
    while True:
        write(MEGABYTE)


def drip(reply: bytes, write: Write) -> NoReturn:
    """One byte at a time, for ever."""
    write(b"=")
    while True:
        write(b" ")
        time.sleep(0.01)


def close_stdout(reply: bytes, write: Write) -> None:
    """Close the output and keep running."""
    os.close(1)
    hang(reply, write)


def close_stdin(reply: bytes, write: Write) -> None:
    """Answer once more, close the input and keep running."""
    os.close(0)
    write(reply)
    hang(reply, write)


def fill_stdin(reply: bytes, write: Write) -> None:
    """Fill its own input completely, answer once more and never read."""
    with suppress(OSError):
        brim = os.open("/dev/fd/0", os.O_WRONLY | os.O_NONBLOCK)
        while True:
            os.write(brim, MEGABYTE)
    write(reply)
    hang(reply, write)


def flood_stderr(reply: bytes, write: Write) -> None:
    """A hundred megabytes of standard error, then the honest reply."""
    for _ in range(100):
        os.write(2, MEGABYTE)
    write(reply)


def long_line(reply: bytes, write: Write) -> None:
    """A reply whose only line has 64 MB."""
    write(reply.rstrip(b"\n"))
    for _ in range(64):
        write(MEGABYTE)
    write(b"\n\n")


def binary(reply: bytes, write: Write) -> None:
    """Bytes that are not text."""
    write(b"\x00\xff\xfe\x1b[2J\x07\n\n")


def garbage(reply: bytes, write: Write) -> None:
    """Text that is not a reply."""
    write(b"Segmentation fault (core dumped)\n\n")


def half_reply(reply: bytes, write: Write) -> None:
    """A reply without its end, then silence."""
    write(reply.rstrip(b"\n"))
    hang(reply, write)


def late(reply: bytes, write: Write) -> None:
    """The honest reply, but only on SIGTERM."""

    def answer_and_go(*_: object) -> None:
        write(reply)
        os._exit(0)

    signal.signal(signal.SIGTERM, answer_and_go)
    hang(reply, write)


def wrong_id(reply: bytes, write: Write) -> None:
    """A reply under another id."""
    write(b"=99999 pass\n\n")


def no_id(reply: bytes, write: Write) -> None:
    """A reply without an id."""
    write(b"= pass\n\n")


def twice(reply: bytes, write: Write) -> None:
    """The reply twice."""
    write(reply + reply)


def unrequested(reply: bytes, write: Write) -> None:
    """An unrequested reply before the right one."""
    write(b"= by the way\n\n" + reply)


def greet(reply: bytes, write: Write) -> None:
    """A greeting."""
    write(b"Welcome to misbehave!\n" + reply)


def refuse(reply: bytes, write: Write) -> None:
    """`?` where `=` is due."""
    write(b"?" + reply[1:].split(b" ", 1)[0].rstrip(b"\n") + b" I would rather not\n\n")


def leave(reply: bytes, write: Write) -> None:
    """Exit cleanly, without an answer."""
    os._exit(0)


def answer_and_leave(reply: bytes, write: Write) -> None:
    """Answer, then exit."""
    write(reply)
    os._exit(0)


def child(reply: bytes, write: Write) -> None:
    """Leave a child behind that holds the pipes."""
    _sleeper(own_session=False)
    write(reply)


def stray(reply: bytes, write: Write) -> None:
    """Leave a child behind in its own session."""
    _sleeper(own_session=True)
    write(reply)


def slow(reply: bytes, write: Write) -> None:
    """Take some time, but within the limit."""
    time.sleep(A_MOMENT)
    write(reply)


def ignore_quit(reply: bytes, write: Write) -> None:
    """Answer once more, then ignore SIGTERM and everything else."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write(reply)
    hang(reply, write)


def _sleeper(*, own_session: bool) -> None:
    import subprocess

    subprocess.Popen(["sleep", "3600"], start_new_session=own_session)  # noqa: S607 - on any PATH


AT_A_COMMAND: dict[str, Fault] = {
    "crash": crash,
    "killed": killed,
    "hang": hang,
    "busy": busy,
    "stopped": stopped,
    "endless-lines": endless_lines,
    "endless-line": endless_line,
    "drip": drip,
    "close-stdout": close_stdout,
    "close-stdin": close_stdin,
    "fill-stdin": fill_stdin,
    "flood-stderr": flood_stderr,
    "long-line": long_line,
    "binary": binary,
    "garbage": garbage,
    "half-reply": half_reply,
    "late": late,
    "wrong-id": wrong_id,
    "no-id": no_id,
    "twice": twice,
    "unrequested": unrequested,
    "refuse": refuse,
    "leave": leave,
    "answer-and-leave": answer_and_leave,
    "child": child,
    "stray": stray,
    "slow": slow,
    "ignore-quit": ignore_quit,
}
"""Faults that take a reply's place at any moment."""

AT_THE_START: dict[str, Fault] = {
    "exit-at-start": leave,
    "hang-at-start": hang,
    "greet-at-start": greet,
    "slow-start": slow,
}
"""Faults of a program that has not read anything yet."""
