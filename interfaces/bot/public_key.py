"""The site's public key, in any of the forms in which such a key is published."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_KEY_FILE = 16_384
_RAW = 32
_OPENSSH = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
"""What stands before the raw key in the form of OpenSSH."""


class PublicKeyError(ValueError):
    """A text that is no public key. The message is one sentence."""


def read_public_key(text: str, folder: Path) -> Ed25519PublicKey:
    """Return the Ed25519 key that a text is, or that a file of that name in `folder` holds.

    Known are PEM, base64 of the raw key, of DER or of OpenSSH's form, and lines as in
    `ssh-ed25519 AAAA...` and SSH2's key files. Raises PublicKeyError.
    """
    found = _key_in(text)
    if found is not None:
        return found
    if "\n" not in text and "\0" not in text and len(text) < 1024:
        path = folder / text
        try:
            with path.open("rb") as file:
                found = _key_in(file.read(LARGEST_KEY_FILE).decode("utf-8", "replace"))
        except OSError as error:
            reason = f"and there is no such file: {error.strerror}"
        else:
            reason = "but a file without one"
        if found is None:
            raise PublicKeyError(f"{text[:60]!r} is not an Ed25519 public key, {reason}")
        return found
    raise PublicKeyError("an Ed25519 public key is expected: PEM, base64, or the name of a file")


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
