"""The terms of a game on the page: the players' names, an engine's level, a clock for people."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from oddly.engines.levels import HIGHEST, NAMES
from oddly.interfaces.human_play.people_clock import PeopleClock  # noqa: TC001 - pydantic reads it
from oddly.interfaces.web.links import PEOPLE

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
