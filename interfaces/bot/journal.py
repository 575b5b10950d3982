"""The log of a bot, on standard error, without secrets."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

from oddly.games import one_line
from oddly.interfaces.text.line_writer import LineWriter

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LENGTH = 400
MAX_TOKENS = 16
HIDDEN = "[secret]"


class Journal:
    """Writes sentences of one line, without secrets and without markup."""

    def __init__(self, write: Callable[[str], None] | None = None) -> None:
        self._write = write or LineWriter("stderr").write
        self._secrets: list[str] = []
        self._tokens: deque[str] = deque(maxlen=MAX_TOKENS)

    def hide(self, secret: str) -> None:
        """Never write this text, however it is quoted in an address."""
        self._secrets += _quotations(secret)

    def hide_token(self, token: str) -> None:
        """Never write this token either, until MAX_TOKENS more have come."""
        self._tokens.append(token)

    def without_secrets(self, text: str) -> str:
        """Return a text with its secrets replaced."""
        for secret in [*self._secrets, *(q for token in self._tokens for q in _quotations(token))]:
            text = text.replace(secret, HIDDEN)
        return text

    def say(self, sentence: str) -> None:
        """Write a sentence."""
        try:
            self._write(f"oddly: {one_line(self.without_secrets(sentence), MAX_LENGTH)}")
        except (OSError, ValueError):
            # A log that is gone must not stop the games.
            return


def _quotations(secret: str) -> set[str]:
    return {text for text in (secret, quote(secret, safe=""), quote_plus(secret)) if text}
