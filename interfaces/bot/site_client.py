"""Requests to the site: our turns, with an access token; its public queries; and registration.

Registration creates a bot at the site, or updates the games that it plays there.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

import httpx2
import trio

from oddly.engines.levels import NAMES
from oddly.game_records.abstract_play_turns import GAMES_BY_ID, ids_of
from oddly.games import one_line
from oddly.interfaces.bot.bot_file import BotSettings, Credentials, wrong_address
from oddly.interfaces.bot.site_view import (
    NO_REPLY,
    NextStep,
    SiteReply,
    SiteViewError,
    TurnRequest,
    read_metas,
    read_reply,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from oddly.interfaces.text.line_writer import Journal


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
    """Sends turns and queries to the site. Use it as an async context."""

    def __init__(self, settings: BotSettings, credentials: Credentials, journal: Journal) -> None:
        self._settings = settings
        self._credentials = credentials
        self._journal = journal
        journal.hide(credentials.client_secret)
        journal.hide(credentials.client_id)
        self._http = httpx2.AsyncClient(
            timeout=QUERY_PATIENCE, follow_redirects=False, trust_env=not settings.is_local
        )
        self._lock = trio.Lock()
        self._token = ""
        self._valid_until = -math.inf

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + 1):
            await self._http.aclose()

    async def send(self, request: TurnRequest, move: str) -> SiteReply:
        """Send a turn once, with a new token if the old one is refused; return the reply."""
        facts = {
            "verb": "move",
            "gameid": request.gameid,
            "metaGame": request.meta,
            "move": move,
        }
        for _ in range(2):
            token, problem = await self._access_token()
            if problem is not None:
                return problem
            reply = await self._post(self._settings.bot.query_url, facts, token)
            if reply.next_step is not NextStep.RENEW:
                break
            self._drop(token)
        return reply

    async def ask(self, query: str, **pars: object) -> SiteReply:
        """Return the reply to a public query, for which the site needs no credentials."""
        return await self._post(self._settings.bot.query_address, {"query": query, "pars": pars})

    async def ask_as_owner(self, token: str, query: str, **pars: object) -> SiteReply:
        """Return the reply to a query of a bot's owner, who has signed in on the site."""
        return await self._post(
            self._settings.bot.owner_address, {"query": query, "pars": pars}, token
        )

    async def _access_token(self) -> tuple[str, SiteReply | None]:
        """Return a token that is valid now, or why there is none."""
        async with self._lock:
            if trio.current_time() < self._valid_until:
                return self._token, None
            form = {
                "grant_type": "client_credentials",
                "client_id": self._credentials.client_id,
                "client_secret": self._credentials.client_secret,
                "scope": self._settings.bot.scope,
            }
            headers = {"content-type": "application/x-www-form-urlencoded"}
            try:
                status, body, _ = await self._raw(
                    self._settings.bot.token_url, urlencode(form).encode(), headers, TOKEN_PATIENCE
                )
            except _NoReplyError as error:
                return "", _without_token(str(error))
            token, life = _token_in(body) if 200 <= status < 300 else ("", 0.0)
            if not token:
                # What a token endpoint says may repeat what it was sent.
                return "", _without_token(f"status {status}")
            self._journal.hide_token(token)
            self._token = token
            self._valid_until = trio.current_time() + life - EARLY
            return token, None

    def _drop(self, token: str) -> None:
        if token == self._token:
            self._valid_until = -math.inf

    async def _post(self, url: str, facts: Mapping[str, object], token: str = "") -> SiteReply:
        """Return the reply to facts that are sent as JSON, with a token if there is one."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        headers["content-type"] = "application/json"
        data = json.dumps(facts).encode()
        try:
            status, body, retry_after = await self._raw(url, data, headers, QUERY_PATIENCE)
        except _NoReplyError as error:
            return SiteReply(NO_REPLY, str(error), was_sent=error.was_sent)
        reply = read_reply(status, body, retry_after)
        # The outbox keeps the site's words, which may be long or no Unicode.
        words = one_line(self._journal.without_secrets(reply.message))
        return replace(reply, message=words)

    async def _raw(
        self, url: str, data: bytes, headers: Mapping[str, str], patience: float
    ) -> tuple[int, bytes, str]:
        """Return the status, the body and Retry-After of a reply. Raises _NoReplyError."""
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
    """A request without a reply. The message says why, and quotes nothing of the request."""

    def __init__(self, sentence: str, *, was_sent: bool = True) -> None:
        super().__init__(sentence)
        self.was_sent = was_sent


_BEFORE_SENDING = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.InvalidURL)
"""Failures before anything of the request reached the site."""


def _without_token(why: str) -> SiteReply:
    """Return the reply to a request that was not sent because there is no access token."""
    return SiteReply(NO_REPLY, f"no access token: {why}", was_sent=False)


def _token_in(body: bytes) -> tuple[str, float]:
    """Return the access token in a reply and its life in seconds; empty if there is none."""
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
    return token, float(min(life, MAX_LIFE))


MAX_SECRET = 4096
ROOM = 4 * MAX_SECRET
"""Bytes on the disk for the credentials and the names of their variables."""


class RegistrationError(Exception):
    """A registration that did not succeed. The message is one sentence."""


def supported(settings: BotSettings, metas: frozenset[str]) -> list[dict[str, Any]]:
    """Return the list of games for `update_bot`: each board that an engine plays there."""
    return [
        {"meta": meta, "variants": ids_of(game)[1]}
        for meta, boards in GAMES_BY_ID.items()
        if meta in metas
        for game in boards.values()
        if any(engine.plays(game) for engine in settings.engines)
    ]


def description(settings: BotSettings) -> str:
    """Return the text of the bot's profile. About strength, it states only the level."""
    levels = sorted({engine.level for engine in settings.engines if engine.level is not None})
    words = [f"level {level} of {len(NAMES)} ({NAMES[level - 1]})" for level in levels]
    return "An engine of oddly" + (f", at {' and '.join(words)}." if words else ".")


