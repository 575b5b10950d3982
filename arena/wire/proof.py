"""The proof that an engine's side holds a key.

A proof is an Ed25519 signature (RFC 8032) over who joins where. The signed text has the nonce of
this connection, so that no proof serves twice, and the host that was dialled, so that no arena can
use the proof at another.
"""

from __future__ import annotations

import base64
import re
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from oddly.arena.wire.members import SUBPROTOCOL

RAW_KEY = 32
USUAL_PORTS = {"ws": ":80", "http": ":80", "wss": ":443", "https": ":443"}
_NO_HOST = re.compile(r"[\s/@?#]")


def new_secret() -> bytes:
    """Return a new secret key: 32 bytes."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_key(secret: bytes) -> str:
    """Return the public key of a secret of 32 bytes, in base64url. Raises ValueError for others."""
    key = Ed25519PrivateKey.from_private_bytes(secret)
    return _to_base64url(key.public_key().public_bytes_raw())


def signed_text(nonce: str, host: str, name: str) -> bytes:
    """Return what is signed: the wire's version, the nonce, the host and the engine's name."""
    return f"{SUBPROTOCOL}\n{nonce}\n{host.lower()}\n{name}\n".encode()


def prove(secret: bytes, nonce: str, host: str, name: str) -> str:
    """Return the signature in base64url. Raises ValueError unless the secret is 32 bytes."""
    key = Ed25519PrivateKey.from_private_bytes(secret)
    return _to_base64url(key.sign(signed_text(nonce, host, name)))


def is_proof(key: str, proof: str, nonce: str, host: str, name: str) -> bool:
    """Return whether the proof was made with this key's secret, for exactly these values."""
    try:
        public = Ed25519PublicKey.from_public_bytes(raw_key(key))
        public.verify(_from_base64url(proof), signed_text(nonce, host, name))
    except (InvalidSignature, ValueError):
        return False
    return True


def raw_key(key: str) -> bytes:
    """Return the 32 bytes of a public key in base64url. Raises ValueError."""
    raw = _from_base64url(key)
    if len(raw) != RAW_KEY:
        raise ValueError(f"a key of {len(raw)} bytes, expected {RAW_KEY}")
    return raw


def same_key(key: str) -> str:
    """Return a key in its only spelling, without padding. Raises ValueError."""
    return _to_base64url(raw_key(key))


def host_of(url: str) -> str:
    """Return the host of a URL as it is signed: the header `Host` in lower case.

    That is `name`, or `name:port` if the port is not the scheme's default. Raises ValueError if
    there is none.
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    if not host or _NO_HOST.search(host):
        raise ValueError(f"{url!r} has no host")
    return host.removesuffix(USUAL_PORTS.get(parts.scheme, " "))


def _to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _from_base64url(text: str) -> bytes:
    """Return the bytes that a text in base64url stands for. Raises ValueError."""
    try:
        padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not base64url") from None
