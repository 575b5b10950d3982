"""The terms of a game on the page: its links, its players, its clock."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from oddly.engines.levels import HIGHEST, NAMES
from oddly.interfaces.human_play.recording import PeopleClock  # noqa: TC001 - pydantic reads it
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


Name = Annotated[str, Field(max_length=24)]


class Terms(BaseModel):
    """What both players know of a game besides its rules."""

    model_config = ConfigDict(strict=True, extra="forbid")

    level: Annotated[int, Field(ge=0, le=HIGHEST)] = 0
    """How well an engine with levels plays; 0 for as well as it can."""
    names: tuple[Name, Name] = ("", "")
    clock: PeopleClock | None = None

    @model_validator(mode="after")
    def _printable(self) -> Self:
        if not all(name.isprintable() for name in self.names):
            raise ValueError("a name is printable text")
        return self

    def players(self, seats: tuple[str, str]) -> tuple[str, str]:
        """Return the names of both players, numbered if they are equal."""
        one, other = (self._player(seat, seats[seat]) for seat in (0, 1))
        return (one, other) if one != other else (f"{one} #1", f"{other} #2")

    def _player(self, seat: int, name: str) -> str:
        if name in PEOPLE:
            return self.names[seat].strip() or name
        return f"{name}, {NAMES[self.level - 1]}" if self.level else name
