"""An engine composed of system calls at moments: `python composed.py '[[MOMENT, CALL, ...], ...]'`.

It plays Odd on hexhex boards, the first empty cell, and needs nothing but the standard library. A
moment is `start`, `quit`, `play` (the opponent's turn has come), `ask` (before the answer to a
genmove), `half` (after half of it) or `done` (after it), with a number: `ask2` is the second
genmove. A call is a list: its name and its arguments. `fork` has calls for its child, which then
sleeps for an hour; a child that another argument names `run` goes on as the engine.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from collections import Counter

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
PR_SET_PTRACER, ANY = 0x59616D61, -1
COMMANDS = "name version list_commands protocol_version boardsize clear_board play genmove quit"
LIBC = ctypes.CDLL(None, use_errno=True)


def carry_out(calls: list) -> None:
    for name, *arguments in calls:
        CALLS[name](*arguments)


def write(fd: int, text: str) -> None:
    try:
        os.write(fd, text.encode("latin-1"))
    except OSError:
        pass


def close(fd: int) -> None:
    try:
        os.close(fd)
    except OSError:
        pass


def reopen(fd: int) -> None:
    """Have `fd` lead to where standard error leads."""
    try:
        os.dup2(2, fd)
    except OSError:
        pass


def fork(*calls: list) -> None:
    if os.fork() == 0:
        carry_out(list(calls))
        time.sleep(3600)
        os._exit(0)
    # The child has its say first.
    time.sleep(0.05)


def setsid() -> None:
    try:
        os.setsid()
    except OSError:
        pass


def ptrace() -> None:
    """Trace the parent, which is waited for by nobody else then."""
    LIBC.ptrace(PTRACE_SEIZE, os.getppid(), 0, 0)


def wipe(seconds: str) -> None:
    """Become a `sleep` without the environment that this process was started with."""
    os.execve("/bin/sleep", ["sleep", seconds], {})  # noqa: S606 - that is the point


def flood(fd: int, amount: int, text: str = "x") -> None:
    data = text.encode("latin-1") * (amount // len(text))
    while data:
        try:
            data = data[os.write(fd, data[:65536]) :]
        except OSError:
            return


def ignore(number: int) -> None:
    signal.signal(number, signal.SIG_IGN)


CALLS = {
    "write": write,
    "close": close,
    "reopen": reopen,
    "fork": fork,
    "setsid": setsid,
    "ptrace": ptrace,
    "wipe": wipe,
    "ignore": ignore,
    "signal": lambda number: os.kill(os.getpid(), number),
    "signal_parent": lambda number: os.kill(os.getppid(), number),
    "delay": time.sleep,
    "exit": os._exit,
    "flood": flood,
}


class Engine:
    def __init__(self, plan: list) -> None:
        self.plan = {moment: calls for moment, *calls in plan}
        self.counts: Counter[str] = Counter()
        self.size = 5
        self.taken: set[str] = set()
        self.identity = 0
        CALLS["forge"] = self.forge

    def forge(self, number: int) -> None:
        """Answer commands that have not been asked yet."""
        cells = [cell for cell in self.cells() if cell not in self.taken]
        for ahead, cell in zip(range(1, 2 * number, 2), cells[1:], strict=False):
            write(1, f"={self.identity + ahead}\n\n={self.identity + ahead + 1} B{cell}\n\n")

    def at(self, moment: str) -> None:
        self.counts[moment] += 1
        carry_out(self.plan.get(f"{moment}{self.counts[moment]}", []))

    def cells(self) -> list[str]:
        inside = range(1 - self.size, self.size)
        return [
            f"{chr(ord('a') + q + self.size - 1)}{r + self.size}"
            for q in inside
            for r in inside
            if abs(q + r) < self.size
        ]

    def answer(self, name: str, arguments: list[str]) -> str:
        match name:
            case "name":
                return "composed"
            case "protocol_version":
                return "2"
            case "list_commands":
                return "\n".join(COMMANDS.split())
            case "boardsize":
                self.size = int(arguments[0])
            case "clear_board":
                self.taken.clear()
            case "play":
                self.taken.add(arguments[1][1:])
                self.at("play")
            case "genmove":
                vertex = next(cell for cell in self.cells() if cell not in self.taken)
                self.taken.add(vertex)
                return f"B{vertex}"
        return ""

    def reply(self, identity: str, name: str, arguments: list[str]) -> None:
        if name == "genmove":
            self.at("ask")
        text = f"={identity} {self.answer(name, arguments)}\n\n"
        if name != "genmove":
            write(1, text)
            return
        write(1, text[:2])
        self.at("half")
        write(1, text[2:])
        self.at("done")

    def serve(self) -> None:
        self.at("start")
        for line in sys.stdin:
            identity, name, *arguments = line.split()
            self.identity = int(identity)
            if name == "quit":
                self.at("quit")
                write(1, f"={identity}\n\n")
                return
            self.reply(identity, name, arguments)


if __name__ == "__main__":
    LIBC.prctl(PR_SET_PTRACER, ctypes.c_ulong(ANY), 0, 0, 0)
    Engine(json.loads(sys.argv[1])).serve()
