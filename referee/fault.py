"""What an engine did wrong: the error type that costs a game and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.outcome import Termination

MAX_EVIDENCE = 400


class EngineFault(Exception):
    """A fault of one engine. `reason` is a sentence, `evidence` the bytes it sent."""

    def __init__(self, termination: Termination, reason: str, evidence: bytes = b"") -> None:
        super().__init__(reason)
        self.termination = termination
        self.reason = reason
        self.evidence = printable(evidence)


def printable(data: bytes) -> str:
    """Strangers' bytes as safe text: control characters escaped, the end cut off."""
    text = data[:MAX_EVIDENCE].decode("utf-8", "backslashreplace")
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown + ("..." if len(data) > MAX_EVIDENCE else "")
