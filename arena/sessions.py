"""All connections of an arena: who is there, who is silent, whom to ping, and what is too much.

Each connection is a session, a state machine that knows the engine, the round trips, and what the
engine may say. It begins with a nonce and waits for `join`. It knows nothing about sockets; the rim
closes sessions that are over or do not join in time, and gives the arena every message as `wire/`
read it.

There are limits for one address and one owner: open connections, bytes a second, new engines a day.
"""

from __future__ import annotations

import secrets
from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.effects import AddressAllowance, Effects, EngineJoined, EngineLeft, EngineRefused
from oddly.arena.wire.messages import JoinRefused, Ping

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from oddly.arena.wire.members import Message


PINGS = 16
"""The number of round trips remembered."""
FIRST_PINGS = 4
"""The number of pings in succession when a game starts."""
PING_EVERY = 2.0
"""Seconds between two pings during a game."""
MAX_PINGS = 16
"""The maximum number of unanswered pings; older ones are forgotten."""
SLACK = 0.01
"""Seconds that a client's own programs may take beyond what a ping measures."""
IDLE_PING_EVERY = 10.0
"""Seconds between two pings outside games."""
SILENT = 30.0
"""Seconds of silence after which a connection is closed."""
DAY = 86_400.0
BURST = 8
"""A burst may have the bytes of this many seconds."""
KEPT = 10_000
"""The number of budgets kept; the least recently used are forgotten, and so full again."""
AGAIN = 60.0
REGISTER_AGAIN = 3600.0


class RoundTrips:
    """The round trips of one connection, as the arena measures them.

    The arena records when it asks and when the answer arrives; the client says how long the engine
    took. The difference is lag, which the arena believes only as far as these measurements justify.
    A client that lies and answers pings late gains at most its quota.
    """

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=PINGS)
        self._sent: dict[int, float] = {}
        self._number = 0
        self.due = 0.0
        """When the next ping is due during a game."""
        self.justified = 0.0
        """The believed lag in seconds a turn: the longest round trip, and as much jitter again.

        The longest of a few pings is seldom the longest of a whole game.
        """

    def new_ping(self, now: float) -> int:
        """Return the number of a new ping, to be sent to the socket next."""
        self._number += 1
        self.due = now + PING_EVERY
        return self._number

    def sent(self, number: int, now: float) -> None:
        """Note that the socket has a ping."""
        self._sent[number] = now
        while len(self._sent) > MAX_PINGS:
            del self._sent[next(iter(self._sent))]

    def heard(self, number: int, now: float) -> None:
        """Note a pong. A pong without a ping is ignored."""
        since = self._sent.pop(number, None)
        if since is not None:
            last = self._last
            last.append(max(0.0, now - since))
            longest = max(last)
            self.justified = longest + max(SLACK, longest - min(last))


@dataclass(slots=True)
class ArenaSession:
    """A connection of an engine's side."""

    id: int
    address: str
    """Its network address."""
    host: str
    """The host that the client must have dialled."""
    opened: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(32))
    engine: str | None = None
    """The name of the engine; None before it has joined."""
    is_ready: bool = False
    """Whether the engine asked for a game."""
    rests: bool = False
    """Whether the engine wants no game after the present one."""
    takes_challenges: bool = False
    """Whether the owner lets visitors play against it."""
    is_closed: bool = False
    trips: RoundTrips = field(default_factory=RoundTrips)
    heard: float = 0.0
    """The time of the last message."""
    free_since: float = 0.0
    """Since when the engine is ready."""

    @property
    def may_be_paired(self) -> bool:
        """Whether the engine wants a game."""
        return self.engine is not None and self.is_ready and not self.rests and not self.is_closed

    def ready(self, now: float) -> None:
        """Note that the engine is free."""
        if not self.is_ready:
            self.free_since = now
        self.is_ready, self.rests = True, False

    def is_silent(self, now: float) -> bool:
        """Return whether it has been silent for long enough to count as gone."""
        return now >= max(self.heard, self.opened) + SILENT

    def ping_is_due(self, now: float, *, in_game: bool) -> bool:
        """Return whether a ping is due now."""
        if self.engine is None:
            return False
        if in_game:
            return now >= self.trips.due
        return now >= self.trips.due - PING_EVERY + IDLE_PING_EVERY


