"""The owner's key: an Ed25519 key in a file that only its user can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from oddly.arena.wire.proof import new_secret

MAX_BYTES = 4096
ONLY_OWNER = 0o600
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeyFileError(Exception):
    """A file gives no key. The message is one sentence, and shows nothing of the key."""


class OwnKey(NamedTuple):
    """A secret key of 32 bytes, and whether it has just been made."""

    secret: bytes
    is_new: bool


def default_key_file() -> Path:
    """Return the file of the user's key: `~/.config/oddly/arena.key`, or in `XDG_CONFIG_HOME`.

    Raises KeyFileError if the user has no home.
    """
    chosen = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    try:
        folder = chosen if chosen.is_absolute() else Path.home() / ".config"
    except RuntimeError:
        raise KeyFileError("this user has no home directory: name a file by --key") from None
    return folder / "oddly" / "arena.key"


def own_key(path: Path) -> OwnKey:
    """Return the key in a file, or a new one that is written there first. Raises KeyFileError."""
    try:
        if not os.path.lexists(path) and (secret := _make(path)):
            return OwnKey(secret, is_new=True)
        return OwnKey(_read(path), is_new=False)
    except OSError as error:
        raise KeyFileError(f"the key file {path}: {error.strerror}") from None


def _make(path: Path) -> bytes | None:
    """Write a new key and return it; None if another process has made one. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    secret = new_secret()
    key = Ed25519PrivateKey.from_private_bytes(secret)
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, ONLY_OWNER)
    try:
        try:
            os.write(file, text)
            os.fsync(file)
        finally:
            os.close(file)
        # Unlike a rename, it never replaces a key.
        os.link(part, path)
    except FileExistsError:
        return None
    finally:
        part.unlink()
    return secret


def _read(path: Path) -> bytes:
    """Return the secret key in a file. Raises KeyFileError and OSError."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & OTHERS:
            raise KeyFileError(
                f"others can read the key file {path}: make it private with 'chmod 600'"
            )
        text = file.read(MAX_BYTES)
    try:
        key = load_pem_private_key(text, None)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(
            f"{path} is not an Ed25519 key in PEM without a password, as "
            "'openssl genpkey -algorithm ed25519' makes one"
        )
    return key.private_bytes_raw()
