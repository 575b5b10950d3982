"""A whole game of a bot against itself, through its real address and a small site on loopback."""

from __future__ import annotations

import base64
import json
import secrets
import time
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx2
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.game_records.abstract_play_turns import ends_there, follow, ids_of
from oddly.game_records.abstract_play_writing import rounds_of
from oddly.games.wording import counted
from oddly.interfaces.bot.admission import NONCE, SIGNATURE, TIMESTAMP
from oddly.interfaces.bot.bot_file import BotSettings, Credentials
from oddly.interfaces.bot.outbox import TurnStage
from oddly.interfaces.bot.outbox_file import OutboxFile, open_outbox
from oddly.interfaces.bot.service import running_bot
from oddly.interfaces.serving.http_server import keep_serving, server_config
from oddly.interfaces.serving.listening import listen

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from oddly.games import Game, Position
    from oddly.interfaces.text.line_writer import Journal

LOOPBACK = "127.0.0.1"
GAME = "dry-run"
MAX_SECONDS = 0.5
"""Seconds for a turn, unless the file has less."""
FIRST_PATIENCE = 400.0
"""Seconds for a turn; an engine may have to compile before its first."""
BETWEEN_LOOKS = 0.2
"""Seconds between looks into the outbox while a turn is awaited."""


class DryRunError(Exception):
    """A dry run that went wrong. The message is one sentence."""


@dataclass
class _Site:
    """The site's side: one game, with a token and a place for turns."""

    game: Game
    credentials: Credentials
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.key = Ed25519PrivateKey.generate()
        self.token = secrets.token_urlsafe(24)
        self.position: Position = self.game.start()
        self.texts: list[str] = []
        self.resigned = False
        self.moved = trio.Event()

    def application(self) -> Starlette:
        """Return the token endpoint and botQuery."""
        return Starlette(
            routes=[
                Route("/token", self._give_token, methods=["POST"]),
                Route("/botQuery", self._take_turn, methods=["POST"]),
                Route("/query", self._tell, methods=["POST"]),
            ]
        )

    async def _give_token(self, request: Request) -> Response:
        form = dict(httpx2.QueryParams((await request.body()).decode()).items())
        wanted = (self.credentials.client_id, self.credentials.client_secret)
        if (form.get("client_id"), form.get("client_secret")) != wanted:
            return JSONResponse({"error": "invalid_client"}, HTTPStatus.BAD_REQUEST)
        return JSONResponse({"access_token": self.token, "expires_in": 3600})

    async def _take_turn(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {self.token}":
            return JSONResponse({"message": "Unauthorized"}, HTTPStatus.UNAUTHORIZED)
        text = str(json.loads(await request.body())["move"])
        if text == "resign":
            self.resigned = True
        else:
            try:
                ((_, self.position),) = follow(self.position, [text], len(self.texts) + 1)
            except ValueError as error:
                return JSONResponse({"message": str(error)}, HTTPStatus.INTERNAL_SERVER_ERROR)
        self.texts.append(text)
        self.say(f"{len(self.texts):4} {text}")
        self.moved.set()
        return JSONResponse({"ok": True})

    async def _tell(self, request: Request) -> Response:
        """Answer public queries. The bot plays both sides, so it is to move until the end."""
        query = json.loads(await request.body())["query"]
        meta, variants = ids_of(self.game)
        if query == "meta_games":
            return JSONResponse({meta: {}})
        if query == "games":
            return JSONResponse([])
        stack: list[dict[str, Any]] = [{}, *({"lastmove": text} for text in self.texts)]
        state = {"variants": variants, "stack": stack, "gameover": self.is_over}
        players = [{"id": self.credentials.client_id}, {"id": "opponent"}]
        facts = {"id": GAME, "metaGame": meta, "players": players, "state": json.dumps(state)}
        return JSONResponse({"game": {**facts, "toMove": "" if self.is_over else "0"}})

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by the site's rules."""
        return self.resigned or ends_there(self.position)

    def challenge(self) -> dict[str, Any]:
        """Return the webhook of a challenge."""
        meta, variants = ids_of(self.game)
        clocks = {"clockStart": 72, "clockInc": 24, "clockMax": 240}
        facts = {"verb": "challenge", "metaGame": meta, "variants": variants}
        return {**facts, **clocks, "challengers": ["dry-run"]}

    def turn(self) -> dict[str, Any]:
        """Return the webhook that says whose turn it is."""
        meta, variants = ids_of(self.game)
        facts = {"verb": "move", "metaGame": meta, "variants": variants, "gameid": GAME}
        return {**facts, "clockCurr": 72, "numPlayers": 2, "moves": rounds_of(self.texts)}

    def headers(self, body: bytes) -> dict[str, str]:
        """Return the headers that sign a body."""
        stamp, nonce = str(int(time.time())), secrets.token_hex(16)
        signature = self.key.sign(f"{stamp}.{nonce}.".encode() + body)
        signed = base64.b64encode(signature).decode()
        return {TIMESTAMP: stamp, NONCE: nonce, SIGNATURE: signed}


async def dry_run(
    settings: BotSettings, game: Game, journal: Journal, say: Callable[[str], None]
) -> str:
    """Play a game through the real endpoints and return its result, as a sentence.

    `say` is called with each turn. Raises DryRunError if an answer is not what the site expects, or
    a turn does not come.
    """
    credentials = Credentials("dry-run-bot", secrets.token_urlsafe(24))
    site = _Site(game, credentials, say)
    with _on_loopback() as site_socket, _on_loopback() as bot_socket, open_outbox(None) as outbox:
        base = f"http://{LOOPBACK}:{site_socket.getsockname()[1]}"
        address = f"http://{LOOPBACK}:{bot_socket.getsockname()[1]}/"
        urls = {"token_url": f"{base}/token", "query_url": f"{base}/botQuery", "public_url": None}
        bot = settings.bot.model_copy(update=urls)
        settings = replace(settings, bot=bot, key=site.key.public_key(), hours=None)
        stop = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                keep_serving, site.application(), site_socket, server_config(60), stop
            )
            async with (
                running_bot(settings, credentials, bot_socket, journal, outbox),
                httpx2.AsyncClient(trust_env=False, timeout=30) as http,
            ):
                await _play(site, address, http, outbox)
            nursery.cancel_scope.cancel()
    return _result(site)