async def register(
    settings: BotSettings, endpoint: str, token: str, client_id: str, secrets: Path,
    journal: Journal,
) -> None:  # fmt: skip
    """Register a bot, or update the one with this client id, if there is one.

    The new credentials are written to the file `secrets`, which only its owner can read. Raises
    RegistrationError, and OSError if that file cannot be written.
    """
    if said := wrong_address(endpoint):
        raise RegistrationError(f"--endpoint: {said}")
    journal.hide(token)
    journal.hide(client_id)
    name = settings.bot.name
    async with SiteClient(settings, Credentials("", ""), journal) as client:
        try:
            known = read_metas((await client.ask("meta_games")).value)
        except SiteViewError as error:
            raise RegistrationError(f"{settings.bot.query_address}: {error}") from None
        games = supported(settings, known)
        if not games:
            raise RegistrationError("the site has none of the games that the engines play")
        if not client_id:
            client_id = await _create(client, settings, token, endpoint, secrets)
            journal.say(f"{name} is registered; its credentials are in {secrets}")
        reply = await client.ask_as_owner(
            token, "update_bot", clientId=client_id, name=name, endpoint=endpoint,
            description=description(settings), supported=games,
        )  # fmt: skip
        if not reply.is_good:
            raise RegistrationError(f"update_bot: {_said(reply)}")
    metas = sorted({game["meta"] for game in games})
    journal.say(f"the site knows that {name} plays {', '.join(metas)}, on {len(games)} boards")


async def _create(
    client: SiteClient, settings: BotSettings, token: str, endpoint: str, secrets: Path
) -> str:
    """Register a new bot and write its credentials; return its client id.

    The file has its room on the disk before the bot is there: the site shows the secret only once.
    """
    bot, is_kept = settings.bot, False
    file = os.open(secrets, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write_whole(file, b"\n" * ROOM)
        reply = await client.ask_as_owner(token, "create_bot", name=bot.name, endpoint=endpoint)
        client_id, secret = _credentials(reply)
        is_kept = True
        lines = f"{bot.client_id_env}={client_id}\n{bot.client_secret_env}={secret}\n"
        try:
            _write_whole(file, lines.encode())
        except OSError as error:
            raise RegistrationError(
                f"the site has the bot {bot.name} now, but {secrets} cannot be written: "
                f"{error.strerror}; delete the bot there, and the file, before you try again"
            ) from None
    finally:
        os.close(file)
        if not is_kept:
            secrets.unlink()
    return client_id


def _write_whole(file: int, content: bytes) -> None:
    """Replace what is in an open file. It is on the disk on return. Raises OSError."""
    done = 0
    while done < len(content):
        done += os.pwrite(file, content[done:], done)
    os.ftruncate(file, done)
    os.fsync(file)


def _credentials(reply: SiteReply) -> tuple[str, str]:
    """Return the id and the secret of a new bot. Raises RegistrationError if they are not there."""
    value = reply.value if reply.is_good and isinstance(reply.value, dict) else {}
    client_id, secret = value.get("clientId"), value.get("clientSecret")
    if _is_word(client_id) and _is_word(secret):
        return str(client_id), str(secret)
    may_be_there = reply.was_sent and not reply.has_words
    hint = "; look on the site whether the bot is there before you try again"
    raise RegistrationError(f"create_bot: {_said(reply)}{hint if may_be_there else ''}")


def _is_word(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= MAX_SECRET
        and value.isascii()
        and value.isprintable()
        and len(value.split()) == 1
    )


def _said(reply: SiteReply) -> str:
    """Return a reply's status and message, but not its value, which may hold a secret."""
    if reply.status == HTTPStatus.UNAUTHORIZED:
        return "the site does not accept the owner's token, which lasts an hour"
    return reply.sentence
