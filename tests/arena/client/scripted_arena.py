"""An arena for one engine, in memory, that cuts connections where it is told to.

It is written from docs/reference/arena-wire.md, judges by the rules, and plays random turns itself.
"""

import json
import math
import random
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import count, repeat

import trio
import trio.testing
from trio_websocket import ConnectionClosed, wrap_server_stream

from oddly.arena import parse_from_engine
from oddly.arena.wire.proof import is_proof
from oddly.engines import create_engine
from oddly.engines.dispatcher import Dispatcher
from oddly.games import create_game, random_turn
from oddly.protocol import encode_reply, parse_answer
from oddly.protocol.messages import Resign
from tests.referee.fakes import ScriptedChannel

HOST = "a.example"
UNCUT = repeat(math.inf)
POOL = {"pool": "xodd-3-10+1", "game": "xodd", "size": 3, "settings": {}, "time": "10+1"}


REQUIRED = {"name", "version", "list_commands", "play", "genmove", "quit"}


class MemoryEngine(ScriptedChannel):
    """Our `random`, in memory. It dies when it is asked for one turn more than it may choose.

    One that may choose -1 dies when a game is set up, which takes `sets_up` seconds. The smallest
    one knows the required commands only.
    """

    def __init__(
        self, command, most_stderr=0, resources=None, *, sets_up=0.0, is_smallest=False
    ) -> None:
        super().__init__(("", ""))
        self.sets_up = sets_up
        self.seconds, self.dies_after = command
        self.chosen = 0
        own = (POOL["game"], POOL["size"]) if is_smallest else ("yodd", 2)
        self._dispatcher = Dispatcher(create_engine("random"), create_game(*own))
        if is_smallest:
            for name in {*self._dispatcher.handlers} - REQUIRED:
                del self._dispatcher.handlers[name]
        self.is_dead = False

    def answer(self, command) -> None:
        self.chosen += command.name == "genmove"
        if self.chosen > self.dies_after and command.name in ("genmove", "set_game"):
            self.is_dead = True
            self.write(b"")
            return
        reply = self._dispatcher.answer(command)
        delays = {"genmove": self.seconds, "set_game": self.sets_up}
        delay = delays.get(command.name, 0.0)
        self.write(encode_reply(reply), delay)

    def has_exited(self) -> bool:
        return self.is_dead

    async def how_it_ended(self, patience: float) -> str:
        return "exited with 3"


class CutStream(trio.abc.Stream):
    """A stream that breaks when it has carried so many bytes, whichever way."""

    def __init__(self, stream, budget: float) -> None:
        self._stream, self._left = stream, budget
        self._is_cut = False

    async def send_all(self, data) -> None:
        if self._is_cut:
            raise trio.BrokenResourceError
        passed = bytes(data[: int(min(self._left, len(data)))])
        await self._stream.send_all(passed)
        await self._carried(len(passed))

    async def receive_some(self, max_bytes=None):
        if self._is_cut:
            raise trio.BrokenResourceError
        data = await self._stream.receive_some(max_bytes)
        await self._carried(len(data))
        return data

    async def _carried(self, number: int) -> None:
        self._left -= number
        if self._left <= 0:
            self._is_cut = True
            await trio.aclose_forcefully(self._stream)
            raise trio.BrokenResourceError

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.aclose_forcefully(self._stream)


class ScriptedArena:
    """Plays `games` games, one after the other.

    A connection is cut after as many messages, both ways, as `messages` says next, or as many
    bytes as `bytes_` says next. With `twice` each message but the first ones is sent twice.
    """

    def __init__(
        self,
        nursery: trio.Nursery,
        games: int = 1,
        messages: Iterator[float] = UNCUT,
        bytes_: Iterator[float] = UNCUT,
        seconds: float = 0.1,
        *,
        twice: bool = False,
        silent: Collection[int] = (),
    ) -> None:
        self._nursery = nursery
        self._games, self._seconds, self._twice = games, seconds, twice
        self._messages, self._bytes = messages, bytes_
        self._random = random.Random(1)
        self.connections = 0
        self.host = HOST
        self.played: list[list[str]] = []
        """The turns of each game."""
        self.results: list[str] = []
        self.turns_received: list[tuple[str, int, str]] = []
        self.refusal: dict | None = None
        self.joined: dict | None = None
        self.silent = silent
        """The numbers of the connections on which it says nothing."""
        self.game: _Game | None = None
        self.is_resting = False
        self.acknowledged = 0

    async def open_stream(self) -> trio.abc.Stream:
        """What the client calls in the place of TCP."""
        ours, theirs = trio.testing.memory_stream_pair()
        self.connections += 1
        self._nursery.start_soon(self._serve, ours, next(self._messages))
        return CutStream(theirs, next(self._bytes))

    async def _serve(self, stream, budget: float) -> None:
        try:
            with suppress(ConnectionClosed, trio.BrokenResourceError, trio.ClosedResourceError):
                async with trio.open_nursery() as nursery:
                    request = await wrap_server_stream(nursery, stream)
                    assert request.proposed_subprotocols == ("oddly-arena.1",)
                    websocket = await request.accept(subprotocol="oddly-arena.1")
                    await _Session(self, websocket, stream, budget, nursery).serve()
                    await websocket.aclose()
                    nursery.cancel_scope.cancel()
        except* (ConnectionClosed, trio.BrokenResourceError, trio.ClosedResourceError, _Cut):
            pass
        finally:
            await trio.aclose_forcefully(stream)

    def next_game(self) -> None:
        if self.game is None and len(self.played) < self._games and not self.is_resting:
            self.played.append([])
            self.game = _Game(f"g{len(self.played)}", len(self.played) % 2, self.played[-1])


