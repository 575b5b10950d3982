"""A request to open a game on the page, why one is refused, and the terms that the game gets.

The terms are its players, its clock, the level of its engine.
"""

from __future__ import annotations

import math
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

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
        """Return the terms with a player renamed. Raises ValueError with a sentence."""
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


Word = Annotated[str, Field(max_length=40)]


class GameRequest(BaseModel):
    """A request to open a game. `turns` are those of a resumed game."""

    model_config = ConfigDict(strict=True, extra="forbid")

    game: Word
    size: int
    settings: Annotated[dict[Word, Word], Field(max_length=8)] = {}
    seats: tuple[Word, Word]
    seconds: int = 1
    terms: Terms = Terms()
    turns: list[Annotated[str, Field(max_length=16)]] = []
    exhibition: bool = False
    """Whether engines alone may play it."""

    def without_turns(self) -> str:
        """Return the request as JSON, without the turns, which are part of the game's state."""
        return self.model_dump_json(exclude={"turns"})

    def rematch(self, names: tuple[str, str], *, exchanged: bool) -> GameRequest:
        """Return the request for a rematch, with the seats exchanged or not."""
        seats = self.seats
        if exchanged:
            seats, names = (seats[1], seats[0]), (names[1], names[0])
        terms = self.terms.model_copy(update={"names": names})
        return self.model_copy(update={"seats": seats, "terms": terms, "turns": []})


GAME_NAMES = TypeAdapter(
    Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=200)]
)
"""Reads the ids or keys of games."""


class GameRequestError(Exception):
    """A game that cannot be opened. The message is one sentence, `status` the HTTP status."""

    def __init__(self, sentence: str, status: int = 422, game: str = "", wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.status = status
        self.game = game
        """The id of a game that can be looked at instead."""
        self.wait = wait
        """The seconds after which the request may succeed; 0 if that is not known."""


def what_is_wrong(error: ValidationError) -> str:
    """Return a sentence on the first thing that is wrong with a request."""
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, problem["loc"])) or "the request"
    return f"{place}: {problem['msg']}."


def too_many_openings(wait: float) -> str:
    """Return the sentence for an address that must `wait` that many seconds to open a game."""
    return f"Many games were opened from your address: wait {math.ceil(wait / 60)} min."
