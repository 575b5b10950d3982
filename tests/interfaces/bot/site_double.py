"""A double of Abstract Play's backend: it signs webhooks, gives tokens and takes turns.

It knows the protocol and nothing of our code; what it answers to turns and to requests for tokens
can be given beforehand, and a `delay` between taking a turn and saying so. Without games of its own
(`Games`), it takes every turn.
"""

import base64
import json
import secrets
import time
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

import httpx2
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from oddly.interfaces.serving.http_server import keep_serving, server_config
from oddly.interfaces.serving.listening import listen

CLIENT, SECRET = "client-7", "s3cr+t/of=the bot"


class SiteDouble:
    """The site. `replies` and `token_replies` are used up first, each a status and a body."""

    def __init__(self, games=None):
        self.key = Ed25519PrivateKey.generate()
        self.games = games
        self.delay = 0.0
        self.replies, self.token_replies = [], []
        self.turns, self.queries, self.forms = [], [], []
        self.tokens = set()
        self.news = trio.Event()
        self.base = ""

    @property
    def public_key(self):
        return base64.b64encode(self.key.public_key().public_bytes_raw()).decode()

    @asynccontextmanager
    async def serving(self, port=0):
        """Listen on loopback until the body ends, which cuts off whoever is connected."""
        doors = {"/token": self._token, "/botQuery": self._query, "/query": self._tell}
        app = Starlette(routes=[Route(*door, methods=["POST"]) for door in doors.items()])
        with listen("127.0.0.1", port, unread=65_536, stalled=30) as listener:
            self.base = f"http://127.0.0.1:{listener.getsockname()[1]}"
            async with trio.open_nursery() as nursery:
                nursery.start_soon(keep_serving, app, listener, server_config(60), trio.Event())
                async with httpx2.AsyncClient(trust_env=False, timeout=10) as self.http:
                    yield self
                nursery.cancel_scope.cancel()

    async def _token(self, request):
        form = {k: v for k, (v,) in parse_qs((await request.body()).decode()).items()}
        self.forms.append(form)
        assert form["grant_type"] == "client_credentials"
        if self.token_replies:
            status, body = self.token_replies.pop(0)
            return PlainTextResponse(body, status)
        assert (form["client_id"], form["client_secret"]) == (CLIENT, SECRET)
        token = secrets.token_urlsafe(16)
        self.tokens.add(token)
        return JSONResponse({"access_token": token, "expires_in": 3600, "token_type": "Bearer"})

    async def _query(self, request):
        try:
            facts = await request.json()
        except ClientDisconnect:
            return PlainTextResponse("")
        self.queries.append(facts)
        token = request.headers["authorization"].removeprefix("Bearer ")
        try:
            if token not in self.tokens:
                return JSONResponse({"message": f"Unauthorized: {token}"}, 401)
            if self.replies:
                status, body, *headers = self.replies.pop(0)
                return PlainTextResponse(body, status, *headers)
            if self.games is not None:
                status, value = self.games.take(facts)
                await trio.sleep(self.delay)
                if status != 200:
                    return JSONResponse(value, status)
            self.turns.append(facts)
            return JSONResponse({"id": facts["gameid"]})
        finally:
            self.news.set()
            self.news = trio.Event()

    async def _tell(self, request):
        try:
            facts = await request.json()
        except ClientDisconnect:
            return PlainTextResponse("")
        status, value = (self.games or Games()).tell(facts["query"], facts["pars"])
        return JSONResponse(value, status)

    async def wait_for(self, condition):
        """Wait until a condition holds after some turn has come."""
        while not condition():
            await self.news.wait()

    def headers(self, body, *, shift=0, nonce=None, key=None):
        stamp, nonce = str(int(time.time()) + shift), nonce or secrets.token_hex(16)
        signed = (key or self.key).sign(f"{stamp}.{nonce}.".encode() + body)
        return {
            "X-Signature-Timestamp": stamp,
            "X-Signature-Nonce": nonce,
            "X-Signature": base64.b64encode(signed).decode(),
            "Content-Type": "application/json",
        }

    async def send(self, address, facts, **how):
        """Send a webhook, signed now; return the status."""
        body = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
        headers = self.headers(body, **how)
        return (await self.http.post(address, content=body, headers=headers)).status_code


