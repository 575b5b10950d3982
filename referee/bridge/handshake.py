"""The handshake of a bridge, which proves the token.

The listener sends `oddly-bridge 1 NONCE`, the connecting end `oddly-bridge 1 PROOF`, and the
listener `ok`, or `error` and a sentence before it closes. PROOF is the hexadecimal HMAC-SHA256 of
the nonce under the token, so the token never travels and no answer can be replayed.
Without a token the key is empty.
"""

from __future__ import annotations

import hmac
import re
import secrets
from typing import TYPE_CHECKING

from games.untrusted_text import one_line
from referee.bridge.address import BridgeError

if TYPE_CHECKING:
    from pathlib import Path

HELLO = b"oddly-bridge 1 "
OK = b"ok"
ERROR = b"error "
MAX_LINE_LENGTH = 512
"""Bytes of a line of the handshake."""
SHORTEST_TOKEN = 16

_NONCE = re.compile(rb"[0-9a-f]{32}")


def read_token(path: Path) -> bytes:
    """Return the token in a file, without white space around it. Raises BridgeError."""
    try:
        token = path.read_bytes().strip()
    except OSError as error:
        raise BridgeError(f"cannot read the token file {path}: {error.strerror}") from None
    if len(token) < SHORTEST_TOKEN:
        raise BridgeError(
            f"the token in {path} has {len(token)} characters: expected {SHORTEST_TOKEN} or more, "
            "as 'openssl rand -hex 32' makes them"
        )
    return token


def new_nonce() -> bytes:
    """Return a new random challenge."""
    return secrets.token_hex(16).encode()


def prove(token: bytes, nonce: bytes) -> bytes:
    """Return the proof of knowing `token` for one `nonce`."""
    return hmac.new(token, nonce, "sha256").hexdigest().encode()


def is_proof(line: bytes, token: bytes, nonce: bytes) -> bool:
    """Whether a line of the connecting end proves the token; compares in constant time."""
    return hmac.compare_digest(line, HELLO + prove(token, nonce))


def nonce_in(line: bytes) -> bytes:
    """Return the nonce in the listener's first line. Raises BridgeError if it is no bridge."""
    nonce = line.removeprefix(HELLO)
    if line.startswith(ERROR):
        raise refused(line)
    if not line.startswith(HELLO) or not _NONCE.fullmatch(nonce):
        raise BridgeError(f"the other side is no oddly bridge of version 1: it said {quoted(line)}")
    return nonce


def refused(line: bytes) -> BridgeError:
    """Return the error for a last line of the listener other than `ok`."""
    if line.startswith(ERROR):
        return BridgeError(f"the other side refused: {one_line(line.removeprefix(ERROR))}")
    return BridgeError(f"the other side is no oddly bridge of version 1: it said {quoted(line)}")


def quoted(line: bytes) -> str:
    """Return an untrusted line in quotes."""
    return f"'{one_line(line[:80])}'" if line else "nothing"
