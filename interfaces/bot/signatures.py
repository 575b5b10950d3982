"""Whether a webhook comes from the site: by the site's key, the signature and the time.

The key is in BOT.toml, or in a file that BOT.toml names.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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

    A nonce is forgotten once the time window refuses its webhook anyway. Only the nonces of
    webhooks that the site has signed are remembered.
    """

    def __init__(self, key: Ed25519PublicKey) -> None:
        self._key = key
        self._nonces: dict[str, float] = {}
        """Each nonce with the Unix second until which it is remembered."""

    def check(self, headers: Sequence[tuple[str, str]], body: bytes, now: float) -> None:
        """Check that a webhook with these headers and raw body is new and the site's own.

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
    """Return the value of a header that must come once. Raises SignatureError."""
    values = [value for key, value in headers if key == name]
    if len(values) != 1 or not values[0]:
        raise SignatureError(f"the header {name} is expected once")
    return values[0]


def _seconds(text: str) -> int:
    """Return a time in Unix seconds. Raises SignatureError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise SignatureError("the timestamp is not a number of seconds")
    return int(text)


LARGEST_KEY_FILE = 16_384
_RAW = 32
_OPENSSH = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
"""The bytes before the raw key in OpenSSH's form."""


class PublicKeyError(ValueError):
    """A text that is no public key. The message is one sentence."""


def read_public_key(text: str, folder: Path) -> Ed25519PublicKey:
    """Return the Ed25519 key in a text, or in a file of that name in `folder`.

    It reads PEM, base64 of the raw key, of DER or of OpenSSH's form, and lines as in
    `ssh-ed25519 AAAA...` and SSH2's key files. Raises PublicKeyError.
    """
    if (found := _key_in(text)) is not None:
        return found
    if "\n" in text or "\0" in text or len(text) >= 1024:
        raise PublicKeyError(
            "an Ed25519 public key is expected: PEM, base64, or the name of a file"
        )
    reason = "but a file without one"
    try:
        with (folder / text).open("rb") as file:
            found = _key_in(file.read(LARGEST_KEY_FILE).decode("utf-8", "replace"))
    except OSError as error:
        reason = f"and there is no such file: {error.strerror}"
    if found is None:
        raise PublicKeyError(f"{text[:60]!r} is not an Ed25519 public key, {reason}")
    return found


def _key_in(text: str) -> Ed25519PublicKey | None:
    if "-----BEGIN" in text:
        try:
            key = load_pem_public_key(text.strip().encode())
        except (ValueError, UnsupportedAlgorithm):
            return None
        return key if isinstance(key, Ed25519PublicKey) else None
    lines = [line.strip() for line in text.strip().strip("\"'").splitlines()]
    body = [
        line for line in lines if line and not line.startswith(("#", "----")) and ":" not in line
    ]
    words = " ".join(body).split()
    if words[:1] == ["ssh-ed25519"]:
        words = words[1:2]
    try:
        data = base64.b64decode("".join(words), validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) == _RAW:
        return Ed25519PublicKey.from_public_bytes(data)
    if data.startswith(_OPENSSH) and len(data) == len(_OPENSSH) + _RAW:
        return Ed25519PublicKey.from_public_bytes(data[-_RAW:])
    try:
        key = load_der_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        # Base64 of a PEM or of a line of OpenSSH, as environment variables hold it.
        inner = data.decode("ascii", "replace")
        return _key_in(inner) if "ssh-ed25519 " in inner or "-----BEGIN" in inner else None
    return key if isinstance(key, Ed25519PublicKey) else None