class Games:
    """The games of the site, `us` in some of them: what queries say of them, and who may move."""

    def __init__(self, *games):
        self.games = {game["id"]: game for game in games}
        self.taken, self.out_of_turn = [], []

    def begin(self, gameid, now, *, seat=0, meta="yodd", variants=("hex-6",), hours=72.0):
        """Begin a game in which the bot sits in seat 0 or 1."""
        players = [{"id": "human", "name": "Human", "time": hours * 3.6e6}]
        players.insert(seat, {"id": CLIENT, "name": "bot", "time": hours * 3.6e6})
        self.games[gameid] = {
            "id": gameid, "metaGame": meta, "variants": list(variants), "players": players,
            "texts": [], "over": False, "lastMoveTime": now * 1000,
        }  # fmt: skip
        return self.games[gameid]

    def on_turn(self, game):
        return game["players"][len(game["texts"]) % 2]["id"]

    def move(self, game, text, now=0.0):
        game["texts"].append(text)
        game["lastMoveTime"] = now * 1000

    def take(self, facts, now=0.0):
        """The status of a turn of the bot, and what the site says."""
        game = self.games.get(facts["gameid"])
        if game is None or game["metaGame"] != facts["metaGame"] or game["over"]:
            return 500, {"message": f"Unable to load game {facts['gameid']}"}
        if self.on_turn(game) != CLIENT:
            self.out_of_turn.append(facts)
            return 500, {"message": f"It is not bot {CLIENT}'s turn in game {game['id']}"}
        self.taken.append((game["id"], len(game["texts"]), facts["move"]))
        self.move(game, facts["move"], now)
        return 200, {"id": game["id"]}

    def tell(self, query, pars):
        """The status and the value of a reply to a public query."""
        if query == "meta_games":
            return 200, {"ayu": {"stars": 0}, "yodd": {}, "zendo": {}}
        if query == "games":
            running = [g for g in self.games.values() if not g["over"]]
            return 200, [self.listed(g) for g in running if g["metaGame"] == pars["metaGame"]]
        game = self.games.get(pars["id"])
        if query != "get_game" or game is None:
            return 500, {"message": f"Unable to get {pars['metaGame']} game {pars['id']}"}
        state = {
            "game": game["metaGame"], "numplayers": 2, "variants": game["variants"],
            "gameover": game["over"], "winner": [],
            "stack": [{"currplayer": 1, "board": {"dataType": "Map", "value": [["a1", 1]]}},
                      *({"lastmove": text, "currplayer": 1} for text in game["texts"])],
        }  # fmt: skip
        facts = {**self.listed(game), "state": json.dumps(state), "clockHard": False}
        return 200, {"game": {**facts, "lastMoveTime": game["lastMoveTime"]}, "comments": []}

    def listed(self, game):
        seat = "" if game["over"] else str(len(game["texts"]) % 2)
        return {
            **{key: game[key] for key in ("id", "metaGame", "players", "variants")},
            "toMove": seat, "numMoves": len(game["texts"]), "gameStarted": 1, "commented": 0,
        }  # fmt: skip


def challenge(meta="yodd", variants=("hex-6",), **other):
    return {
        "verb": "challenge", "metaGame": meta, "variants": variants, "clockStart": 72,
        "clockInc": 24, "clockMax": 168, "challengers": ["someone"], **other,
    }  # fmt: skip


def move(moves=(), gameid="game-1", meta="yodd", variants=("hex-6",), **other):
    return {
        "verb": "move", "metaGame": meta, "variants": variants, "gameid": gameid,
        "clockCurr": 48, "numPlayers": 2, "moves": [list(round_) for round_ in moves], **other,
    }  # fmt: skip
