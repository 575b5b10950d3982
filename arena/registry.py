"""Owners, families and engines with their keys, and the rules by which they join.

An engine is one version; a family has the versions of one engine: the newest plays and the others
rest. Anyone with an owner's key speaks for the owner. Everything here is kept in the store;
`changed` has the engines and owners to be written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.names import MAX_NAME, UnfitNameError, check_new, plain_name, skeleton, slug
from oddly.arena.wire.proof import is_proof, same_key
from oddly.games.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oddly.arena.wire.messages import Join


class EngineState(Enum):
    """Whether an engine gets games."""

    PLAYS = "plays"
    RESTS = "rests"
    """A newer version plays; this one can be called back."""
    RETIRED = "retired"
    """By a ruling."""


class RegistrationPolicy(Enum):
    """Who may register an engine."""

    OPEN = "open"
    INVITATION = "invitation"
    CLOSED = "closed"


@dataclass(slots=True)
class Owner:
    """Who answers for engines."""

    name: str
    key: str
    """The Ed25519 public key that the owner's clients hold."""
    is_house: bool = False
    """Whether the owner is the arena itself, whose engines may meet each other."""
    banned: str = ""
    """Why the owner is banned; empty if not."""
    created: str = ""


@dataclass(slots=True)
class RegisteredEngine:
    """An engine: one version of a family."""

    slug: str
    name: str
    family: str
    owner: str
    key: str
    program: str = ""
    about: str = ""
    pools: tuple[str, ...] = ()
    """The pools in which it plays; none for all."""
    state: EngineState = EngineState.PLAYS
    created: str = ""
    seen: str = ""
    """The time of its last connection, in UTC."""


class RegistryLimits(NamedTuple):
    """The maximum number of engines, of one owner and in all."""

    of_owner: int = 20
    of_all: int = 5000


