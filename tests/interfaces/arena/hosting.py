"""An arena in a process of its own, for tests."""

import shutil
import socket
import subprocess
import sys
from contextlib import contextmanager

from oddly.tournaments import Ledger, verify

FILE = """
[arena]
name = "Test"
port = {port}
gather = 0.05
{more}

[[pool]]
game = "xodd"
size = 3
time = "5+0.5"
opening_turns = 0
"""
POOL = "xodd-3-5+0.5"


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Host:
    """The file and the folder of an arena, which is started and stopped."""

    def __init__(self, folder, more: str = "", options: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.options = options
        self.port = free_port()
        self.file = folder / "arena.toml"
        self.file.write_text(FILE.format(port=self.port, more=more))
        self.url = f"ws://127.0.0.1:{self.port}/arena"
        self.ledger = folder / "arena" / f"{POOL}.sqlite"
        self.process: subprocess.Popen | None = None
        self.greeting = ""

    def start(self) -> None:
        """Start the arena; it listens on return."""
        command = [sys.executable, "-m", "oddly", "arena", str(self.file), *self.options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.greeting = self.process.stdout.readline()

    def kill(self) -> None:
        """Kill it as a power cut does."""
        self.process.kill()
        self.process.communicate()

    def stop(self) -> int:
        """Stop it in good order."""
        self.process.terminate()
        _, errors = self.process.communicate(timeout=30)
        assert errors == ""
        return self.process.returncode

    def records(self):
        """The games of its ledger, which is verified, by id."""
        assert verify(self.ledger).problems == []
        with Ledger(self.ledger, read_only=True) as ledger:
            return ledger.records()


@contextmanager
def running(host: Host):
    """An arena that is started, and is killed at the end if it still runs."""
    host.start()
    try:
        yield host
    finally:
        if host.process.poll() is None:
            host.kill()


def hosted(folder, more: str = ""):
    """A running arena, which is killed at the end if it still runs."""
    return running(Host(folder, more))


def copied(stopped: Host, folder) -> Host:
    """An arena that has the games and the ledgers of another, which does not run."""
    shutil.copytree(stopped.folder / "arena", folder / "arena")
    return Host(folder)
