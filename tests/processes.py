"""The processes of a machine, and those that a run of the tests left running."""

import os
import secrets
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
MARK = "ODDLY_TEST_RUN"
"""A variable that every process of a run of the tests inherits."""
GRACE = 10.0
"""Seconds that processes have to end after the last test."""


def processes() -> list[str]:
    """Every other process that is no zombie, as ` PARENT ARGUMENTS`."""
    if (PROC / "self" / "stat").exists():
        return list(filter(None, map(_described, PROC.glob("[0-9]*"))))
    listed = subprocess.run(["ps", "-eo", "ppid=,args="], capture_output=True, text=True)
    return [f" {line.strip()}" for line in listed.stdout.splitlines() if " ps " not in line]


def _described(process: Path) -> str | None:
    try:
        state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
        arguments = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    if state == "Z" or process.name == str(os.getpid()):
        return None
    return f" {parent} {arguments}"


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def zombies() -> set[int]:
    """Our own children that have ended and that nobody has reaped."""
    found = set()
    for process in PROC.glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.add(int(process.name))
    return found


def children(pid: int) -> list[str]:
    """The child processes of a process, with their arguments."""
    return [line for line in processes() if line.startswith(f" {pid} ")]


def running(*words: str) -> set[int]:
    """The processes with exactly these arguments that are no zombies."""
    arguments = "\0".join(words).encode()
    found = set()
    for process in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cmdline").read_bytes().rstrip(b"\0") == arguments:
                found.add(int(process.name))
    return found


def mark_processes() -> None:
    """Give every process that this one will start, however indirectly, the mark of this run."""
    os.environ[MARK] = secrets.token_hex(8)


def marked_processes() -> dict[int, str]:
    """The other processes of this run, with their arguments."""
    mark = f"{MARK}={os.environ[MARK]}".encode()
    found = {}
    for process in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if (
                mark in (process / "environ").read_bytes().split(b"\0")
                and process.name != str(os.getpid())
            ):  # fmt: skip
                arguments = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found[int(process.name)] = arguments.decode(errors="replace").strip()
    return found


def end_what_is_left() -> dict[int, str]:
    """Return the processes of this run that do not end by themselves, and end them."""
    deadline, found_none = time.monotonic() + GRACE, False
    # A process shows no variables while it starts another program, so two looks in a row count.
    while ((left := marked_processes()) or not found_none) and time.monotonic() < deadline:
        found_none = not left
        time.sleep(0.1)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left
