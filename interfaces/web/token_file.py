"""The token of the page, in a file that only its user can read. It survives restarts."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

TOKEN_BYTES = 24
SHORTEST = 16


class TokenError(Exception):
    """A token that cannot be read or written. The message is one sentence."""


class TokenFile:
    """A token in a file, which is made if it is missing. A renewed one counts at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: object = None
        self._token = ""

    def current(self) -> str:
        """Return the token. Raises TokenError if there is none that is safe."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self.renew(replacing=False)
            status = self.path.stat()
        except OSError as error:
            raise self._error("read", error) from None
        seen = (status.st_mtime_ns, status.st_ino, status.st_size, status.st_mode)
        if seen != self._seen:
            self._token = self._read(status)
            self._seen = seen
        return self._token

    def token(self) -> str:
        """Return the token; once it is known, the last one that could be read."""
        with suppress(TokenError, OSError):
            return self.current()
        return self._token

    def renew(self, *, replacing: bool = True) -> None:
        """Write a new token; without `replacing`, only if there is none. Raises TokenError."""
        new = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            if replacing:
                new.replace(self.path)
            else:
                # Another server may have made one meanwhile.
                with suppress(FileExistsError):
                    os.link(new, self.path)
                new.unlink()
        except OSError as error:
            raise self._error("write", error) from None

    def _read(self, status: os.stat_result) -> str:
        if not stat.S_ISREG(status.st_mode):
            raise TokenError(f"{self.path} is not a file: expected a token in it")
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise TokenError(
                f"others can read the token in {self.path}: 'chmod 600' it, or renew it with "
                "--new-token"
            )
        try:
            token = self.path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise self._error("read", error) from None
        if len(token) < SHORTEST or not set(token) <= _SAFE:
            raise TokenError(
                f"the token in {self.path} is not one: expected {SHORTEST} letters, digits, - or _ "
                "or more; --new-token renews it"
            )
        return token

    def _error(self, what: str, error: Exception) -> TokenError:
        said = error.strerror if isinstance(error, OSError) else str(error)
        return TokenError(f"cannot {what} the token file {self.path}: {said}")


_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