class Sessions:
    """The open connections by number, and those that have joined by the engine's name."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self._ids = count(1)
        self.by_number: dict[int, ArenaSession] = {}
        self.online: dict[str, ArenaSession] = {}

    def open(self, address: str, host: str, now: float) -> ArenaSession:
        """Begin a session."""
        session = ArenaSession(next(self._ids), address, host.lower(), now, heard=now)
        self.by_number[session.id] = session
        return session

    def joined(self, session: ArenaSession, name: str, *, is_new: bool) -> None:
        """Note that a session belongs to an engine; an older session of the engine ends."""
        stale = self.online.get(name)
        if stale is not None:
            self.refuse(stale.id, "taken-over", "another connection of this engine took over")
        session.engine = name
        self.online[name] = session
        self._effects.tell(EngineJoined(name, session.address, is_new))

    def closed(self, number: int) -> None:
        """Note that a connection is gone."""
        session = self.by_number.pop(number, None)
        if session is not None:
            session.is_closed = True
            if session.engine is not None and self.online.get(session.engine) is session:
                del self.online[session.engine]
                self._effects.tell(EngineLeft(session.engine))

    def refuse(self, number: int, code: str, reason: str, again: float | None = None) -> None:
        """Say why, and close a connection."""
        session = self.by_number.get(number)
        if session is not None:
            self._effects.tell(EngineRefused(session.engine, session.address, code, reason[:400]))
            self._effects.send(number, JoinRefused(code, reason[:400], again))
            self._effects.close(number)
            self.closed(number)

    def tell(self, name: str, message: Message) -> None:
        """Send a message to an engine's side, if it is connected."""
        session = self.online.get(name)
        if session is not None:
            self._effects.send(session.id, message)

    def justified(self, name: str) -> float:
        """Return the lag that an engine's round trips justify, in seconds; 0 if it is away."""
        session = self.online.get(name)
        return 0.0 if session is None else session.trips.justified

    def ping(self, name: str, now: float, times: int = 1) -> None:
        """Ping an engine's side, several times to measure the round trip before a game."""
        session = self.online.get(name)
        if session is not None:
            for _ in range(times):
                self._effects.send(session.id, Ping(session.trips.new_ping(now)))

    def pinged(self, number: int, ping: int, now: float) -> None:
        """Note that the socket has a ping."""
        session = self.by_number.get(number)
        if session is not None:
            session.trips.sent(ping, now)

    def look(self, now: float, playing: Container[str]) -> None:
        """Close silent sessions, and ping those that need it."""
        for session in [*self.by_number.values()]:
            if session.is_silent(now):
                self._effects.close(session.id, is_silent=True)
                self.closed(session.id)
            elif session.ping_is_due(now, in_game=session.engine in playing):
                self.ping(session.engine or "", now)


class ArenaLimits(NamedTuple):
    """What one address or owner may do."""

    bytes_per_second: int = 131_072
    engines_a_day: int = 50
    """New engines from one address."""


class Budgets:
    """A token bucket for each of many names. The caller gives the time."""

    def __init__(self, rate: float, most: float) -> None:
        self._rate, self._most = rate, most
        self._left: dict[str, tuple[float, float]] = {}
        """What each had left, and when; the most recently used is last."""

    def restore(self, name: str, left: float, since: float) -> None:
        """Note what a name had left, and when."""
        self._left[name] = left, since

    def left(self, name: str, now: float) -> float:
        """Return what a name may still spend now."""
        left, since = self._left.get(name, (self._most, now))
        return min(self._most, left + (now - since) * self._rate)

    def spend(self, name: str, amount: float, now: float) -> bool:
        """Take an amount; return whether it was available. If not, nothing is left."""
        left = self.left(name, now) - amount
        self._left.pop(name, None)
        self._left[name] = max(0.0, left), now
        if len(self._left) > KEPT:
            del self._left[next(iter(self._left))]
        return left >= 0


class Traffic:
    """The bytes of all addresses and owners, and the engines that addresses register.

    `seed` is the key of the hashes that stand for addresses in the arena's file.
    """

    def __init__(self, limits: ArenaLimits, seed: int = 0) -> None:
        self.limits = limits
        self._key = str(seed).encode()
        rate = float(limits.bytes_per_second)
        self._addresses = Budgets(rate, BURST * rate)
        self._owners = Budgets(rate, BURST * rate)
        self._engines = Budgets(limits.engines_a_day / DAY, limits.engines_a_day)

    def excess(self, address: str, owner: str | None, size: int, now: float) -> str:
        """Count bytes of a message; return what is wrong with it, or ""."""
        limit = f"more than {self.limits.bytes_per_second} bytes a second"
        if not is_here(address) and not self._addresses.spend(address, size, now):
            return f"{limit} from {address}"
        if owner is not None and not self._owners.spend(owner, size, now):
            return f"{limit} from the engines of {owner!r}"
        return ""

    def may_register(self, address: str, now: float) -> bool:
        """Return whether an address may register one more engine."""
        return is_here(address) or self._engines.left(self.hash_of(address), now) >= 1

    def registered(self, address: str, now: float) -> AddressAllowance | None:
        """Count a new engine; return the address's remaining allowance, if it is limited."""
        if is_here(address):
            return None
        name = self.hash_of(address)
        self._engines.spend(name, 1, now)
        return AddressAllowance(name, self._engines.left(name, now), now)

    def restore(self, allowances: Iterable[AddressAllowance]) -> None:
        """Load the stored allowances of addresses."""
        for allowance in allowances:
            self._engines.restore(*allowance)

    def hash_of(self, address: str) -> str:
        """Return the keyed hash that stands for an address in the arena's file."""
        return blake2b(address.encode(), digest_size=16, key=self._key).hexdigest()


class Addresses:
    """Counts open connections, in all and from each address."""

    def __init__(self, in_all: int, from_one: int) -> None:
        self._in_all, self._from_one = in_all, from_one
        self._open: Counter[str] = Counter()

    @contextmanager
    def one_from(self, address: str) -> Iterator[str]:
        """Count a connection while the block runs; yield why it is refused, empty if it is not."""
        reason = ""
        if self._open.total() >= self._in_all:
            reason = f"{self._in_all} connections are open: there may be no more"
        elif self._open[address] >= self._from_one and not is_here(address):
            reason = f"{self._from_one} connections of {address} are open: there may be no more"
        self._open[address] += 1
        try:
            yield reason
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


@lru_cache(KEPT)
def is_here(address: str) -> bool:
    """Return whether an address is this machine's own, as behind a proxy that names no visitor."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    # An arena that listens on "::" hears of IPv4 addresses in this form.
    mapped = found.ipv4_mapped if found.version == 6 else None
    return (mapped or found).is_loopback
