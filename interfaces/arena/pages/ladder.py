"""Who stands where in a pool, as tables show it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from oddly.arena.names import skeleton

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


class Met(NamedTuple):
    """What an engine did against another one in a pool, in one seat."""

    opponent: str
    slug: str
    opened: bool
    won: int
    drawn: int
    lost: int


def ladder_of(arena: Arena, pool: RatedPool) -> list[LadderRow]:
    """Return the engines with a game that counts, the highest rating first."""
    won: Counter[str] = Counter()
    drawn: Counter[str] = Counter()
    for (first, second, winner), games in pool.outcomes.items():
        if winner is None:
            drawn[first] += games
            drawn[second] += games
        else:
            won[(first, second)[winner]] += games
    rows: list[LadderRow] = []
    for name, rating in pool.ratings().items():
        engine = arena.registry.engines.get(skeleton(name))
        if engine is None or not rating.games:
            continue
        lost = rating.games - won[name] - drawn[name]
        rows.append(
            LadderRow(
                len(rows) + 1, name, engine.slug, engine.owner, rating.elo, rating.error,
                rating.games, won[name], drawn[name], lost, rating.provisional,
                name in arena.sessions.online,
            )
        )  # fmt: skip
    return rows


def opponents_of(arena: Arena, pool: RatedPool, name: str) -> list[Met]:
    """Return an engine's results by opponent and seat, the opponent with most games first."""
    found: dict[tuple[str, bool], list[int]] = {}
    games: Counter[str] = Counter()
    for (first, second, winner), number in pool.outcomes.items():
        if name not in (first, second) or not number:
            continue
        opened = name == first
        other = second if opened else first
        games[other] += number
        place = 1 if winner is None else 0 if winner == (0 if opened else 1) else 2
        found.setdefault((other, opened), [0, 0, 0])[place] += number
    order = sorted(found, key=lambda key: (-games[key[0]], key[0], not key[1]))
    return [
        Met(other, slug_of(arena, other), opened, *found[other, opened]) for other, opened in order
    ]


def slug_of(arena: Arena, name: str) -> str:
    """Return the slug of an engine; empty if nobody has that name any more."""
    engine = arena.registry.engines.get(skeleton(name))
    return "" if engine is None else engine.slug
