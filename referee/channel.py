"""What a player needs of the way to its engine, be it a process's pipes or memory in a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol


class Channel(Protocol):
    """Bytes to and from an engine, and its end."""

    stderr_tail: bytearray

    async def send(self, data: bytes) -> None:
        """Write all of `data`. Raises OSError once the engine has closed its input."""

    async def receive(self) -> bytes:
        """Wait for some output; empty at its end."""

    async def drain_stderr(self) -> None:
        """Read standard error to its end, keeping the last part in `stderr_tail`."""

    async def how_it_ended(self, patience: float) -> str:
        """What became of an engine whose output has ended, in words, after so many seconds."""

    async def stop(self, grace: float) -> None:
        """End the engine and all it started within about `grace` seconds. Safe to call again."""

    def close(self) -> None:
        """Let go of what is left, once standard error is no longer drained."""


OpenChannel = Callable[[Sequence[str], int], Channel]
"""From a command line, and how many bytes of standard error to keep."""
