"""Engines' sides for tests of a real arena: they play at random, and come back after every cut."""

import random
from collections import Counter
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import trio
from trio_websocket import ConnectionClosed, HandshakeError, wrap_client_stream

from oddly.arena import (
    SUBPROTOCOL,
    EndHeard,
    GameEnd,
    GameSet,
    GameStart,
    Go,
    Hello,
    Join,
    JoinRefused,
    Ping,
    Pong,
    ReadyForGame,
    TurnAccepted,
    TurnSent,
    Welcome,
    parse_from_arena,
)
from oddly.arena.wire.proof import host_of, prove, public_key
from oddly.games import create_game, random_turn
from oddly.protocol import parse_turn

HANDSHAKE = 1.0
"""Seconds for a handshake, before another try."""


@asynccontextmanager
async def dialled(url, subprotocols=(SUBPROTOCOL,), headers=(), trusting=None):
    """A WebSocket whose socket is closed at the end, also if there is no handshake."""
    parts = urlsplit(url)
    stream = await trio.open_tcp_stream(parts.hostname, parts.port)
    if trusting is not None:
        stream = trio.SSLStream(
            stream, trusting, server_hostname=parts.hostname, https_compatible=True
        )
    async with stream, trio.open_nursery() as nursery:
        # trio-websocket waits for ever if the other side is gone before the handshake.
        with trio.fail_after(HANDSHAKE):
            websocket = await wrap_client_stream(
                nursery, stream, parts.netloc, parts.path,
                subprotocols=[*subprotocols], extra_headers=[*headers],
            )  # fmt: skip
        yield websocket
        nursery.cancel_scope.cancel()


GONE = (ConnectionClosed, HandshakeError, OSError, trio.BrokenResourceError, trio.TooSlowError)


def codes_in(error) -> list[int]:
    """The codes with which connections were closed."""
    if isinstance(error, BaseExceptionGroup):
        return [code for inner in error.exceptions for code in codes_in(inner)]
    return [error.reason.code] if isinstance(error, ConnectionClosed) and error.reason else []


class Guest:
    """An engine that plays at random. It keeps all that it heard."""

    def __init__(
        self, url: str, name: str, *, thinks: float = 0.0, owner: str = "", trusting=None
    ) -> None:
        self.url, self.name, self.thinks = url, name, thinks
        self.trusting = trusting
        """What a server's certificate is checked against, with wss."""
        self.owner = owner or f"owner of {name}"
        self.secret = random.Random(self.owner).randbytes(32)
        self.draw = random.Random(name)
        self.ends: dict[str, GameEnd] = {}
        self.welcomes: list[Welcome] = []
        self.refused: JoinRefused | None = None
        self.accepted: dict[tuple[str, int], TurnAccepted] = {}
        self.start: GameStart | None = None
        self.position = None
        self.turns: list[str] = []
        self.sent: TurnSent | None = None
        self.codes: list[int] = []
        self.invitation: str | None = None
        self.thought: Counter[tuple[str, int]] = Counter()
        """The seconds of each turn, also those of a thought that a cut has ended."""
        self.about = ""

    async def play(self) -> None:
        """Play until cancelled or refused."""
        while self.refused is None:
            try:
                async with dialled(self.url, trusting=self.trusting) as socket:
                    await self._converse(socket)
            except OSError:
                pass
            except BaseExceptionGroup as group:
                gone, other = group.split(GONE)
                if other is not None:
                    raise
                self.codes += codes_in(gone)
            await trio.sleep(self.draw.uniform(0.02, 0.1))

    async def _converse(self, socket) -> None:
        while self.refused is None:
            message = parse_from_arena(await socket.get_message())
            for answer in await self.answers(message):
                await socket.send_message(answer.encoded())

    async def answers(self, message) -> list:
        """What it says to a message."""
        match message:
            case Hello():
                proof = prove(self.secret, message.nonce, host_of(self.url), self.name)
                key = public_key(self.secret)
                return [Join(self.name, self.name, self.owner, key, proof, "guest 1", self.about,
                             invitation=self.invitation)]  # fmt: skip
            case Welcome():
                self.welcomes.append(message)
                return [] if message.game else [ReadyForGame()]
            case JoinRefused():
                self.refused = message
            case Ping():
                return [Pong(message.id)]
            case GameStart():
                return self.begin(message)
            case Go():
                return [await self.think(message)]
            case TurnAccepted():
                assert (message.id, message.number) not in self.accepted
                self.accepted[message.id, message.number] = message
            case GameEnd():
                known = self.ends.setdefault(message.id, message)
                assert (known.winner, known.score) == (message.winner, message.score)
                return [EndHeard(message.id), ReadyForGame()]
        return []

    def begin(self, start: GameStart) -> list:
        """Set up a game."""
        self.start, self.turns = start, [*start.turns]
        return [GameSet(start.id)]

    async def think(self, go: Go) -> TurnSent:
        """Choose a turn, or repeat the one that was not accepted."""
        assert self.start is not None
        assert go.id == self.start.id
        missing = go.number - len(self.turns)
        self.turns += go.last[len(go.last) - missing :] if missing > 0 else ()
        assert len(self.turns) >= go.number
        if self.sent is not None and (self.sent.id, self.sent.number) == (go.id, go.number):
            self.turns = [*self.turns[: go.number], self.sent.turn]
            return self.sent
        began = trio.current_time()
        try:
            await trio.sleep(self.thinks)
        finally:
            self.thought[go.id, go.number] += trio.current_time() - began
        position = create_game(self.start.game, self.start.size, self.start.settings).start()
        for turn in self.turns[: go.number]:
            position = position.play(parse_turn(turn))
        text = str(random_turn(position, self.draw))
        self.turns = [*self.turns[: go.number], text]
        self.sent = TurnSent(go.id, go.number, text, trio.current_time() - began)
        return self.sent
