"""How a step of a check ends early: the engine failed it, or it cannot be judged."""

from __future__ import annotations


class Failed(Exception):
    """The engine did something other than what the protocol says.

    `sent` and `received` are the last bytes in each direction, empty if there were none.
    """

    def __init__(
        self, problem: str, expected: str, sent: bytes = b"", received: bytes = b""
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.expected = expected
        self.sent = sent
        self.received = received


class Late(Failed):
    """No complete reply came in time."""


class Skipped(Exception):
    """The step cannot be judged. The message says why."""