class _Cut(Exception):
    pass


class _Game:
    def __init__(self, id_: str, side: int, turns: list[str]) -> None:
        self.id, self.side, self.turns = id_, side, turns
        self.position = create_game(POOL["game"], POOL["size"]).start()
        self.end: dict | None = None
        self.was_set = False

    @property
    def is_engines(self) -> bool:
        return len(self.turns) % 2 == self.side

    def play(self, turn) -> None:
        self.turns.append(str(turn))
        self.position = self.position.play(turn)
        if self.position.is_over:
            self.over(str(self.position.result), "as the rules say")

    def over(self, score: str, reason: str) -> None:
        self.end = {"type": "end", "id": self.id, "winner": None, "score": score,
                    "reason": reason, "termination": "double pass", "rating": None,
                    "turns": self.turns[-2:], "number": len(self.turns)}  # fmt: skip


class _Session:
    def __init__(self, arena, websocket, stream, budget, nursery) -> None:
        self.arena, self.websocket, self.stream = arena, websocket, stream
        self.left = budget
        self.nursery = nursery
        self.is_in = False
        self.pings = count(1)

    async def say(self, **message) -> None:
        for _ in range(2 if self.arena._twice and self.is_in else 1):
            await self._count()
            await self.websocket.send_message(json.dumps(message))

    async def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            await trio.aclose_forcefully(self.stream)
            raise _Cut

    async def hear(self):
        message = parse_from_engine(await self.websocket.get_message())
        await self._count()
        return message

    async def serve(self) -> None:
        arena = self.arena
        if arena.connections in arena.silent:
            await trio.sleep_forever()
        nonce = f"{arena.connections:064x}"
        await self.say(type="hello", arena="The example", nonce=nonce, pools=[POOL])
        join = await self.hear()
        assert is_proof(join.key, join.proof, nonce, arena.host, join.name)
        arena.joined = join.as_json()
        if arena.refusal is not None:
            await self.say(type="refused", **arena.refusal)
            return
        game = arena.game
        await self.say(type="welcome", engine="mine", page="http://a/e/mine", new=game is None,
                       ratings={}, game=game and game.id)  # fmt: skip
        self.is_in = True
        self.nursery.start_soon(self.ping)
        if game is not None:
            await self.go_on(game)
        while True:
            await self.react(await self.hear())

    async def ping(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                await trio.sleep(2)
                # Pings are not counted, so that a cut after so many messages is repeatable.
                await self.websocket.send_message(f'{{"type":"ping","id":{next(self.pings)}}}')

    async def go_on(self, game: _Game, *, resumed: bool = True) -> None:
        if game.end is not None:
            await self.say(**game.end)
            return
        await self.say(
            type="start", id=game.id, **POOL, opponent="rival", side=game.side, turns=game.turns,
            opening=0, clocks=[10.0, 10.0], address="http://a/g", rated=True, seed=1,
            resumed=resumed,
        )  # fmt: skip
        if game.was_set:
            await self.move(game)

    async def move(self, game: _Game) -> None:
        """Ask the engine, or play the opponent's turn first."""
        if game.end is None and not game.is_engines:
            await trio.sleep(self.arena._seconds)
            if not game.is_engines and game.end is None:
                game.play(random_turn(game.position, self.arena._random))
        if game.end is not None:
            await self.say(**game.end)
            return
        await self.say(
            type="go", id=game.id, number=len(game.turns), colour=str(game.position.to_move),
            last=game.turns[-1:], clocks=[9.0, 9.0],
        )  # fmt: skip

    async def react(self, message) -> None:
        arena, game = self.arena, self.arena.game
        match message.TYPE:
            case "ready" if game is None:
                arena.is_resting = False
                arena.next_game()
                if arena.game is not None:
                    await self.go_on(arena.game, resumed=False)
            case "rest":
                arena.is_resting = True
                await self.say(type="resting")
            case "set" if game is not None and message.id == game.id and not game.was_set:
                game.was_set = True
                self.nursery.start_soon(self.move, game)
            case "turn" if game is not None and message.id == game.id:
                await self.judge(game, message)
            case "ended" if game is not None and message.id == game.id and game.end is not None:
                arena.results.append(game.end["score"])
                arena.acknowledged += 1
                arena.game = None

    async def judge(self, game: _Game, message) -> None:
        self.arena.turns_received.append((game.id, message.number, message.turn))
        if message.turn == "resign":
            game.over("resigned", "resigned")
        elif message.number != len(game.turns) or not game.is_engines or game.end is not None:
            return
        else:
            turn = parse_answer(message.turn)
            assert not isinstance(turn, Resign)
            game.play(turn)
            await self.say(
                type="accepted", id=game.id, number=message.number, clock=9.0, credit=0.0
            )
        self.nursery.start_soon(self.move, game)
