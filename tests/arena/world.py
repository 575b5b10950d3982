"""A simulated world: engines of known strength that come, go, crash, lag and lie, and an arena.

Nothing waits: a heap of events is the clock. The arena is the real one with its real store; it is
killed between any two of its steps, and started again from what the store has. Who wins a game is
drawn by the strengths when it begins; the loser resigns.
"""

from __future__ import annotations

import heapq
import itertools
import random
from dataclasses import dataclass, field

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
    parse_from_arena,
    parse_from_engine,
)
from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.effects import CloseSession
from oddly.arena.pool import PoolFacts, RatedPool
from oddly.arena.registry import Registry
from oddly.arena.store.store import ArenaStore
from oddly.arena.wire.proof import prove, public_key
from oddly.games import create_game, random_turn
from oddly.protocol import parse_time_control, parse_turn

HOST = "arena.example"
TICK = 0.1


class Killed(Exception):
    """The arena's process is gone."""


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
    is_wanted: bool = True
    start: GameStart | None = None
    turns: list[str] = field(default_factory=list)
    answered: TurnSent | None = None
    thinking: tuple[str, int] | None = None
    ends: dict[str, GameEnd] = field(default_factory=dict)
    refused: JoinRefused | None = None

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
        """Send a message, unless the connection breaks first."""
        if self.connection is None:
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
                if message.game is None:
                    self.start = None
                    self.send(ReadyForGame())
            case Ping():
                delay = self.world.draw.uniform(0, 3) if self.habits.lies else 0.0
                self.world.after(delay, lambda: self.send(Pong(message.id)))
            case GameStart():
                self.begin(message)
            case Go():
                self.think(message)
            case TurnAccepted():
                self.answered = None
            case GameEnd():
                self.end(message)

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
                self.send(ReadyForGame())


POOL = PoolFacts("xodd-2", create_game("xodd", 2), parse_time_control("4+1"), seed=3)


