"""The identity of an engine that joins: its names, the pools it wants, and its owner's key.

The key is an Ed25519 key in a file that only its user can read.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, NamedTuple

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from oddly.arena.client.events import game_of
from oddly.arena.wire.messages import Join
from oddly.arena.wire.proof import new_secret, prove, public_key
from oddly.games import GameError, did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.arena.wire.messages import Hello, PoolOffer


class NotWelcomeError(Exception):
    """The engine cannot play there. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The owner's facts about the engine."""

    name: str
    family: str
    owner: str
    """Empty for an owner whom the arena knows by the key."""
    secret: bytes = field(repr=False)
    """The secret half of the owner's key."""
    host: str
    """The arena's host as dialled, which the proof names."""
    about: str = ""
    invitation: str | None = field(default=None, repr=False)
    pools: tuple[str, ...] = ()
    """The pools wanted; empty for all that the engine can play."""
    challenges: bool = False
    """Whether visitors of the arena's pages may play unrated games against it."""

    def join(self, hello: Hello, program: str, pools: Sequence[str]) -> Join:
        """Return the answer to `hello`, with its proof."""
        return Join(
            name=self.name,
            family=self.family,
            owner=self.owner,
            key=public_key(self.secret),
            proof=prove(self.secret, hello.nonce, self.host, self.name),
            program=program,
            about=self.about,
            pools=tuple(pools),
            invitation=self.invitation,
            challenges=self.challenges,
        )

    def wanted(self, hello: Hello) -> list[PoolOffer]:
        """Return the wanted pools of the arena. Raises NotWelcomeError."""
        if not self.pools:
            return list(hello.pools)
        offers = {offer.pool: offer for offer in hello.pools}
        for pool in self.pools:
            if pool not in offers:
                raise NotWelcomeError(
                    f"the arena has no pool {pool!r}: expected one of {', '.join(offers)}"
                    f"{did_you_mean(pool, offers)}"
                )
        return [offers[pool] for pool in self.pools]


class PlayablePools:
    """The pools that the engine plays, as far as known, kept from one connection to the next."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}

    def learn(self, reasons: dict[str, str]) -> None:
        """Note why the engine does not play by some rules; an empty reason means that it does."""
        self._reasons.update(reasons)

    def unknown(self, offers: Sequence[PoolOffer]) -> list[PoolOffer]:
        """Return the pools about which the engine must be asked."""
        return [offer for offer in offers if rules_of(offer) not in self._reasons]

    def among(self, offers: Sequence[PoolOffer], *, named: bool) -> list[str]:
        """Return the ids of the offers that the engine plays.

        Raises NotWelcomeError if there are none, or if a pool that the owner named does not fit.
        """
        refused = [
            f"{offer.pool}: {one_line(self._reasons[rules_of(offer)])}"
            for offer in offers
            if self._reasons[rules_of(offer)]
        ]
        if refused and named:
            raise NotWelcomeError(f"the engine does not play {refused[0]}")
        found = [offer.pool for offer in offers if not self._reasons[rules_of(offer)]]
        if not found:
            why = "it has none" if not offers else f"the first, {refused[0]}"
            raise NotWelcomeError(f"the engine plays none of the arena's pools: {why}")
        return found


def rules_of(offer: PoolOffer) -> str:
    """Return a key for a pool's rules, equal for pools that demand the same of an engine."""
    try:
        game = str(game_of(offer))
    except GameError:
        game = f"{offer.game} {offer.size} {sorted(offer.settings.items())}"
    return f"{game}, {offer.time}"


MAX_BYTES = 4096
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
    """Return the key in a file, after writing a new one if there is none. Raises KeyFileError."""
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
    # Not named after this process: one in another container may have the same number.
    file, part = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
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
        Path(part).unlink()
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
