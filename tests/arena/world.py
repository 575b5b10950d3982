"""A simulated world: engines of known strength that come, go, crash, lag and lie, and an arena.

Nothing waits: a heap of events is the clock. The arena is the real one with its real store; it is
killed between any two of its steps, and started again from what the store has. Who wins a game is
drawn by the strengths when it begins; the loser resigns.
"""

import heapq
import itertools
import random

from oddly.arena import GameStart, parse_from_arena, parse_from_engine
from oddly.arena.arena import Arena, ArenaSettings
from oddly.arena.effects import CloseSession
from oddly.arena.pool import PoolFacts
from oddly.arena.store.store import ArenaStore
from oddly.games import create_game
from oddly.protocol import parse_time_control
from tests.arena.served import restored
from tests.arena.sim_engine import HOST, Habits, SimEngine

TICK = 0.1


class Killed(Exception):
    """The arena's process is gone."""


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
        self._is_idle = False
        """Whether nobody is there, so that the arena need not look at its clock."""

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
        self._base, self._since = self.store.heartbeat, self.now
        settings = ArenaSettings("World", hosts=(HOST,), gather=self.gather)
        self.arena = restored(settings, self.pools, self.store, self.clock())
        self._is_idle = False
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
                self._is_idle = not (arena.sessions.by_number or arena.play.games)
                if not self._is_idle:
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
        if self._is_idle:
            self._is_idle = False
            self.after(0.0, self.tick)
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
