"""A process on a terminal of its own, whose keys are pressed and whose screen an emulator keeps."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
from contextlib import suppress

import pyte

from tests.patience import PATIENCE

BEGIN = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.executable, [sys.executable, '-m', 'oddly', *sys.argv[1:]])"
)
"""Makes the terminal on standard input the process's own."""


class Terminal:
    """`oddly` on a pseudo-terminal; `seen` is all that it has drawn."""

    def __init__(
        self, words, columns=100, lines=40, begin=("-c", BEGIN), process_group=None, **more
    ):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (lines, columns))
        self.before = termios.tcgetattr(self.slave)
        self.screen = pyte.Screen(columns, lines)
        self.screen.write_process_input = self.type
        self._stream = pyte.ByteStream(self.screen)
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, *begin, *map(str, words)],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "", "LINES": "", **more},
            process_group=process_group,
        )

    def type(self, text):
        os.write(self.master, text.encode())

    def read(self):
        """What it draws within a second."""
        ready, _, _ = select.select([self.master], [], [], 1)
        data = os.read(self.master, 65_536) if ready else b""
        self._stream.feed(data)
        self.seen += data.decode("utf-8", "replace")
        return data.decode("utf-8", "replace")

    def until(self, *texts):
        """Read until all these texts are on the screen; its lines then."""
        deadline = time.monotonic() + PATIENCE
        while not all(text in "\n".join(self.screen.display) for text in texts):
            assert time.monotonic() < deadline, "\n".join([f"no {texts}", *self.screen.display])
            self.read()
        return [line.rstrip() for line in self.screen.display]

    def end(self):
        """Read until the process has ended; its exit code."""
        while self.process.poll() is None:
            self.read()
        while select.select([self.master], [], [], 0)[0]:
            self.read()
        return self.process.returncode

    def close(self):
        self.process.kill()
        self.process.wait()
        for descriptor in (self.master, self.slave):
            with suppress(OSError):
                os.close(descriptor)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
