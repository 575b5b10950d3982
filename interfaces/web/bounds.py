"""How much of everything the page allows, and the fair shares of what it is short of.

Shares belong to addresses. An address that is alone may have everything; a later one takes from
the address that has most. The caller gives the time. Threads are bounded too.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakValueDictionary

import trio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Bounds:
    """Sizes in bytes, times in seconds."""

    games: int = 8
    """Games on the page at once; each may have two engine processes."""
    players: int = 256
    """WebSockets of players at once."""
    spectators: int = 256
    """WebSockets of spectators at once."""
    requests: float = 50.0
    """Requests a second from one address, on average."""
    request_burst: int = 400
    """Requests that may come at once from one address."""
    openings: float = 1 / 300
    """Games a second that one address may open, on average."""
    opening_burst: int = 60
    """Games that one address may open at once."""
    fetches: float = 1 / 10
    """Games a second that one address may have fetched from the store, on average."""
    fetch_burst: int = 30
    """Games that one address may have fetched at once."""
    body: int = 65_536
    """The body of a POST."""
    file_body: int = (2 << 20) + 65_536
    """The body of a POST with a file: JSON or Base64 makes 1 MiB longer, at most twice as long."""
    files: int = 32
    """Files that are received and read at once, one from each address."""
    body_seconds: float = 15.0
    """The time within which a POST must arrive."""
    message: int = 2_048
    """A message on a WebSocket."""
    rate: float = 20.0
    """Messages a second from one WebSocket, on average."""
    burst: int = 60
    """Messages that may come at once."""
    unread: int = 131_072
    """Data sent to a connection and not yet received."""
    stalled: float = 6.0
    """The time without progress after which the system drops a connection."""
    idle: float = 1800.0
    """The time for which a game without browsers is kept."""
    seconds: tuple[int, ...] = (1, 3, 10)
    """The times for a turn that the page offers."""
    hint: float = 30.0
    """The time for a hint, once the engine is ready."""
    memory: int = 4096
    """MiB of address space of an engine's process."""
    kept: int = 10_000
    """Games in the store: more than one address can open before its first are deleted."""
    turns: int = 2_000
    """Turns of a game to resume."""


Item = TypeVar("Item")


def gives_way(taken: Mapping[Item, str], address: str) -> Item | None:
    """Return the item to give up for one more of `address` when all places are taken.

    `taken` has the address of each item, the oldest first. The oldest item of the address with
    most goes; None if `address` would then have as many as that one had (max-min fairness).
    """
    numbers = Counter(taken.values())
    if not numbers:
        return None
    holder, most = numbers.most_common(1)[0]
    if most <= numbers[address] + 1:
        return None
    return next(item for item, owner in taken.items() if owner == holder)


class OneEach:
    """A number of places, at most one for each address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: set[str] = set()

    @contextmanager
    def take(self, address: str) -> Iterator[bool]:
        """Take a place for the body; yield whether there was one."""
        if address in self._taken or len(self._taken) >= self._most:
            yield False
            return
        self._taken.add(address)
        try:
            yield True
        finally:
            self._taken.discard(address)


class Allowances:
    """A token bucket for each address: `burst` at once, then `rate` a second."""

    def __init__(self, rate: float, burst: int, most: int = 10_000) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._full_at: dict[str, float] = {}
        """When the bucket of an address will be full again."""

    def wait(self, address: str, now: float, number: int = 1) -> float:
        """Return the seconds until `address` may spend `number`; 0 if it may now."""
        missing = (self._full_at.get(address, now) - now) * self._rate
        return max(0.0, (missing + number - self._burst) / self._rate)

    def spend(self, address: str, now: float, number: int = 1) -> bool:
        """Spend `number` and return True; return False if less is left."""
        if self.wait(address, now, number):
            return False
        self._forget(now)
        self._full_at[address] = max(self._full_at.get(address, now), now) + number / self._rate
        return True

    def _forget(self, now: float) -> None:
        """Forget full buckets once there are many, then those that fill up soonest."""
        if len(self._full_at) < self._most:
            return
        left = sorted((until, address) for address, until in self._full_at.items() if until > now)
        self._full_at = {address: until for until, address in left[-self._most // 2 :]}


class Slices(Generic[Item]):
    """Turns at one shared engine: the address that has had least is next.

    Within an address the items take turns. A new or returning address begins level with the one
    that has had least, so nobody saves up time, and nobody gains by asking again.
    """

    def __init__(self, longest: float, shortest: float, cycle: float) -> None:
        self._longest, self._shortest, self._cycle = longest, shortest, cycle
        self._items: dict[Item, str] = {}
        self._had: dict[str, float] = {}
        self._last: dict[Item, int] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._items)

    @property
    def taken(self) -> Mapping[Item, str]:
        """The items with their addresses, the oldest first."""
        return self._items

    def add(self, item: Item, address: str) -> None:
        """Add an item that wants slices."""
        present = set(self._items.values())
        least = min((self._had[each] for each in present), default=0.0)
        # An address that had no more than the least comes back with as much anyway.
        self._had = {
            each: had
            for each, had in self._had.items()
            if each in present or (present and had > least)
        }
        if address not in present:
            self._had[address] = max(self._had.get(address, 0.0), least)
        self._items[item] = address

    def remove(self, item: Item) -> None:
        """Remove an item, at any moment."""
        self._items.pop(item, None)
        self._last.pop(item, None)

    def next(self) -> Item | None:
        """Return the item that has the next slice; None if there is none."""
        return min(
            self._items,
            key=lambda item: (self._had[self._items[item]], self._last.get(item, 0)),
            default=None,
        )

    @property
    def length(self) -> float:
        """The seconds of a slice: shorter the more items wait, so that each has one in a cycle."""
        return min(self._longest, max(self._shortest, self._cycle / max(1, len(self._items))))

    def used(self, item: Item, address: str, seconds: float) -> None:
        """Count the seconds that an item had, even if it was removed meanwhile."""
        self._had[address] = self._had.get(address, 0.0) + seconds
        self._number += 1
        if item in self._items:
            self._last[item] = self._number


MAX_THREADS = 2
"""Practice boards at work at once, one per address; the clocks of games must keep running."""


@cache
def practice_threads() -> trio.CapacityLimiter:
    """Return the limit of threads for practice boards and positions of games."""
    return trio.CapacityLimiter(MAX_THREADS)


@cache
def file_threads() -> trio.CapacityLimiter:
    """Return the limit of threads that read files."""
    return trio.CapacityLimiter(1)


_threads: WeakValueDictionary[str, trio.CapacityLimiter] = WeakValueDictionary()


def threads_of(address: str) -> trio.CapacityLimiter:
    """Return the limit of threads for one address, taken before the limit for everybody."""
    return _threads.setdefault(address, trio.CapacityLimiter(1))
