"""An engine of a simulated world: how it behaves, and what it says to the arena."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.arena import (
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
)
from oddly.arena.wire.proof import prove, public_key
from oddly.games import create_game, random_turn
from oddly.protocol import parse_turn

if TYPE_CHECKING:
    from tests.arena.world import World

HOST = "arena.example"


@dataclass
class Habits:
    """How an engine behaves. Rates are per message or per game."""

    latency: float = 0.02
    jitter: float = 0.01
    thinks: float = 0.3
    cuts: float = 0.0
    """How often a connection breaks before a message is sent."""
    away: float = 0.5
    """Seconds until it is back."""
    lies: bool = False
    """It says that it took no time, and answers pings late."""
    stalls: float = 0.0
    """How often it never answers a go."""
    cheats: float = 0.0
    """How often it sends an illegal turn or one from the future."""
    leaves: float = 0.0
    """How often it goes away for long after a game."""
    likes: frozenset[str] = frozenset()
    """The only opponents against whom it plays on; none for all."""

    @property
    def is_innocent(self) -> bool:
        """Whether nothing that it does may lose a game."""
        return not (self.stalls or self.cheats or self.likes)


@dataclass
class SimEngine:
    """An engine's side, at one end of a network."""

    world: World
    name: str
    family: str
    owner: str
    strength: float
    habits: Habits
    secret: bytes
    connection: int | None = None
    joined: int | None = None
    """The connection over which the arena has said welcome."""
    is_wanted: bool = True
    start: GameStart | None = None
    turns: list[str] = field(default_factory=list)
    answered: TurnSent | None = None
    thinking: tuple[str, int] | None = None
    ends: dict[str, GameEnd] = field(default_factory=dict)
    refused: JoinRefused | None = None
    until: float = math.inf
    """When it wants no game any more."""

    def connect(self) -> None:
        """Dial, if it is not connected and wants to play."""
        if self.connection is None and self.is_wanted:
            self.connection = self.world.connect(self)
            if self.connection is None:
                self.world.after(self.world.draw.uniform(0.2, 2), self.connect)

    def cut(self) -> None:
        """Lose the connection, and come back."""
        if self.connection is not None:
            self.world.disconnect(self.connection)
            self.connection = None
            self.world.after(self.habits.away * self.world.draw.uniform(0.5, 1.5), self.connect)

    def send(self, message) -> None:
        """Send a message, unless the connection breaks first or has not joined.

        What is lost is sent again when the arena repeats its question.
        """
        if self.connection is None or not (
            self.joined == self.connection or isinstance(message, Join)
        ):
            return
        if self.world.draw.random() < self.habits.cuts:
            self.cut()
            return
        self.world.to_arena(self.connection, message)

    def hear(self, connection: int, message) -> None:  # noqa: C901
        """Answer a message of the arena."""
        if connection != self.connection:
            return
        match message:
            case Hello():
                self.join(message)
            case JoinRefused():
                self.refused, self.is_wanted = message, message.again is not None
            case Welcome():
                self.joined = connection
                if message.game is None:
                    self.start = None
                    self.go_on()
            case Ping():
                delay = self.world.draw.uniform(0, 3) if self.habits.lies else 0.0
                self.world.after(delay, lambda: self.pong(connection, message.id))
            case GameStart():
                self.begin(message)
            case Go():
                self.think(message)
            case TurnAccepted():
                self.answered = None
            case GameEnd():
                self.end(message)

    def pong(self, connection: int, identity: int) -> None:
        """Answer a ping over its own connection."""
        if connection == self.connection:
            self.send(Pong(identity))

    def join(self, hello: Hello) -> None:
        """Say who it is."""
        proof = prove(self.secret, hello.nonce, HOST, self.name)
        key = public_key(self.secret)
        self.send(Join(self.name, self.family, self.owner, key, proof, f"{self.family} 1"))

    def begin(self, start: GameStart) -> None:
        """Set up a game."""
        if self.start is None or self.start.id != start.id:
            self.answered = self.thinking = None
        elif self.answered is not None and len(start.turns) > self.answered.number:
            assert start.turns[self.answered.number] == self.answered.turn
            self.answered = None
        self.start, self.turns = start, [*start.turns]
        self.send(GameSet(start.id))
        if self.habits.likes and start.opponent not in self.habits.likes:
            self.is_wanted = False
            self.cut()
            self.world.after(120.0, self.come_back)

    def come_back(self) -> None:
        """Dial again after a while."""
        self.is_wanted = True
        self.connect()

    def go_on(self) -> None:
        """Ask for a game, or go home if it is late."""
        if self.world.now < self.until:
            self.send(ReadyForGame())
        else:
            self.is_wanted = False
            self.cut()

    def visit(self, seconds: float) -> None:
        """Come, and leave after some seconds, when no game runs."""
        self.until = self.world.now + seconds
        self.world.after(seconds, lambda: None if self.start else self.go_on())
        self.come_back()

    def think(self, go: Go) -> None:
        """Answer after a while."""
        assert self.start is not None
        assert go.id == self.start.id
        if go.number > len(self.turns):
            missing = go.number - len(self.turns)
            assert missing <= len(go.last)
            self.turns += go.last[-missing:]
        assert len(self.turns) == go.number
        if self.answered is not None and self.answered.number == go.number:
            self.turns.append(self.answered.turn)
            self.send(self.answered)
        elif self.thinking != (go.id, go.number):
            self.thinking = go.id, go.number
            if self.world.draw.random() >= self.habits.stalls:
                seconds = self.habits.thinks * self.world.draw.uniform(0.2, 1.8)
                self.world.after(seconds, lambda: self.answer(go, seconds))

    def answer(self, go: Go, seconds: float) -> None:
        """Send a turn, or resign if it is to lose."""
        if self.start is None or self.start.id != go.id or self.thinking != (go.id, go.number):
            return
        self.thinking = None
        took = 0.0 if self.habits.lies else seconds
        number, text = go.number, self.choose()
        if self.world.draw.random() < self.habits.cheats:
            number, text = self.world.draw.choice([(number, "Bz99"), (number + 2, text)])
        self.answered = TurnSent(go.id, number, text, took)
        self.turns.append(text)
        self.send(self.answered)

    def choose(self) -> str:
        """Resign if it is to lose, and play a legal turn otherwise."""
        start = self.start
        assert start is not None
        if self.world.resigns and self.world.is_lost(start, self.name):
            return "resign"
        position = create_game(start.game, start.size, start.settings).start()
        for turn in self.turns:
            position = position.play(parse_turn(turn))
        for _ in range(50):
            turn = random_turn(position, self.world.draw)
            if not position.play(turn).is_over:
                return str(turn)
        return str(turn)

    def end(self, end: GameEnd) -> None:
        """Hear how a game ended."""
        self.ends.setdefault(end.id, end)
        assert self.ends[end.id].winner == end.winner
        self.send(EndHeard(end.id))
        if self.start is None or self.start.id == end.id:
            self.start = self.answered = self.thinking = None
            if self.world.draw.random() < self.habits.leaves:
                self.is_wanted = False
                self.cut()
                self.world.after(self.world.draw.uniform(10, 400), self.come_back)
            else:
                self.go_on()
