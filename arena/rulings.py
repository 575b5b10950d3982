"""The keeper's orders: each is checked against everything the arena knows, then carried out.

A ruling is kept for ever with its time and its reason, and everybody may read it.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.effects import Invited, OrderDone, Renamed, Ruled
from oddly.arena.names import UnfitNameError, check_new, plain_name, skeleton
from oddly.arena.registry import EngineState, Owner, RegisteredEngine
from oddly.arena.wire.proof import same_key
from oddly.games import did_you_mean, one_line

if TYPE_CHECKING:
    from oddly.arena.arena import Arena
    from oddly.arena.pool import RatedPool


RULINGS = ("annul", "restore", "retire", "pardon", "ban", "unban", "rename", "hand-over")
"""The orders that are put on record, with a reason."""
KINDS = (*RULINGS, "invite")
WITH_VALUE = ("rename", "hand-over")
MAX_REASON = 400
MAX_INVITED = 10_000


class OrderError(ValueError):
    """An order that cannot be carried out. The message is one sentence."""


class NotNowError(Exception):
    """An order has to wait, because a game is running. The message is one sentence."""


class KeeperOrder(NamedTuple):
    """An order: what the keeper wants done."""

    kind: str
    name: str = ""
    """A game, an engine or an owner; for an invitation, the number of engines it may register."""
    value: str = ""
    """The new name or key."""
    reason: str = ""
    number: int = 0


class KnownGame(NamedTuple):
    """A game, from the store."""

    id: str
    pool: str
    first: str
    second: str
    winner: int | None
    counts: bool
    """Whether it counts now."""
    never_counts: bool
    """Whether it is void or unrated, and can never count."""
    is_over: bool


def answer(arena: Arena, order: KeeperOrder, game: KnownGame | None, now: float) -> None:
    """Carry out an order, or refuse it; its answer is in the same batch. Raises NotNowError."""
    try:
        done = OrderDone(order.number, obey(arena, order, game, now), is_refused=False)
    except OrderError as error:
        done = OrderDone(order.number, str(error), is_refused=True)
    arena.write(done)


def obey(arena: Arena, order: KeeperOrder, game: KnownGame | None, now: float) -> str:
    """Carry out an order, and return a sentence on what was done.

    `game` is the game of that name in the store, if there is one. Raises OrderError, and
    NotNowError.
    """
    if order.kind == "invite":
        return _invite(arena, order.name)
    reason = one_line(order.reason.strip(), MAX_REASON + 1)
    if not 0 < len(reason) <= MAX_REASON:
        raise OrderError(f"{order.kind} needs a reason of 1 to {MAX_REASON} characters")
    if order.kind not in RULINGS:
        raise OrderError(
            f"there is no order {one_line(order.kind)!r}{did_you_mean(order.kind, KINDS)}"
        )
    order = order._replace(reason=reason)
    game = _over(arena, game)
    match order.kind:
        case "annul":
            subject = _annul(arena, order, game, now)
        case "restore":
            subject = _restore(arena, order, game)
        case "ban" | "unban":
            subject = _ban(arena, order, now)
        case "hand-over":
            subject = _hand_over(arena, order)
        case "rename":
            subject = _rename(arena, order)
        case _:
            subject = _rule_on_engine(arena, order)
    ruled = Ruled(order.kind, subject, order.name, order.value, reason)
    arena.write(ruled)
    return ruled.sentence()


def _over(arena: Arena, game: KnownGame | None) -> KnownGame | None:
    """Return a game if it is over. Raises NotNowError if the store does not have its end yet."""
    if game is None or game.is_over:
        return game
    if game.id not in arena.play.games:
        raise NotNowError(f"game {game.id} is over, and the store does not have its end yet")
    return None


def _annul(arena: Arena, order: KeeperOrder, game: KnownGame | None, now: float) -> str:
    if order.name in arena.play.games:
        arena.play.void(order.name, f"annulled by the keeper: {order.reason}", now)
        return "game"
    if game is None:
        raise OrderError(f"there is no game {one_line(order.name)!r}")
    if not game.counts:
        how = "void or unrated: it counts for nobody" if game.never_counts else "annulled already"
        raise OrderError(f"game {game.id} is {how}")
    pool = _pool_of(arena, game)
    pool.uncount(game.first, game.second, game.winner)
    arena.play.rate(pool, (game.first, game.second))
    return "game"


def _restore(arena: Arena, order: KeeperOrder, game: KnownGame | None) -> str:
    # In an older file an engine may be called like a game.
    if game is not None and order.name in (each.name for each in arena.registry.engines.values()):
        is_away = arena.registry.engine(order.name).state is not EngineState.PLAYS
        if is_away and not (game.counts or game.never_counts):
            raise OrderError(
                f"{order.name!r} is an annulled game, and an engine that does not play: rename the "
                "engine first"
            )
        if is_away:
            game = None
    return _rule_on_engine(arena, order) if game is None else _restore_game(arena, game)


def _restore_game(arena: Arena, game: KnownGame) -> str:
    if game.counts or game.never_counts:
        raise OrderError(f"game {game.id} is not annulled")
    pool = _pool_of(arena, game)
    pool.count(game.first, game.second, game.winner)
    arena.play.rate(pool, (game.first, game.second))
    return "game"


def _pool_of(arena: Arena, game: KnownGame) -> RatedPool:
    """Return the pool of a game. Raises OrderError."""
    if game.pool not in arena.pools:
        raise OrderError(f"the arena has no pool {game.pool!r} any more, in which {game.id} was")
    return arena.pools[game.pool]


def _rule_on_engine(arena: Arena, order: KeeperOrder) -> str:
    engine = _engine(arena, order.name)
    if order.kind == "pardon":
        arena.play.resting.pardon(engine.name)
        arena.note(engine.name, f"the keeper pardons it: {order.reason}")
    elif order.kind == "retire":
        if engine.state is EngineState.RETIRED:
            raise OrderError(f"the engine {engine.name!r} is retired already")
        arena.registry.set_state(engine.name, EngineState.RETIRED)
        arena.note(engine.name, f"the keeper retires it: {order.reason}")
    else:
        if engine.state is EngineState.PLAYS:
            raise OrderError(f"the engine {engine.name!r} is not retired")
        arena.registry.set_state(engine.name, EngineState.PLAYS)
        arena.note(engine.name, f"the keeper calls it back: {order.reason}")
    return "engine"


def _ban(arena: Arena, order: KeeperOrder, now: float) -> str:
    owner = _owner(arena, order.name)
    if owner.is_house:
        raise OrderError("the house cannot ban itself: take its engines out of the file")
    if bool(owner.banned) == (order.kind == "ban"):
        raise OrderError(f"the owner {owner.name!r} is {'' if owner.banned else 'not '}banned")
    if order.kind == "unban":
        arena.registry.ban(owner.name, "")
        return "owner"
    arena.registry.ban(owner.name, order.reason)
    for engine in arena.registry.engines.values():
        if engine.owner != owner.name:
            continue
        game = arena.play.playing.get(engine.name)
        if game is not None:
            said = f"the owner of {engine.name} was banned: {order.reason}"
            arena.play.void(game.id, said, now)
        arena.turn_out(engine.name, "banned", f"the owner {owner.name!r} is banned: {order.reason}")
    return "owner"


def _hand_over(arena: Arena, order: KeeperOrder) -> str:
    owner = _owner(arena, order.name)
    try:
        holders = arena.registry.owners_of(same_key(order.value))
        if any(other is not owner for other in holders):
            raise OrderError(f"that key is the one of the owner {holders[0].name!r}")
        arena.registry.hand_over(owner.name, order.value)
    except ValueError as error:
        raise OrderError(f"{one_line(order.value)!r} is no public key: {error}") from None
    for engine in arena.registry.engines.values():
        if engine.owner == owner.name:
            arena.turn_out(engine.name, "name-taken", "the keeper gave its owner a new key")
    return "owner"


def _rename(arena: Arena, order: KeeperOrder) -> str:
    engine, registry = _engine(arena, order.name), arena.registry
    # If this order waited for a game, the engine plays on even if it is refused now.
    arena.paused.discard(engine.name)
    try:
        new = plain_name(order.value)
        check_new(new)
    except UnfitNameError as error:
        raise OrderError(str(error)) from None
    if new != order.value:
        raise OrderError(f"{one_line(order.value)!r} is no plain name: did you mean {new!r}?")
    other = registry.engines.get(skeleton(new))
    if other is not None and other is not engine:
        raise OrderError(f"{new!r} is too much like {other.name!r}")
    if (had := registry.renamed.get(skeleton(new), engine.name)) != engine.name:
        raise OrderError(f"{new!r} was a name of {had!r}: no other engine can have it")
    if new == engine.name:
        raise OrderError("that is the engine's name already")
    if engine.name in arena.play.playing:
        arena.paused.add(engine.name)
        raise NotNowError(f"{engine.name!r} is in a game: it is renamed when that is over")
    old, old_slug = engine.name, engine.slug
    arena.turn_out(old, "name-taken", f"the keeper has renamed it: join as {new!r}")
    registry.rename(engine, new)
    arena.play.rename(old, new)
    for pool in arena.pools.values():
        pool.rename(old, new)
    arena.write(Renamed(old, old_slug, new, engine.slug))
    return "engine"


def _invite(arena: Arena, text: str) -> str:
    is_short = text.isascii() and text.isdigit() and len(text) <= len(str(MAX_INVITED))
    number = int(text) if is_short else 0
    if not 0 < number <= MAX_INVITED:
        raise OrderError(f"an invitation is for 1 to {MAX_INVITED} engines, not {one_line(text)!r}")
    code = secrets.token_urlsafe(12)
    arena.registry.invitations[code] = number
    arena.write(Invited(code, number))
    return code


def _engine(arena: Arena, name: str) -> RegisteredEngine:
    """Return an engine. Raises OrderError."""
    try:
        return arena.registry.engine(name)
    except KeyError:
        known = [engine.name for engine in arena.registry.engines.values()]
        raise OrderError(
            f"there is no engine {one_line(name)!r}{did_you_mean(name, known)}"
        ) from None


def _owner(arena: Arena, name: str) -> Owner:
    """Return an owner. Raises OrderError."""
    found = arena.registry.owners.get(skeleton(name))
    if found is None or found.name != name:
        known = [owner.name for owner in arena.registry.owners.values()]
        raise OrderError(f"there is no owner {one_line(name)!r}{did_you_mean(name, known)}")
    return found
