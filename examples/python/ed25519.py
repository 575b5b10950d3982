"""A key and its signatures as in RFC 8032, for a client that is to need no library for them.

It is slow (some hundredths of a second) and does not hide from others on the same machine how long
it computes. A client with the package `cryptography` needs none of this.
"""

import os
from base64 import urlsafe_b64encode
from hashlib import sha512
from pathlib import Path

P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
Y = 4 * pow(5, -1, P) % P


def plus(a: int, b: int, x: int, y: int) -> tuple[int, int]:
    """Return the sum of two points of the curve."""
    t = D * a * b * x * y
    return (a * y + b * x) * pow(1 + t, -1, P) % P, (b * y + a * x) * pow(1 - t, -1, P) % P


def times(number: int, x: int = X, y: int = Y) -> bytes:
    """Return a multiple of a point of the curve, by doubling and adding."""
    a, b = 0, 1
    while number:
        if number & 1:
            a, b = plus(a, b, x, y)
        x, y = plus(x, y, x, y)
        number >>= 1
    return (b | (a & 1) << 255).to_bytes(32, "little")


def hashed(*parts: bytes) -> int:
    """Return SHA-512 as a number."""
    return int.from_bytes(sha512(b"".join(parts)).digest(), "little")


def own_secret(path: Path) -> bytes:
    """Return the secret in a file, which is made when it is missing, for its owner alone."""
    if not path.exists():
        path.touch(0o600, exist_ok=False)
        path.write_bytes(os.urandom(32))
    return path.read_bytes()


def sign(secret: bytes, message: bytes) -> tuple[bytes, bytes]:
    """Return the public key of a secret of 32 bytes, and the signature of a message."""
    scalar = (hashed(secret) & ((1 << 254) - 8)) | 1 << 254
    key, r = times(scalar), hashed(sha512(secret).digest()[32:], message) % ORDER
    first = times(r)
    return key, first + ((r + hashed(first, key, message) * scalar) % ORDER).to_bytes(32, "little")


def in_base64(data: bytes) -> str:
    """Return base64url without `=`."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def signed_by(path: str, text: str) -> tuple[str, str]:
    """Return the public key in a file, which is made when it is missing, and its signature."""
    key, signature = sign(own_secret(Path(path)), text.encode())
    return in_base64(key), in_base64(signature)