async def _play(site: _Site, address: str, http: httpx2.AsyncClient, outbox: OutboxFile) -> None:
    ping = await http.get(address)
    if ping.status_code != HTTPStatus.OK:
        raise DryRunError(f"GET / answered {ping.status_code}")
    await _send(site, address, http, site.challenge(), HTTPStatus.OK)
    while not site.is_over:
        site.moved = trio.Event()
        await _send(site, address, http, site.turn(), HTTPStatus.ACCEPTED)
        await _turn_in(site, outbox)


async def _turn_in(site: _Site, outbox: OutboxFile) -> None:
    """Wait for a turn. Raises DryRunError if the engine has failed, or takes too long."""
    with trio.move_on_after(FIRST_PATIENCE):
        while not site.moved.is_set():
            task = outbox.tasks()[GAME]
            if task.stage is TurnStage.FAILED:
                raise DryRunError(f"no turn: {task.said}")
            with trio.move_on_after(BETWEEN_LOOKS):
                await site.moved.wait()
        return
    raise DryRunError(f"no turn came within {FIRST_PATIENCE:g} s")


async def _send(
    site: _Site, address: str, http: httpx2.AsyncClient, facts: dict[str, Any], expected: HTTPStatus
) -> None:
    """Send a signed webhook. Raises DryRunError for another status than the one expected."""
    body = json.dumps(facts).encode()
    reply = await http.post(address, content=body, headers=site.headers(body))
    if reply.status_code != expected:
        raise DryRunError(
            f"the {facts['verb']} was answered with {reply.status_code}: {reply.text[:200]}"
        )


def _result(site: _Site) -> str:
    number = len(site.texts)
    position = site.position
    if site.resigned:
        return f"{counted(number, 'turn')}, and {position.to_move} resigned"
    while not position.is_over:
        # On the site, a full board ends a game.
        position = position.play(next(position.legal_turns()))
    result = position.result
    assert result is not None  # noqa: S101
    winner = result.winner or position.to_move
    return f"{counted(number, 'turn')}: {str(winner).capitalize()} wins, {result.ending.value}"


def _on_loopback() -> socket.socket:
    return listen(LOOPBACK, 0, unread=65_536, stalled=30)