class JoinError(Exception):
    """An engine's side is refused: the code of the wire, a sentence, and when to try again."""

    def __init__(self, code: str, reason: str, again: float | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.again = again


@dataclass(slots=True)
class Registry:
    """Everything that is registered. Names are found by their skeletons."""

    policy: RegistrationPolicy = RegistrationPolicy.OPEN
    limits: RegistryLimits = field(default_factory=RegistryLimits)
    owners: dict[str, Owner] = field(default_factory=dict)
    """By the skeleton of the name."""
    engines: dict[str, RegisteredEngine] = field(default_factory=dict)
    """By the skeleton of the name."""
    invitations: Counter[str] = field(default_factory=Counter)
    """The number of engines that each invitation may still register."""
    changed: list[Owner | RegisteredEngine] = field(default_factory=list)
    used_invitations: list[str] = field(default_factory=list)
    own_games: bool = False
    """Whether engines of one owner meet each other."""
    renamed: dict[str, str] = field(default_factory=dict)
    """The present names of renamed engines, by the skeletons of all their former names."""
    first_names: dict[str, str] = field(default_factory=dict)
    """The names with which renamed engines registered, by their present names."""

    def load(self, owners: Iterable[Owner], engines: Iterable[RegisteredEngine]) -> None:
        """Load the owners and engines of the store."""
        self.owners = {skeleton(owner.name): owner for owner in owners}
        self.engines = {skeleton(engine.name): engine for engine in engines}

    def was_renamed(self, names: Iterable[tuple[str, str]]) -> None:
        """Load the names that the keeper gave in their order, each after the one it replaced."""
        for old, new in names:
            self._follow(old, new)

    def present_name(self, name: str) -> str:
        """Return what an engine with that name, now or formerly, is called now.

        The name may be nobody's: then it is returned as it is.
        """
        found = self.alike(name)
        if found is None and len(name) <= MAX_NAME:
            return self.renamed.get(skeleton(name), name)
        return name if found is None else found.name

    def engine(self, name: str) -> RegisteredEngine:
        """Return the engine with exactly this name. Raises KeyError."""
        found = self.engines[skeleton(name)]
        if found.name != name:
            raise KeyError(name)
        return found

    def alike(self, text: str) -> RegisteredEngine | None:
        """Return the engine whose name equals a text, or looks like it; None if there is none."""
        # `skeleton` remembers its argument, and a stranger's text may be long.
        return self.engines.get(skeleton(text)) if len(text) <= MAX_NAME else None

    def called(self, text: str) -> RegisteredEngine | None:
        """Return the engine whose name, now or formerly, equals a text, or looks like it."""
        return self.alike(self.present_name(text))

    def by_slug(self, text: str) -> RegisteredEngine | None:
        """Return the engine with that slug; None if there is none."""
        found = self.alike(text)
        return found if found is not None and found.slug == text else None

    def family(self, name: str) -> list[RegisteredEngine]:
        """Return the versions of a family, the oldest first."""
        wanted = skeleton(name)
        return [each for each in self.engines.values() if skeleton(each.family) == wanted]

    def owner(self, name: str) -> Owner:
        """Return an owner. Raises KeyError."""
        return self.owners[skeleton(name)]

    def may_play(self, engine: RegisteredEngine) -> bool:
        """Return whether an engine may be paired."""
        return engine.state is EngineState.PLAYS and not self.owner(engine.owner).banned

    def are_apart(self, one: RegisteredEngine, other: RegisteredEngine) -> bool:
        """Return whether two engines may meet: never in one family, under one key if allowed."""
        if skeleton(one.family) == skeleton(other.family):
            return False
        owner = self.owner(one.owner)
        return self.own_games or owner.key != self.owner(other.owner).key or owner.is_house

    def join(
        self, join: Join, nonce: str, hosts: Sequence[str], now: str
    ) -> tuple[RegisteredEngine, bool]:
        """Return the engine that joins, and whether it is new. Raises JoinError.

        `nonce` is this connection's, `hosts` are those that the client may have dialled, and `now`
        is the time in UTC.
        """
        if not any(is_proof(join.key, join.proof, nonce, host, join.name) for host in hosts):
            shown = " or ".join(repr(host) for host in hosts)
            raise JoinError("bad-proof", f"the proof is not valid for {shown} and this key")
        key = same_key(join.key)
        try:
            name, family = plain_name(join.name), plain_name(join.family, "family")
            owner_name = plain_name(join.owner or join.family, "owner")
            if (found := self.engines.get(skeleton(name))) is None:
                check_new(name)
        except UnfitNameError as error:
            raise JoinError("bad-message", f"{error}") from None
        if found is None:
            if new_name := self.renamed.get(skeleton(name)):
                raise JoinError("name-taken", f"{name!r} was renamed: it plays as {new_name!r}")
            owner = self._admit(join, key, family, owner_name, now)
            return self._register(join, name, family, owner, now), True
        self._check_known(found, name, key, join.owner and owner_name)
        found.seen = now
        found.program, found.about, found.pools = join.program, join.about, join.pools
        self.changed.append(found)
        return found, False

    def _check_known(self, found: RegisteredEngine, name: str, key: str, owner_name: str) -> None:
        """Raise JoinError unless name and key are the known engine's, and its owner may join.

        `owner_name` is an owner with that key, or empty.
        """
        if found.key != key:
            raise JoinError("name-taken", f"the name {found.name!r} belongs to another key")
        if found.name != name:
            raise JoinError(
                "name-taken", f"the name {name!r} is too much like {found.name!r}, which is yours"
            )
        self._owner_of(key, owner_name)
        self._check_owner(self.owner(found.owner))

    def _check_owner(self, owner: Owner) -> None:
        if owner.banned:
            raise JoinError("banned", f"the owner {owner.name!r} is banned: {owner.banned}")

    def _admit(self, join: Join, key: str, family: str, owner_name: str, now: str) -> Owner:
        """Return the owner of a new engine, who may be new. Raises JoinError."""
        owner = self._owner_of(key, owner_name if join.owner else "")
        if owner is None and skeleton(owner_name) in self.owners:
            owner = self.owners[skeleton(owner_name)]
            raise JoinError("name-taken", f"the owner {owner.name!r} has another key")
        if owner is not None:
            self._check_owner(owner)
        of_family = self.family(family)
        if of_family and (owner is None or of_family[0].owner != owner.name):
            raise JoinError("name-taken", f"the family {family!r} belongs to another owner")
        self._check_room(owner)
        self._check_admission(join)
        if owner is None:
            owner = Owner(owner_name, key, created=now)
            self.owners[skeleton(owner_name)] = owner
            self.changed.append(owner)
        return owner

    def owners_of(self, key: str) -> list[Owner]:
        """Return the owners with a key: at most one, except in older files."""
        return [owner for owner in self.owners.values() if owner.key == key]

    def _owner_of(self, key: str, name: str) -> Owner | None:
        """Return the owner with a key, and with that name if one is given. Raises JoinError."""
        owners = self.owners_of(key)
        if not name or not owners:
            return next(iter(owners), None)
        for owner in owners:
            if skeleton(owner.name) == skeleton(name):
                return owner
        raise JoinError("name-taken", f"this key is that of the owner {owners[0].name!r} here")

    def _check_room(self, owner: Owner | None) -> None:
        if len(self.engines) >= self.limits.of_all:
            raise JoinError("too-many", f"this arena has room for {self.limits.of_all} engines")
        mine = sum(each.owner == owner.name for each in self.engines.values()) if owner else 0
        if mine >= self.limits.of_owner:
            most = counted(self.limits.of_owner, "engine")
            raise JoinError("too-many", f"an owner may have {most} here")

    def _check_admission(self, join: Join) -> None:
        if self.policy is RegistrationPolicy.CLOSED:
            raise JoinError("closed", "this arena takes no new engines")
        if self.policy is RegistrationPolicy.INVITATION:
            code = join.invitation or ""
            if self.invitations[code] <= 0:
                raise JoinError("not-invited", "a new engine needs an invitation of the keeper")
            self.invitations[code] -= 1
            self.used_invitations.append(code)

    def _register(
        self, join: Join, name: str, family: str, owner: Owner, now: str
    ) -> RegisteredEngine:
        """Register a version; earlier ones rest."""
        for older in self.family(family):
            if older.state is EngineState.PLAYS:
                older.state = EngineState.RESTS
                self.changed.append(older)
        engine = RegisteredEngine(
            slug(name),
            name,
            family,
            owner.name,
            owner.key,
            join.program,
            join.about,
            join.pools,
            created=now,
            seen=now,
        )
        self.engines[skeleton(name)] = engine
        self.changed.append(engine)
        return engine

    def rename(self, engine: RegisteredEngine, name: str) -> None:
        """Give an engine another name. Nobody else gets the old one."""
        self._follow(engine.name, name)
        engine.name, engine.slug = name, slug(name)
        # It keeps its place in the order of registration.
        self.engines = {skeleton(each.name): each for each in self.engines.values()}

    def _follow(self, old: str, new: str) -> None:
        """Have all former names of an engine lead to its new one."""
        self.renamed = {
            former: new if name == old else name for former, name in self.renamed.items()
        }
        self.renamed[skeleton(old)] = new
        self.first_names[new] = self.first_names.pop(old, old)
        self.renamed.pop(skeleton(new), None)

    def set_state(self, name: str, state: EngineState) -> None:
        """Let an engine play, beside a newer version of it, or give it no more games.

        Raises KeyError.
        """
        engine = self.engine(name)
        engine.state = state
        self.changed.append(engine)

    def ban(self, owner_name: str, reason: str) -> None:
        """Ban an owner's engines; an empty reason lifts the ban. Raises KeyError."""
        owner = self.owner(owner_name)
        owner.banned = reason
        self.changed.append(owner)

    def hand_over(self, owner_name: str, key: str) -> None:
        """Give an owner and the owner's engines a new key. Raises KeyError or ValueError."""
        owner = self.owner(owner_name)
        owner.key = same_key(key)
        self.changed.append(owner)
        for engine in self.engines.values():
            if engine.owner == owner.name:
                engine.key = owner.key
                self.changed.append(engine)
