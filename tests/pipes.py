"""Pipes that nobody reads."""

import fcntl
import os
from contextlib import suppress


def full_pipe():
    """The reading and the writing end of a pipe that takes nothing more until it is read."""
    ours, theirs = os.pipe()
    flags = fcntl.fcntl(theirs, fcntl.F_GETFL)
    fcntl.fcntl(theirs, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    for size in (4096, 1):
        with suppress(BlockingIOError):
            while True:
                os.write(theirs, b"x" * size)
    fcntl.fcntl(theirs, fcntl.F_SETFL, flags)
    return ours, theirs
