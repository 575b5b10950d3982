"""Errors by whose fault they are: an engine's costs it the game, ours costs nobody a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.games.untrusted_text import one_line

if TYPE_CHECKING:
    from oddly.referee.outcome import Termination


class EngineFault(Exception):
    """A fault of one engine. `reason` is a sentence, `evidence` what the engine sent."""

    def __init__(self, termination: Termination, reason: str, evidence: bytes = b"") -> None:
        super().__init__(reason)
        self.termination = termination
        self.reason = reason
        self.evidence = one_line(evidence)


class VoidGame(Exception):
    """The referee or its machine failed, and no engine is to blame. `reason` is a sentence.

    The game counts for nobody, and is played again.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MachineExhausted(VoidGame):
    """The machine lacks descriptors, processes, memory or room: fewer games at once may help."""
