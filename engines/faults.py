"""The faults that `oddly engine misbehave` can commit, when, and the ruling that each must get."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from oddly.games import Illegality

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[bytes], None]
    Fault = Callable[[bytes, Write], None]


MEGABYTE = b"x" * 1_000_000
A_MOMENT = 0.3
"""Seconds for which a slow engine waits: within every sensible limit."""


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
        own_input = os.open("/dev/fd/0", os.O_WRONLY | os.O_NONBLOCK)
        while True:
            os.write(own_input, MEGABYTE)
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


_FUNCTIONS: tuple[Fault, ...] = (
    crash, killed, hang, busy, stopped, endless_lines, endless_line, drip, close_stdout,
    close_stdin, fill_stdin, flood_stderr, long_line, binary, garbage, half_reply, late,
    wrong_id, no_id, twice, unrequested, refuse, leave, answer_and_leave, child, stray, slow,
    ignore_quit,
)  # fmt: skip
AT_A_COMMAND = {each.__name__.replace("_", "-"): each for each in _FUNCTIONS}
"""Faults that take a reply's place at any moment."""

AT_THE_START: dict[str, Fault] = {
    "exit-at-start": leave,
    "hang-at-start": hang,
    "greet-at-start": greet,
    "slow-start": slow,
}
"""Faults of a program that has not read anything yet."""


MOMENTS = ("handshake", "first", "middle", "quit")
HARMLESS = "harmless"
"""The ruling on a fault that does not decide the game."""

ILLEGAL: dict[str, Illegality | None] = {
    "illegal-occupied": Illegality.OCCUPIED,
    "illegal-off-board": Illegality.OFF_BOARD,
    "illegal-count": Illegality.DROP_COUNT,
    "illegal-first-turn": Illegality.FIRST_TURN,
    "illegal-parity": Illegality.PARITY,
    "illegal-kind": Illegality.WRONG_KIND,
    "illegal-twice": Illegality.SAME_VERTEX,
    "illegal-no-piece": Illegality.NO_PIECE,
    "illegal-colour": Illegality.WRONG_PIECE,
    "illegal-distance": Illegality.NOT_ADJACENT,
    "illegal-split": Illegality.SPLITS_GROUP,
    "illegal-away": Illegality.NOT_CLOSER,
    "illegal-swap": Illegality.NO_SWAP,
    "illegal-malformed": None,
}
"""Faults that are a turn against one rule, or (None) no turn at all."""

LIES = {"missing-command": "list_commands", "wrong-version": "protocol_version"}
"""Faults that are a false answer to one command."""


_IS_GONE = ("crash", "killed", "leave", "answer-and-leave", "close-stdout")
_IS_SILENT = ("hang", "busy", "stopped", "drip", "half-reply", "late")
_IS_DEAF = ("close-stdin", "fill-stdin", "ignore-quit")
_IS_NO_REPLY = ("endless-lines", "endless-line", "long-line", "binary", "garbage", "refuse")
_IS_OUT_OF_STEP = ("wrong-id", "no-id", "twice", "unrequested")
_AT_THE_START = {
    "exit-at-start": "crash",
    "hang-at-start": "no start",
    "greet-at-start": "protocol",
    "slow-start": HARMLESS,
}


def _rulings(fault: str) -> dict[str, str]:
    """Return the rulings on one fault, by moment."""
    if fault in _AT_THE_START:
        return {"handshake": _AT_THE_START[fault]}
    if fault in LIES:
        return {"handshake": "protocol"}
    if fault == "illegal-first-turn":
        return {"first": "illegal turn"}
    if fault in ILLEGAL:
        return {"first": "illegal turn", "middle": "illegal turn"}
    if fault in _IS_GONE:
        handshake = in_the_game = "crash"
    elif fault in _IS_SILENT or fault in _IS_DEAF:
        handshake, in_the_game = "no start", "time"
    elif fault in _IS_NO_REPLY or fault in _IS_OUT_OF_STEP:
        # An engine that refuses to tell its version of GTP may play all the same.
        handshake, in_the_game = HARMLESS if fault == "refuse" else "protocol", "protocol"
    else:
        handshake = in_the_game = HARMLESS
    return dict(zip(MOMENTS, (handshake, in_the_game, in_the_game, HARMLESS), strict=True))


RULINGS: dict[str, dict[str, str]] = {
    fault: _rulings(fault) for fault in (*AT_A_COMMAND, *AT_THE_START, *LIES, *ILLEGAL)
}
"""By fault and moment: how the game must end, or HARMLESS. A fault cannot be committed at a moment
that is missing."""


def listing() -> str:
    """Return all faults with their rulings, as a table for people."""
    rows = [["fault", *MOMENTS, "what it does"]]
    for fault, rulings in RULINGS.items():
        rows.append([fault, *(rulings.get(moment, "") for moment in MOMENTS), meaning(fault)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def meaning(fault: str) -> str:
    """Return what a fault is, in a few words."""
    if fault in ILLEGAL:
        illegality = ILLEGAL[fault]
        return f"an illegal turn: {illegality.value if illegality else 'malformed'}"
    if fault in LIES:
        return f"a false answer to {LIES[fault]}"
    if fault in AT_THE_START:
        return f"before the first command: {_summary(AT_THE_START[fault].__doc__)}"
    return _summary(AT_A_COMMAND[fault].__doc__)


def _summary(docstring: str | None) -> str:
    text = (docstring or "").strip().removesuffix(".")
    return text[:1].lower() + text[1:]
