"""The arena itself, without input and output: events go in, and a batch of effects comes out.

The rim gives it connections, messages and the time, takes a batch, has its rows written, hands its
messages to the sockets and then calls `sent`, which starts the clocks of the players asked. Events
that come between a batch's `take` and `sent` belong to the next batch.

The arena has engines of its own: their owner is the arena itself, and they wait for guests.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.effects import AddressAllowance, Batch, Effects, Send, Write
from oddly.arena.names import UnfitNameError, check_new, plain_name, skeleton, slug
from oddly.arena.pairing import GATHER, pair_free
from oddly.arena.play import Play
from oddly.arena.registry import EngineState, JoinError, Owner, RegisteredEngine, Registry
from oddly.arena.sessions import REGISTER_AGAIN, ArenaLimits, ArenaSession, Sessions, Traffic
from oddly.arena.wire.messages import (
    EndHeard,
    GameSet,
    Hello,
    Join,
    NoMoreGames,
    Note,
    Ping,
    Pong,
    ReadyForGame,
    RestAgreed,
    TurnSent,
    Welcome,
)
from oddly.games.wording import counted
from oddly.tournaments.ledger.ledger_file import utc_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oddly.arena.game import ArenaGame, UnheardEnd
    from oddly.arena.pool import RatedPool
    from oddly.arena.wire.members import Message


class HouseError(ValueError):
    """House engines cannot be entered. The message is one sentence."""


def enter_house(registry: Registry, owner: str, key: str, engines: Iterable[str], now: str) -> None:
    """Register the house and its engines before any guest can take their names.

    `key` is the house's public key, which replaces an earlier one. `now` is the time in UTC. Raises
    HouseError if a guest has one of the names, or the house has another one.
    """
    try:
        name = plain_name(owner, "owner")
        names = [plain_name(engine) for engine in engines]
        for new in names:
            if skeleton(new) not in registry.engines:
                check_new(new)
    except UnfitNameError as error:
        raise HouseError(str(error)) from None
    house = registry.owners.get(skeleton(name))
    if house is None:
        for earlier in registry.owners.values():
            if earlier.is_house:
                raise HouseError(
                    f"the house is called {earlier.name!r} here: set house = "
                    f'"{earlier.name}" again in [arena]'
                )
        house = registry.owners[skeleton(name)] = Owner(name, key, is_house=True, created=now)
        registry.changed.append(house)
    elif not house.is_house:
        raise HouseError(f"the owner {house.name!r} is a guest: the house needs another name")
    elif house.key != key:
        registry.hand_over(house.name, key)
    for each in names:
        _enter(registry, each, house, now)


def _enter(registry: Registry, name: str, house: Owner, now: str) -> None:
    found = registry.engines.get(skeleton(name))
    if found is None:
        if new_name := registry.renamed.get(skeleton(name)):
            raise HouseError(
                f"the engine {name!r} was renamed {new_name!r}: rename its [[engine]] too"
            )
        if registry.family(name):
            raise HouseError(f"a guest has the family {name!r}: the engine needs another name")
        found = RegisteredEngine(slug(name), name, name, house.name, house.key, created=now)
        registry.engines[skeleton(name)] = found
        registry.changed.append(found)
    elif found.name != name or found.owner != house.name:
        raise HouseError(
            f"{found.name!r} of {found.owner!r} plays here: the engine {name!r} of the house needs "
            "another name"
        )


def house_meets(
    registry: Registry, free: Mapping[str, float], *, house_games: bool
) -> Callable[[str, str], bool]:
    """Return a function that says whether two engines may meet now, as far as the house goes.

    Without `house_games`, no two house engines may meet; otherwise all may but the one that became
    free last, which waits for a guest.
    """

    def is_house(name: str) -> bool:
        return registry.owner(registry.engine(name).owner).is_house

    waits = max(
        (name for name in free if is_house(name)), key=lambda name: (free[name], name), default=""
    )

    def may(one: str, other: str) -> bool:
        both = is_house(one) and is_house(other)
        return not both or (house_games and waits not in (one, other))

    return may


BEAT_EVERY = 1.0
"""Seconds between two records of the arena's clock."""
PAIR_EVERY = 0.5
LOOK_EVERY = 0.25
"""Seconds between two checks of all sessions."""
NO_GAMES = {
    EngineState.RESTS: "it gets no games: a newer version of it has joined",
    EngineState.RETIRED: "it gets no games: the keeper has retired it",
}
"""What an engine's owner hears when it joins, or when its newer version does."""


