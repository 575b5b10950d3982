"""The terms of a game on the page: the players' names, an engine's level, a clock for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engines.levels import HIGHEST, NAMES
from interfaces.web.links import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Sequence

Name = Annotated[str, Field(max_length=24)]
MAX_MAIN_SECONDS = 7 * 86_400
MAX_INCREMENT = 3 * 86_400
MIN_MAIN_SECONDS = 10


class PeopleClock(BaseModel):
    """Seconds for the whole game, and seconds that each turn adds."""

    model_config = ConfigDict(strict=True, extra="forbid")

    main: Annotated[int, Field(ge=MIN_MAIN_SECONDS, le=MAX_MAIN_SECONDS)]
    increment: Annotated[int, Field(ge=0, le=MAX_INCREMENT)] = 0

    def left(self, seat: int, spent: Sequence[float]) -> float:
        """Return what a seat has left after turns that took these seconds, the first one free."""
        return self.main + sum(self.increment - seconds for seconds in spent[seat or 2 :: 2])


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
