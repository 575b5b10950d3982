"""The terms of a game on the page: its players, its clock, the level of its engine."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from oddly.engines.levels import HIGHEST, NAMES
from oddly.interfaces.human_play.recording import PeopleClock  # noqa: TC001 - pydantic reads it
from oddly.interfaces.web.installed_engines import FRIEND, HUMAN

PEOPLE = (HUMAN, FRIEND)
"""Seats whose turns come from a browser."""


MAX_NAME = 24
Name = Annotated[str, Field(max_length=MAX_NAME)]


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
        one, other = (self._player(seat, seats) for seat in (0, 1))
        return (one, other) if one != other else (f"{one} #1", f"{other} #2")

    def named(self, seat: int, name: str) -> Self:
        """Return the terms with another name of a player. Raises ValueError with a sentence."""
        if len(name) > MAX_NAME or not name.isprintable():
            raise ValueError(f"A name has up to {MAX_NAME} printable characters.")
        names = (name.strip(), self.names[1]) if seat == 0 else (self.names[0], name.strip())
        return self.model_copy(update={"names": names})

    def _player(self, seat: int, seats: tuple[str, str]) -> str:
        name = seats[seat]
        if name in PEOPLE:
            # Nobody is called a friend in a record.
            unnamed = f"player {seat + 1}" if FRIEND in seats else name
            return self.names[seat].strip() or unnamed
        return f"{name}, {NAMES[self.level - 1]}" if self.level else name
