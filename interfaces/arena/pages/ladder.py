"""The ranking in a pool, as tables show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.registry import skeleton

if TYPE_CHECKING:
    from oddly.arena.arena import Arena
    from oddly.arena.pool import RatedPool


class LadderRow(NamedTuple):
    """An engine in a pool."""

    rank: int
    name: str
    slug: str
    owner: str
    elo: float
    error: float
    """Half the 95 % interval."""
    games: int
    won: int
    drawn: int
    lost: int
    is_provisional: bool
    is_online: bool


def ladder_of(arena: Arena, pool: RatedPool) -> list[LadderRow]:
    """Return the engines with a game that counts, the highest rating first."""
    rows: list[LadderRow] = []
    for name, rating in pool.ratings().items():
        engine = arena.registry.engines.get(skeleton(name))
        if engine is None or not rating.games:
            continue
        won, drawn = pool.won[name], pool.drawn[name]
        rows.append(
            LadderRow(
                len(rows) + 1, name, engine.slug, engine.owner, rating.elo, rating.error,
                rating.games, won, drawn, rating.games - won - drawn, rating.provisional,
                name in arena.sessions.online,
            )
        )  # fmt: skip
    return rows


def slug_of(arena: Arena, name: str) -> str:
    """Return the slug of an engine; empty if no engine has that name.

    An engine that was renamed is found by its old name too.
    """
    registry = arena.registry
    engine = registry.engines.get(skeleton(name))
    if engine is None:
        engine = registry.engines.get(skeleton(registry.renamed.get(skeleton(name), "")))
    return "" if engine is None else engine.slug
