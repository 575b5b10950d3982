"""Three kinds of error: the peer's, ours, and text that is not in the notation."""

from __future__ import annotations

MAX_EVIDENCE = 400


class ProtocolError(Exception):
    """Either side broke the protocol."""


class RemoteProtocolError(ProtocolError):
    """The peer broke the protocol. `evidence` is the start of what it sent."""

    def __init__(self, reason: str, evidence: bytes = b"") -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence[:MAX_EVIDENCE]


class LocalProtocolError(ProtocolError):
    """We tried to break the protocol, which is a bug of ours."""


class NotationError(ValueError):
    """Text that cannot be read. `column` counts from 0; `expected` describes what belongs there."""

    def __init__(self, what: str, text: str, column: int, expected: str) -> None:
        self.what = what
        self.text = text
        self.column = column
        self.expected = expected
        super().__init__(
            f"malformed {what} {text[:80]!r}: expected {expected} at character {column + 1}"
        )

    def pointed(self) -> str:
        """Return the text with a caret below the character that is wrong."""
        return f"  {self.text[:80]}\n  {' ' * min(self.column, 80)}^"
