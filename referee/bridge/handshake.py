"""The handshake of a bridge, in which both ends prove the token, and the session's seals.

It takes four text messages on a WebSocket:

    connecting end   hello NONCE
    listener         hello NONCE PROOF
    connecting end   proof PROOF, or: proof PROOF resume SESSION PROOF
    listener         ok, or: error SENTENCE

A proof is the HMAC-SHA256 of the role and both nonces, with the token as its key, so it is valid
for one side of one connection. The token is never sent. Without a token the key is empty, and
proves nothing.

In version 3 a session outlives its connection. Its name is the listener's nonce in its first
connection, and its secret is derived from the token and both nonces of that connection. The proof
of the secret covers the nonces of the new connection. Version 2 has neither.
"""

from __future__ import annotations

import hmac
import re
import secrets
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import one_line
from oddly.referee.bridge.address import BridgeError, BridgeRefusal

if TYPE_CHECKING:
    from pathlib import Path


SUBPROTOCOL = "oddly-bridge.2"
RESUMING = "oddly-bridge.3"
VERSIONS = {RESUMING: 3, SUBPROTOCOL: 2}
"""The subprotocols and their versions, the best first."""
RESUMABLE = 3
"""The version whose sessions outlive their connections."""
OK = "ok"
ERROR = "error "
SHORTEST_TOKEN = 16
_NONCE = r"[0-9a-f]{32}"
_HELLO = re.compile(rf"hello ({_NONCE})")
_DIGEST = "[0-9a-f]{64}"
_ANSWER = re.compile(rf"hello ({_NONCE}) ({_DIGEST})")
_RESUME = re.compile(rf"(proof {_DIGEST}) resume ({_NONCE}) ({_DIGEST})")


class Nonces(NamedTuple):
    """The random numbers of both ends, which make every session unique."""

    connector: str
    listener: str


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


def new_nonce() -> str:
    """Return a new random number."""
    return secrets.token_hex(16)


def prove(token: bytes, role: str, nonces: Nonces, version: int = 2) -> str:
    """Return the proof that an end knows the token: `role` is `connector` or `listener`."""
    return hmac.new(token, _text(role, nonces, version), "sha256").hexdigest()


def session_key(token: bytes, role: str, nonces: Nonces, version: int = 2) -> bytes:
    """Return the key that seals what an end sends over one connection."""
    return hmac.new(token, _text(f"session {role}", nonces, version), "sha256").digest()


class SessionSecret(NamedTuple):
    """The identity of a version 3 session across connections. The key is never sent."""

    name: str
    key: bytes

    @classmethod
    def of(cls, token: bytes, nonces: Nonces) -> SessionSecret:
        """Return the secret of a session whose first connection has these nonces."""
        key = hmac.new(token, _text("secret", nonces, RESUMABLE), "sha256").digest()
        return cls(nonces.listener, key)

    def resumption(self, nonces: Nonces) -> str:
        """Return what the connecting end adds to its proof: the session and proof of its secret."""
        return f" resume {self.name} {prove(self.key, 'resume', nonces, RESUMABLE)}"


class Resumption(NamedTuple):
    """The connecting end's claim to a session that it resumes."""

    name: str
    proof: str

    def proves(self, secret: SessionSecret, nonces: Nonces) -> bool:
        """Return whether this proves the secret, compared in constant time."""
        return hmac.compare_digest(self.proof, prove(secret.key, "resume", nonces, RESUMABLE))


def parted(message: str | bytes) -> tuple[str, Resumption | None]:
    """Split a message into the proof of the token and the claim to a session, if any."""
    text = _as_text(message)
    found = _RESUME.fullmatch(text)
    return (text, None) if found is None else (found[1], Resumption(found[2], found[3]))


def hello(nonce: str, proof: str = "") -> str:
    """Return the first message of an end."""
    return f"hello {nonce} {proof}".rstrip()


def nonce_in(message: str | bytes) -> str:
    """Return the nonce in the connecting end's first message. Raises BridgeError."""
    found = _HELLO.fullmatch(_as_text(message))
    if found is None:
        raise BridgeError(f"not an oddly bridge of version 2 or 3: it said {quoted(message)}")
    return found[1]


def check_listener(message: str | bytes, token: bytes, nonce: str, version: int = 2) -> Nonces:
    """Return the nonces of the session, once the listener has proved the token.

    Raises BridgeRefusal if it has not, and BridgeError for another message.
    """
    found = _ANSWER.fullmatch(_as_text(message))
    if found is None:
        raise refused(message)
    nonces = Nonces(nonce, found[1])
    if not hmac.compare_digest(found[2], prove(token, "listener", nonces, version)):
        raise BridgeRefusal("the other side does not know the token; is its token file the same?")
    return nonces


def is_proof(message: str | bytes, token: bytes, nonces: Nonces, version: int = 2) -> bool:
    """Return whether a message proves the token, compared in constant time."""
    expected = f"proof {prove(token, 'connector', nonces, version)}"
    return hmac.compare_digest(_as_text(message).encode(), expected.encode())


def refused(message: str | bytes) -> BridgeError:
    """Return the error for a message of the listener that is not the expected one."""
    text = _as_text(message)
    if text.startswith(ERROR):
        return BridgeRefusal(f"the other side refused: {one_line(text.removeprefix(ERROR))}")
    return BridgeError(
        f"the other side is not an oddly bridge of version 2 or 3: it said {quoted(message)}"
    )


def quoted(message: str | bytes) -> str:
    """Return an untrusted message in quotes."""
    return f"'{one_line(message[:80])}'" if message else "nothing"


def _as_text(message: str | bytes) -> str:
    return message if isinstance(message, str) else message.decode("ascii", "replace")


def _text(role: str, nonces: Nonces, version: int) -> bytes:
    return f"oddly-bridge {version} {role} {nonces.connector} {nonces.listener}".encode()


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
        """Return the content of the next message. Raises BridgeRefusal if its seal is wrong."""
        sealed = message.encode() if isinstance(message, str) else message
        data = sealed[SEAL:]
        if not hmac.compare_digest(sealed[:SEAL], self._next(data)):
            raise BridgeRefusal("a message that the other end did not send: somebody is in between")
        return data

    def _next(self, data: bytes) -> bytes:
        numbered = self._number.to_bytes(8) + data
        self._number += 1
        return hmac.digest(self._key, numbered, "sha256")[:SEAL]
