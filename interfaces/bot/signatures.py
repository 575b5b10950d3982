"""Whether a webhook comes from the site: its signature, its age, and that it comes only once."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

WINDOW = 300
"""Seconds by which a webhook's clock may differ from ours, either way."""
MAX_NONCE_LENGTH = 200
MAX_NONCES = 100_000
TIMESTAMP, NONCE, SIGNATURE = "x-signature-timestamp", "x-signature-nonce", "x-signature"
_HEADERS = (TIMESTAMP, NONCE, SIGNATURE)


class SignatureError(Exception):
    """A webhook that is refused. The message is one sentence."""


class SignatureCheck:
    """Checks webhooks against the site's key, and remembers their nonces.

    A nonce is forgotten when the time window refuses its webhook anyway; only webhooks that the
    site has signed are remembered.
    """

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self._nonces: dict[str, float] = {}
        """Each nonce with the Unix second until which it is remembered."""

    def check(self, headers: Sequence[tuple[str, str]], body: bytes, now: float) -> None:
        """Return if a webhook with these headers and raw body is new and the site's own.

        `headers` has names in lower case; `now` is in Unix seconds. Raises SignatureError.
        """
        timestamp, nonce, signature = (_only(headers, name) for name in _HEADERS)
        seconds = _seconds(timestamp)
        if abs(int(now) - seconds) > WINDOW:
            raise SignatureError(f"the timestamp is more than {WINDOW} s off")
        if len(nonce) > MAX_NONCE_LENGTH:
            raise SignatureError("the nonce is too long")
        try:
            raw = base64.b64decode(signature, validate=True)
            signed = f"{timestamp}.{nonce}.".encode("latin-1") + body
            self._key.verify(raw, signed)
        except (InvalidSignature, binascii.Error, ValueError):
            raise SignatureError("the signature is not right") from None
        self._remember(nonce, seconds, now)

    def _remember(self, nonce: str, seconds: int, now: float) -> None:
        """Remember a nonce. Raises SignatureError if it is known."""
        if self._nonces.get(nonce, -1.0) >= now:
            raise SignatureError("the nonce was used before")
        if len(self._nonces) >= MAX_NONCES:
            self._nonces = {n: until for n, until in self._nonces.items() if until >= now}
        if len(self._nonces) >= MAX_NONCES:
            raise SignatureError("too many webhooks at once")
        self._nonces[nonce] = max(seconds, now) + WINDOW + 1


def _only(headers: Sequence[tuple[str, str]], name: str) -> str:
    """The value of a header that comes once. Raises SignatureError."""
    values = [value for key, value in headers if key == name]
    if len(values) != 1 or not values[0]:
        raise SignatureError(f"the header {name} is expected once")
    return values[0]


def _seconds(text: str) -> int:
    """A time in Unix seconds. Raises SignatureError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise SignatureError("the timestamp is not a number of seconds")
    return int(text)