class ArenaSettings(NamedTuple):
    """How an arena behaves."""

    name: str
    address: str = ""
    """The public address of its pages, without a slash at the end."""
    hosts: tuple[str, ...] = ()
    """The hosts that clients may have dialled; empty to accept the host that each client names."""
    gather: float = GATHER
    """Seconds for which a free engine waits for a better opponent."""
    house_games: bool = False
    """Whether the arena's own engines meet each other, while one waits for a guest."""
    limits: ArenaLimits = ArenaLimits()
    seed: int = 0
    """The key of the hashes of addresses."""


class Arena:
    """All sessions, games and pools of one arena. Times are seconds of the arena's clock."""

    def __init__(
        self,
        settings: ArenaSettings,
        pools: Sequence[RatedPool],
        registry: Registry,
    ) -> None:
        self.settings = settings
        self.pools = {pool.name: pool for pool in pools}
        self.registry = registry
        self._effects = Effects()
        self.sessions = Sessions(self._effects)
        self.play = Play(
            self._effects, self.sessions, self.pools, lambda game: self.page_of("games", game)
        )
        self.is_draining = False
        """Whether no new games begin."""
        self.paused: set[str] = set()
        """The engines that get no new game, because the keeper waits for their last one to end."""
        self._traffic = Traffic(settings.limits, settings.seed)
        self._next_beat = self._next_pairing = self._next_look = 0.0

    def restore(
        self,
        games: Iterable[ArenaGame],
        unheard: Iterable[UnheardEnd],
        now: float,
        allowances: Iterable[AddressAllowance] = (),
    ) -> None:
        """Go on with the games that ran when the arena's clock stopped, at `now`.

        `allowances` say how many engines each address may still register.
        """
        self._traffic.restore(allowances)
        self.play.restore(games, unheard, now)

    def take(self) -> Batch:
        """Return the batch that has grown since the last call."""
        batch, registry = self._effects.take(), self.registry
        # A later change of an engine belongs to a later batch, and this one may wait for the disk.
        batch.people = [copy(who) for who in {id(who): who for who in registry.changed}.values()]
        batch.invitations = registry.used_invitations
        registry.changed, registry.used_invitations = [], []
        return batch

    def sent(self, batch: Batch, now: float) -> None:
        """Note that the sockets have the messages of a batch."""
        for each in batch.out:
            if isinstance(each, Send) and isinstance(each.message, Ping):
                self.sessions.pinged(each.session, each.message.id, now)
        for game in batch.asks:
            self.play.asked(game, now)

    def open(self, address: str, host: str, now: float) -> int:
        """Greet a new connection, and return its number."""
        session = self.sessions.open(address, host, now)
        offers = tuple(pool.facts.offer() for pool in self.pools.values())
        self._effects.send(session.id, Hello(self.settings.name, session.nonce, offers))
        return session.id

    def closed(self, number: int) -> None:
        """Note that a connection is gone. Clocks run on."""
        self.sessions.closed(number)

    def refuse(self, number: int, code: str, reason: str, again: float | None = None) -> None:
        """Say why, and close a connection."""
        self.sessions.refuse(number, code, reason, again)

    def admits(self, number: int, size: int, now: float) -> str:
        """Count a message's bytes before it is read; return why they are too many, or ""."""
        session = self.sessions.by_number.get(number)
        if session is None:
            return ""
        name = session.engine
        owner = None if name is None else self.registry.engine(name).owner
        return self._traffic.excess(session.address, owner, size, now)

    def hear(self, number: int, message: Message, now: float) -> None:
        """Handle a message of an engine's side."""
        session = self.sessions.by_number.get(number)
        if session is None:
            return
        session.heard = now
        if session.engine is not None:
            self._hear(session, session.engine, message, now)
        elif isinstance(message, Join):
            self._join(session, message, now)
        else:
            self.refuse(number, "bad-message", "the first message is expected to be join")

    def _hear(self, session: ArenaSession, name: str, message: Message, now: float) -> None:
        match message:
            case Pong():
                session.trips.heard(message.id, now)
            case ReadyForGame():
                if name not in self.play.playing:
                    session.ready(now)
            case NoMoreGames():
                session.rests = True
                self._effects.send(session.id, RestAgreed())
            case GameSet():
                self.play.set_up(name, message.id, now)
            case TurnSent():
                self.play.answer(name, message, now)
            case EndHeard():
                self.play.heard(name, message.id)
            case _:
                self.refuse(session.id, "bad-message", "this connection has joined already")

    def tick(self, now: float) -> None:
        """Do what is due: the rim calls it many times a second."""
        self.play.look(now)
        if now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            self.sessions.look(now, self.play.playing)
        if now >= self._next_pairing and not self.is_draining:
            self._next_pairing = now + PAIR_EVERY
            self.pair(now)
        if now >= self._next_beat:
            self._next_beat = now + BEAT_EVERY
            self._effects.batch.beats = True

    def pair(self, now: float) -> None:
        """Begin the games that free engines may begin now."""
        free = self.free()
        if len(free) < 2:
            return
        pools = [*self.pools.values()]
        may = house_meets(self.registry, free, house_games=self.settings.house_games)

        def may_meet(one: str, other: str) -> bool:
            return self.may_meet(one, other) and may(one, other)

        games = pair_free(pools, free, self.plays_in, may_meet, now, self.settings.gather)
        for paired in games:
            game = paired.scheduled
            one, other = (self.registry.engine(name) for name in (game.first, game.second))
            self.play.begin(paired, (one.program, other.program), now)

    def free(self) -> dict[str, float]:
        """Return the engines that want a game, each with the time at which it became free."""
        return {
            name: session.free_since
            for name, session in self.sessions.online.items()
            if session.may_be_paired
            and name not in self.play.playing
            and name not in self.play.resting
            and name not in self.paused
            and self.registry.may_play(self.registry.engine(name))
        }

    def plays_in(self, name: str) -> frozenset[str]:
        """Return the pools in which an engine plays."""
        wanted = self.registry.engine(name).pools
        known = frozenset(self.pools)
        return known & frozenset(wanted) if wanted else known

    def may_meet(self, one: str, other: str) -> bool:
        """Return whether two engines may play a rated game."""
        return self.registry.are_apart(self.registry.engine(one), self.registry.engine(other))

    def drain(self) -> None:
        """Begin no new games."""
        self.is_draining = True

    def note(self, name: str, text: str) -> None:
        """Send an engine's owner a note, if the engine is connected."""
        self.sessions.tell(name, Note(text[:400]))

    def turn_out(self, name: str, code: str, reason: str) -> None:
        """Close an engine's session, if it is connected, and say why."""
        session = self.sessions.online.get(name)
        if session is not None:
            self.refuse(session.id, code, reason)

    def hash_of(self, address: str) -> str:
        """Return the keyed hash that stands for an address in the arena's file."""
        return self._traffic.hash_of(address)

    def write(self, row: Write) -> None:
        """Have a row written."""
        self._effects.write(row)

    def page_of(self, kind: str, name: str) -> str:
        """Return the public address of the page of an engine or a game."""
        return f"{self.settings.address}/{kind}/{name}"

    def _join(self, session: ArenaSession, join: Join, now: float) -> None:
        try:
            self._check_address(session, join.name, now)
            hosts = self.settings.hosts or (session.host,)
            engine, is_new = self.registry.join(join, session.nonce, hosts, utc_now())
        except JoinError as error:
            self.refuse(session.id, error.code, error.reason, error.again)
            return
        if is_new and (allowance := self._traffic.registered(session.address, now)):
            self._effects.write(allowance)
        self.sessions.joined(session, engine.name, is_new=is_new)
        session.takes_challenges = join.challenges
        ratings = {
            name: pool.rating(engine.name)
            for name, pool in sorted(self.pools.items())
            if pool.games[engine.name]
        }
        page = self.page_of("engines", engine.slug)
        self._effects.send(
            session.id, Welcome(engine.slug, page, ratings, is_new, self.play.game_of(engine.name))
        )
        # `oddly join` sends the first word of the name for who names no family.
        silent = skeleton(engine.family), skeleton(plain_name(join.name).split()[0])
        if skeleton(plain_name(join.family)) not in silent:
            self.note(engine.name, f"{engine.name} stays in the family {engine.family!r}")
        for each in self.registry.family(engine.family) if is_new else [engine]:
            if (text := NO_GAMES.get(each.state)) is not None:
                self.note(each.name, text)
        self.sessions.ping(engine.name, now)
        self.play.go_on(engine.name, now)

    def _check_address(self, session: ArenaSession, name: str, now: float) -> None:
        """Raise JoinError for a new engine from an address that has registered too many."""
        is_known = skeleton(name) in self.registry.engines
        if not is_known and not self._traffic.may_register(session.address, now):
            most = self.settings.limits.engines_a_day
            reason = f"{session.address} has registered {counted(most, 'engine')} within a day"
            raise JoinError("too-many", reason, REGISTER_AGAIN)
