"""Requests to the site: our turns, with an access token, and its public queries."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Self
from urllib.parse import urlencode

import httpx2
import trio

from oddly.interfaces.bot.site_view import NO_REPLY, NextStep, SiteReply, read_reply

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from oddly.interfaces.bot.bot_file import BotSettings, Credentials
    from oddly.interfaces.bot.journal import Journal
    from oddly.interfaces.bot.webhooks import TurnRequest


TOKEN_PATIENCE = 15.0
QUERY_PATIENCE = 30.0
LARGEST_REPLY = 8 << 20
"""Bytes; of a longer reply only the status counts. The site's own limit is 6 MB."""
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

    async def send(self, request: TurnRequest, move: str) -> SiteReply:
        """Send a turn once, with a new token if the old one is refused; return the reply."""
        for _ in range(2):
            token, problem = await self._access_token()
            if problem is not None:
                return problem
            reply = await self._query(token, request, move)
            if reply.next_step is not NextStep.RENEW:
                break
            self._drop(token)
        return reply

    async def ask(self, query: str, **pars: object) -> SiteReply:
        """Return the reply to a public query, for which the site needs no credentials."""
        data = json.dumps({"query": query, "pars": pars}).encode()
        headers = {"content-type": "application/json"}
        return await self._post(self._settings.bot.query_address, data, headers, QUERY_PATIENCE)

    async def ask_as_owner(self, token: str, query: str, **pars: object) -> SiteReply:
        """Return the reply to a query of the owner of bots, who has signed in on the site."""
        data = json.dumps({"query": query, "pars": pars}).encode()
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        return await self._post(self._settings.bot.owner_address, data, headers, QUERY_PATIENCE)

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
                problem = f"no access token: {reply}"
                return "", SiteReply(NO_REPLY, problem, was_sent=False)
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
            return SiteReply(NO_REPLY, str(error), was_sent=error.was_sent)
        reply = read_reply(status, body, retry_after)
        # The outbox keeps the site's words.
        return replace(reply, message=self._journal.without_secrets(reply.message))

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
            raise _NoReplyError(
                type(error).__name__, was_sent=not isinstance(error, _BEFORE_SENDING)
            ) from None


class _NoReplyError(Exception):
    """A request without a reply. The message says why, and has nothing of the request."""

    def __init__(self, sentence: str, *, was_sent: bool = True) -> None:
        super().__init__(sentence)
        self.was_sent = was_sent


_BEFORE_SENDING = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.InvalidURL)
"""Failures after which the site has nothing of the request."""


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
