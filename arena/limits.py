"""Limits for one address and one owner: open connections, bytes a second, new engines a day."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.effects import AddressAllowance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DAY = 86_400.0
BURST = 8
"""A burst may have the bytes of this many seconds."""
KEPT = 10_000
"""The number of budgets kept; the least recently used are forgotten, and so full again."""
AGAIN = 60.0
REGISTER_AGAIN = 3600.0


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
