"""Sending turns to the site: an access token for our credentials, and one POST a turn."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING, Self
from urllib.parse import urlencode

import httpx2
import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from oddly.interfaces.bot.bot_file import BotSettings, Credentials
    from oddly.interfaces.bot.journal import Journal
    from oddly.interfaces.bot.reception import TurnRequest


TOKEN_PATIENCE = 15.0
QUERY_PATIENCE = 30.0
LARGEST_REPLY = 1 << 20
"""Bytes; of a longer reply only the status counts."""
EARLY = 60.0
"""Seconds by which a token is renewed before it expires."""
USUAL_LIFE = 3600.0
MAX_LIFE = 86_400.0
LARGEST_TOKEN = 8192


class SiteClient:
    """Sends turns, and tries again for a while if that fails. Use it as an async context."""

    def __init__(self, settings: BotSettings, credentials: Credentials, journal: Journal) -> None:
        self._settings = settings
        self._credentials = credentials
        self._journal = journal
        journal.hide(credentials.client_secret)
        self._http = httpx2.AsyncClient(
            timeout=QUERY_PATIENCE, follow_redirects=False, trust_env=not settings.is_local
        )
        self._lock = trio.Lock()
        self._token = ""
        self._valid_until = -math.inf

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
            await self._http.aclose()

    async def send(self, request: TurnRequest, move: str, is_wanted: Callable[[], bool]) -> bool:
        """Send a turn; return whether the site took it, or needs it no longer.

        Before each new attempt `is_wanted` says whether the game is still where it was.
        """
        where = f"game {request.gameid}, {move}"
        attempt = 0
        while True:
            reply = await self._attempt(request, move)
            said = f"{reply.status or 'no reply'}{': ' if reply.message else ''}{reply.message}"
            if reply.next_step is NextStep.DONE:
                self._journal.say(f"{where}: taken")
                return True
            attempt += 1
            delay = delay_before(attempt, reply)
            if reply.next_step is NextStep.GIVE_UP or delay is None:
                self._journal.say(f"{where}: not taken, given up ({said})")
                return False
            self._journal.say(f"{where}: not taken ({said}); the next try is in {delay:g} s")
            await trio.sleep(delay)
            if not is_wanted():
                self._journal.say(f"{where}: the game has gone on")
                return True

    async def _attempt(self, request: TurnRequest, move: str) -> SiteReply:
        """The reply to one attempt, with a new token if the old one is refused."""
        for _ in range(2):
            token, problem = await self._access_token()
            if problem is not None:
                return problem
            reply = await self._query(token, request, move)
            if reply.next_step is not NextStep.RENEW:
                break
            self._drop(token)
        return reply

    async def _query(self, token: str, request: TurnRequest, move: str) -> SiteReply:
        facts = {
            "verb": "move",
            "gameid": request.gameid,
            "metaGame": request.meta,
            "move": move,
        }
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        data = json.dumps(facts).encode()
        return await self._post(self._settings.bot.query_url, data, headers, QUERY_PATIENCE)

    async def _access_token(self) -> tuple[str, SiteReply | None]:
        """A token that is valid now, or why there is none."""
        async with self._lock:
            if trio.current_time() < self._valid_until:
                return self._token, None
            form = {
                "grant_type": "client_credentials",
                "client_id": self._credentials.client_id,
                "client_secret": self._credentials.client_secret,
                "scope": self._settings.bot.scope,
            }
            status, body, reply = await self._exchange(
                self._settings.bot.token_url, form, TOKEN_PATIENCE
            )
            token, life = _token_in(body) if 200 <= status < 300 else ("", 0.0)
            if not token:
                # What a token endpoint says may repeat what it was sent.
                return "", SiteReply(NO_REPLY, f"no access token: {reply}")
            self._journal.hide_token(token)
            self._token = token
            self._valid_until = trio.current_time() + life - EARLY
            return token, None

    def _drop(self, token: str) -> None:
        if token == self._token:
            self._valid_until = -math.inf

    async def _exchange(
        self, url: str, form: Mapping[str, str], patience: float
    ) -> tuple[int, bytes, str]:
        """The status and body of the reply to a form, and a word for the log."""
        headers = {"content-type": "application/x-www-form-urlencoded"}
        try:
            status, body, _ = await self._raw(url, urlencode(form).encode(), headers, patience)
        except _NoReplyError as error:
            return NO_REPLY, b"", str(error)
        return status, body, f"status {status}"

    async def _post(
        self, url: str, data: bytes, headers: Mapping[str, str], patience: float
    ) -> SiteReply:
        try:
            status, body, retry_after = await self._raw(url, data, headers, patience)
        except _NoReplyError as error:
            return SiteReply(NO_REPLY, str(error))
        return read_reply(status, body, retry_after)

    async def _raw(
        self, url: str, data: bytes, headers: Mapping[str, str], patience: float
    ) -> tuple[int, bytes, str]:
        """The status, the body and Retry-After of a reply. Raises _NoReplyError."""
        try:
            with trio.fail_after(patience):
                async with self._http.stream(
                    "POST", url, content=data, headers=dict(headers)
                ) as response:
                    body = b""
                    async for chunk in response.aiter_bytes():
                        body += chunk
                        if len(body) > LARGEST_REPLY:
                            body = b""
                            break
                    return response.status_code, body, response.headers.get("retry-after", "")
        except trio.TooSlowError:
            raise _NoReplyError(f"nothing within {patience:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            raise _NoReplyError(type(error).__name__) from None


class _NoReplyError(Exception):
    """A request without a reply. The message says why, and has nothing of the request."""


def _token_in(body: bytes) -> tuple[str, float]:
    """The access token of a reply and its life in seconds; empty if there is none."""
    try:
        value = json.loads(body)
        token, life = value["access_token"], value.get("expires_in", USUAL_LIFE)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "", 0.0
    if not isinstance(token, str) or len(token) > LARGEST_TOKEN:
        return "", 0.0
    if not token.isascii() or not token.isprintable() or " " in token:
        return "", 0.0
    if isinstance(life, bool) or not isinstance(life, int | float) or not life > 0:
        life = USUAL_LIFE
    return token, min(float(life), MAX_LIFE)


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