class World:
    """The clock, the network, the arena and all engines."""

    def __init__(self, seed: int, folder, pools=(POOL,), kills: float = 0.0, gather: float = 2.0):
        self.seed = seed
        self.draw = random.Random(seed)
        self.folder = folder
        self.pools = pools
        self.kills = kills
        """How often the arena is killed at a step that has something to do."""
        self.gather = gather
        self.resigns = True
        """Whether the engine that is to lose resigns at once, instead of playing at random."""
        self.now = 0.0
        self.engines: dict[str, SimEngine] = {}
        self.deaths = 0
        self.arena: Arena | None = None
        self.store: ArenaStore | None = None
        self.owners: dict[int, SimEngine] = {}
        self.numbers: dict[int, int] = {}
        self._events: list = []
        self._order = itertools.count()
        self._last_arrival: dict[tuple[int, bool], float] = {}
        self._connections = itertools.count(1)
        self._by_session: dict[int, int] = {}
        self._base = self._since = 0.0

    def after(self, seconds: float, what) -> None:
        """Have something happen later."""
        heapq.heappush(self._events, (self.now + seconds, next(self._order), what))

    def add(self, name, strength, habits=None, family=None, owner=None, at=0.0) -> SimEngine:
        """Add an engine that dials in later. Engines of one owner have one key."""
        owner = owner or f"owner of {name}"
        secret = random.Random(owner).randbytes(32)
        engine = SimEngine(self, name, family or name, owner, strength, habits or Habits(), secret)
        self.engines[name] = engine
        self.after(at, engine.connect)
        return engine

    def is_lost(self, start: GameStart, name: str) -> bool:
        """Whether a player is to lose a game: drawn by the strengths, the same for both."""
        players = (name, start.opponent) if start.side == 0 else (start.opponent, name)
        first, second = (self.engines[player].strength for player in players)
        chance = 1 / (1 + 10 ** ((second - first) / 400))
        wins = random.Random(f"{self.seed} {start.id}").random() < chance
        return players[1 if wins else 0] == name

    def start(self) -> None:
        """Start the arena from what its store has."""
        self.store = ArenaStore(self.folder, "World", self.pools)
        self.store.file.connection.execute("pragma synchronous = off")
        for ledger in self.store.ledgers._ledgers.values():
            ledger._connection.execute("pragma synchronous = off")
        file = self.store.file
        self._base, self._since = file.heartbeat(), self.now
        registry = Registry()
        registry.load(file.owners(), file.engines())
        met, results, pools = file.met(), file.results(), []
        for facts in self.pools:
            pool = RatedPool(facts)
            pool.load(results.get(facts.name, ()))
            pool.met.update({pair: n for (name, pair), n in met.items() if name == facts.name})
            pools.append(pool)
        settings = ArenaSettings("World", hosts=(HOST,), gather=self.gather)
        self.arena = Arena(settings, pools, registry, lambda: "2026-01-01T00:00:00+00:00")
        self.arena.restore(file.running(), file.unheard(), self.clock())
        self.after(0.0, self.tick)

    def clock(self) -> float:
        """The arena's clock."""
        return self._base + self.now - self._since

    def die(self) -> None:
        """Kill the arena, and start it again later."""
        self.deaths += 1
        assert self.store is not None
        self.store.__exit__(None, None, None)
        self.arena = self.store = None
        for engine in self.engines.values():
            if engine.connection is not None:
                engine.cut()
        self.owners.clear()
        self.numbers.clear()
        self._by_session.clear()
        self.after(self.draw.uniform(0.1, 20.0), self.start)

    def may_die(self) -> None:
        """Be killed at this point, now and then."""
        if self.draw.random() < self.kills:
            raise Killed

    def tick(self) -> None:
        """The arena's own time."""
        if self.arena is not None:
            arena = self.arena
            arena.tick(self.clock())
            self.step()
            if self.arena is arena:
                self.after(TICK, self.tick)

    def step(self) -> None:
        """Do what the arena wants done, as the rim does."""
        arena, store = self.arena, self.store
        assert arena is not None
        assert store is not None
        try:
            while batch := arena.take():
                if batch.writes or batch.people or batch.out:
                    self.may_die()
                if batch.must_be_written:
                    store.write(batch, self.clock())
                    self.may_die() if batch.writes else None
                    store.file_games(batch)
                    self.may_die() if batch.writes else None
                elif batch.writes:
                    store.write(batch, self.clock())
                for each in batch.out:
                    self.to_engine(each)
                arena.sent(batch, self.clock())
        except Killed:
            self.die()

    def connect(self, engine: SimEngine) -> int | None:
        """Open a connection; None while the arena is away."""
        if self.arena is None:
            return None
        number = next(self._connections)
        session = self.arena.open(engine.name, HOST, self.clock())
        self.owners[number] = engine
        self.numbers[number] = session
        self._by_session[session] = number
        self.step()
        return number if self.arena is not None else None

    def disconnect(self, number: int) -> None:
        """Break a connection: nothing arrives any more, and the arena notices soon."""
        session = self.numbers.pop(number, None)
        self.owners.pop(number, None)
        arena = self.arena
        if session is not None and arena is not None:
            self._by_session.pop(session, None)
            self.after(self.draw.uniform(0, 5), lambda: arena.closed(session))

    def arrival(self, number: int, engine: SimEngine, *, is_up: bool) -> float:
        """When a message arrives: later than those before it."""
        habits = engine.habits
        delay = habits.latency / 2 + self.draw.uniform(-0.5, 0.5) * habits.jitter
        key = number, is_up
        found = max(self.now + max(0.0, delay), self._last_arrival.get(key, 0.0))
        self._last_arrival[key] = found
        return found - self.now

    def to_arena(self, number: int, message) -> None:
        """Carry a message to the arena."""
        engine = self.owners.get(number)
        if engine is None:
            return
        text = message.encoded()

        def arrive() -> None:
            if number in self.numbers and self.arena is not None:
                self.arena.hear(self.numbers[number], parse_from_engine(text), self.clock())
                self.step()

        self.after(self.arrival(number, engine, is_up=True), arrive)

    def to_engine(self, effect) -> None:
        """Carry a message to an engine, or the end of its connection."""
        number = self._by_session.get(effect.session)
        engine = self.owners.get(number)
        if number is None or engine is None:
            return
        if isinstance(effect, CloseSession):
            delay = self.arrival(number, engine, is_up=False)
            self.after(delay, lambda: engine.connection == number and engine.cut())
            return
        text = effect.message.encoded()
        delay = self.arrival(number, engine, is_up=False)
        self.after(delay, lambda: engine.hear(number, parse_from_arena(text)))

    def run(self, seconds: float, watch=lambda: None, every: float = 60.0) -> None:
        """Let time pass; `watch` is called now and then."""
        end, look = self.now + seconds, self.now + every
        while self._events and self._events[0][0] <= end:
            moment, _, what = heapq.heappop(self._events)
            if moment >= look:
                look = moment + every
                watch()
            self.now = max(self.now, moment)
            what()
        self.now = end

    def close(self) -> None:
        """Stop the arena in good order."""
        if self.store is not None:
            self.store.__exit__(None, None, None)
            self.arena = self.store = None
