"""The secret links of a game: one for each seat, one for its owner, and one to look on."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

from oddly.interfaces.web.installed_engines import FRIEND, HUMAN

if TYPE_CHECKING:
    from collections.abc import Iterable

KEY_BYTES = 18
PEOPLE = (HUMAN, FRIEND)
"""Seats whose turns come from a browser."""


class GameLink(NamedTuple):
    """A key that nobody can guess, and what a browser that has it may do in a game."""

    key: str
    game: str
    seats: tuple[int, ...]
    """The seats that its holder plays; none for a spectator."""
    is_owner: bool = False
    """Whether the holder opened the game, and so hands out the links to the other seats."""


def links_for(game: str, seats: tuple[str, str]) -> tuple[GameLink, ...]:
    """Return new links to a game: the owner's first, the spectators' last."""
    people = [seat for seat, name in enumerate(seats) if name in PEOPLE]
    own = tuple(seat for seat in people if seats[seat] == HUMAN)
    return (
        GameLink(_key(), game, own, is_owner=True),
        *(GameLink(_key(), game, (seat,)) for seat in people if (seat,) != own),
        GameLink(_key(), game, ()),
    )


def shown_links(links: Iterable[GameLink], viewer: GameLink) -> list[dict[str, object]]:
    """Return the links that a viewer may pass on: all of them for the owner, else the last one."""
    return [
        {"key": link.key, "seat": link.seats[0] if link.seats else None}
        for link in links
        if not link.is_owner and (viewer.is_owner or not link.seats)
    ]


def _key() -> str:
    return secrets.token_urlsafe(KEY_BYTES)
