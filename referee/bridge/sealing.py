"""Sealed messages: nobody without the session's key can add, change, repeat or reorder one."""

from __future__ import annotations

import hmac

from oddly.referee.bridge.address import BridgeError

SEAL = 16
"""Bytes before each message: half of an HMAC-SHA256 of its number and its content."""


class Seal:
    """The seals of the messages in one direction, each with its number."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._number = 0

    def close(self, data: bytes) -> bytes:
        """Return the next message, sealed."""
        return self._next(data) + data

    def open(self, message: str | bytes) -> bytes:
        """Return the content of the next message. Raises BridgeError if its seal is wrong."""
        sealed = message.encode() if isinstance(message, str) else message
        data = sealed[SEAL:]
        if not hmac.compare_digest(sealed[:SEAL], self._next(data)):
            raise BridgeError("a message that the other end did not send: somebody is in between")
        return data

    def _next(self, data: bytes) -> bytes:
        numbered = self._number.to_bytes(8) + data
        self._number += 1
        return hmac.digest(self._key, numbered, "sha256")[:SEAL]
