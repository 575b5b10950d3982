"""What a reply of the site means, and when to ask again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus

DELAYS = (1.0, 4.0, 15.0, 60.0)
"""Seconds before each new attempt; after the last the turn is given up."""
MAX_RETRY_AFTER = 120.0
"""The most seconds that the site may ask us to wait."""


NO_REPLY = 0
"""The status of a request without any reply."""


_PASSING = (
    NO_REPLY,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_EARLY,
    HTTPStatus.TOO_MANY_REQUESTS,
)
"""Statuses after which another attempt may do better, besides those from 500."""


class NextStep(Enum):
    """What to do after a reply."""

    DONE = "done"
    RENEW = "renew the token"
    RETRY = "try again"
    GIVE_UP = "give up"


@dataclass(frozen=True, slots=True)
class SiteReply:
    """A reply of the site: the status that counts, and what it says."""

    status: int
    message: str = ""
    retry_after: float | None = None

    @property
    def next_step(self) -> NextStep:
        """What to do now. A turn that is sent twice is refused the second time, so that is safe."""
        if self.status == HTTPStatus.UNAUTHORIZED:
            return NextStep.RENEW
        if HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES:
            return NextStep.DONE
        if self.status >= HTTPStatus.INTERNAL_SERVER_ERROR or self.status in _PASSING:
            return NextStep.RETRY
        return NextStep.GIVE_UP


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
    return SiteReply(status, str(message), wait)


def _json(data: bytes) -> object:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def delay_before(attempt: int, reply: SiteReply | None) -> float | None:
    """Return the seconds to wait before attempt number `attempt`, from 1; None to give up.

    `reply` is the last one, None if there was none.
    """
    if attempt > len(DELAYS):
        return None
    wished = reply.retry_after if reply is not None else None
    return max(DELAYS[attempt - 1], wished or 0.0)
