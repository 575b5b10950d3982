"""Who joins an arena: the engine's names, its owner's key, and the pools it wants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from oddly.arena.client.table import game_of
from oddly.arena.wire.from_engine import Join
from oddly.arena.wire.proof import prove, public_key
from oddly.games import GameError, did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oddly.arena.wire.from_arena import Hello, PoolOffer


class NotWelcomeError(Exception):
    """The engine cannot play there. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the owner says about the engine."""

    name: str
    family: str
    owner: str
    """Empty for an owner whom the arena knows by the key."""
    secret: bytes = field(repr=False)
    """The secret half of the owner's key."""
    host: str
    """The arena's host as dialled, which the proof names."""
    about: str = ""
    invitation: str | None = field(default=None, repr=False)
    pools: tuple[str, ...] = ()
    """The pools wanted; none for all that the engine can play."""
    challenges: bool = False
    """Whether visitors of the arena's pages may play unrated games against it."""

    def join(self, hello: Hello, program: str, pools: Sequence[str]) -> Join:
        """Return the answer to `hello`, with its proof."""
        return Join(
            name=self.name,
            family=self.family,
            owner=self.owner,
            key=public_key(self.secret),
            proof=prove(self.secret, hello.nonce, self.host, self.name),
            program=program,
            about=self.about,
            pools=tuple(pools),
            invitation=self.invitation,
            challenges=self.challenges,
        )

    def wanted(self, hello: Hello) -> list[PoolOffer]:
        """Return the wanted pools of the arena. Raises NotWelcomeError."""
        if not self.pools:
            return list(hello.pools)
        offers = {offer.pool: offer for offer in hello.pools}
        for pool in self.pools:
            if pool not in offers:
                raise NotWelcomeError(
                    f"the arena has no pool {pool!r}: expected one of {', '.join(offers)}"
                    f"{did_you_mean(pool, offers)}"
                )
        return [offers[pool] for pool in self.pools]


class PlayablePools:
    """Which pools the engine plays, as far as known, kept from one connection to the next."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}

    def learn(self, reasons: dict[str, str]) -> None:
        """Note why the engine does not play by some rules; an empty reason means that it does."""
        self._reasons.update(reasons)

    def unknown(self, offers: Sequence[PoolOffer]) -> list[PoolOffer]:
        """Return the pools about which the engine must be asked."""
        return [offer for offer in offers if rules_of(offer) not in self._reasons]

    def among(self, offers: Sequence[PoolOffer], *, named: bool) -> list[str]:
        """Return the ids of those that the engine plays.

        Raises NotWelcomeError if there are none, or if a pool that the owner has named does not
        fit.
        """
        refused = [
            f"{offer.pool}: {one_line(self._reasons[rules_of(offer)])}"
            for offer in offers
            if self._reasons[rules_of(offer)]
        ]
        if refused and named:
            raise NotWelcomeError(f"the engine does not play {refused[0]}")
        found = [offer.pool for offer in offers if not self._reasons[rules_of(offer)]]
        if not found:
            why = "it has none" if not offers else f"the first, {refused[0]}"
            raise NotWelcomeError(f"the engine plays none of the arena's pools: {why}")
        return found


def rules_of(offer: PoolOffer) -> str:
    """Return a key for a pool's rules, which is equal for pools that need the same of an engine."""
    try:
        game = str(game_of(offer))
    except GameError:
        game = f"{offer.game} {offer.size} {sorted(offer.settings.items())}"
    return f"{game}, {offer.time}"
