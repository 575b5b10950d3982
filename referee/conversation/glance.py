"""Looking for the answer of a quick engine, which costs less than waiting for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oddly.referee.program.channel import Channel

QUICK = 0.002
"""Seconds within which an answer is worth looking for before its pipe is waited for."""
LOOKS = 16
"""Looks into the pipe behind a question, in about as much time as a wait costs."""
MAX_VAIN = 15
"""The most turns with a single look, after one at which all looks were in vain."""
IN_A_ROW = 4
"""The most turns of an engine that are read before other games get their turn."""


class Glance:
    """How one engine's answers are looked for, by what came of it at earlier turns."""

    def __init__(self) -> None:
        self.is_quick = True
        self._in_a_row = self._vain = self._single = 0

    def note(self, seconds: float) -> None:
        """Note how long the engine took for an answer."""
        self.is_quick = seconds < QUICK

    @property
    def is_others_turn(self) -> bool:
        """Whether other games should get their turn before we look."""
        return self.is_quick and self._in_a_row >= IN_A_ROW

    def at(self, channel: Channel) -> bytes | None:
        """Return what a quick engine answers while we look; None or b"" if nothing."""
        if not self.is_quick:
            return None
        self._in_a_row = 1 if self._in_a_row >= IN_A_ROW else self._in_a_row + 1
        look, looks = channel.receive_nowait, LOOKS
        if self._single:
            self._single -= 1
            looks = 1
        for _ in range(looks):
            if (data := look()) is not None:
                self._vain = self._single = 0
                return data
        if looks == LOOKS:
            self._vain = self._single = min(MAX_VAIN, 2 * self._vain + 1)
        return None
