"""The arena's own engines: their owner is the arena itself, and they wait for guests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddly.arena.registry import (
    Owner,
    RegisteredEngine,
    Registry,
    UnfitNameError,
    plain_name,
    skeleton,
    slug,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class HouseError(ValueError):
    """House engines cannot be entered. The message is one sentence."""


def enter_house(registry: Registry, owner: str, key: str, engines: Iterable[str], now: str) -> None:
    """Register the house and its engines before any guest can take their names.

    `key` is the house's public key; an earlier key that differs is forgotten. `now` is the moment
    in UTC. Raises HouseError if a guest has one of the names.
    """
    try:
        name = plain_name(owner, "owner")
        names = [plain_name(engine) for engine in engines]
    except UnfitNameError as error:
        raise HouseError(str(error)) from None
    house = registry.owners.get(skeleton(name))
    if house is None:
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
    """Return which of the house's engines may meet each other now.

    Without `house_games`, none may; otherwise all but the engine that became free last, which waits
    for a guest.
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
