"""What the site's replies mean: the status that counts, its words, and what to do next."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus

MAX_RETRY_AFTER = 120.0
"""The most seconds that the site may ask us to wait."""
NO_REPLY = 0
"""The status of a request without any reply."""
GATEWAY_WORDS = frozenset(
    {"Internal server error", "Endpoint request timed out", "Service Unavailable"}
)
"""What the gateway says when the site's program behind it did not answer, in words of its own."""
REFUSED_WORDS = "Unable to apply move"
"""How the site's words about a turn begin that its rules refuse."""
_REFUSED = (HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY)


class NextStep(Enum):
    """What to do after a reply."""

    DONE = "done"
    RENEW = "renew the token"
    RETRY = "try again"
    REFUSED = "think again"


@dataclass(frozen=True, slots=True)
class SiteReply:
    """A reply of the site: the status that counts, and what it says.

    `was_sent` is whether the site may have got the request.
    """

    status: int
    message: str = ""
    retry_after: float | None = None
    was_sent: bool = True
    value: object = None

    @property
    def next_step(self) -> NextStep:
        """What to do now."""
        if self.status == HTTPStatus.UNAUTHORIZED:
            return NextStep.RENEW
        if self.is_good:
            return NextStep.DONE
        if self.status in _REFUSED or self.message.startswith(REFUSED_WORDS):
            return NextStep.REFUSED
        return NextStep.RETRY

    @property
    def is_good(self) -> bool:
        """Return whether the site did what it was asked."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def has_words(self) -> bool:
        """Return whether the site's own program has answered, so that nothing is under way."""
        return self.status >= HTTPStatus.BAD_REQUEST and bool(self.message) and (
            self.message not in GATEWAY_WORDS
        )  # fmt: skip

    @property
    def sentence(self) -> str:
        """Return the status and the words."""
        return f"{self.status or 'no reply'}{': ' if self.message else ''}{self.message}"


def read_reply(status: int, body: bytes, retry_after: str = "") -> SiteReply:
    """Return the meaning of an HTTP reply; the gateway may wrap another status in a 200."""
    wait = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
    wait = None if wait is None else min(wait, MAX_RETRY_AFTER)
    value = _json(body)
    if isinstance(value, dict):
        inner = value.get("statusCode")
        if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES and type(inner) is int:
            status = inner
            wrapped = value.get("body")
            value = _json(wrapped.encode()) if isinstance(wrapped, str) else wrapped
    message = value.get("message", "") if isinstance(value, dict) else ""
    return SiteReply(status, str(message), wait, value=value)


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
