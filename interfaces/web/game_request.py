"""A request to open a game on the page, and why one is refused."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from oddly.interfaces.web.terms import Terms

Word = Annotated[str, Field(max_length=40)]


class GameRequest(BaseModel):
    """A request to open a game. `turns` are those of a game to resume."""

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
        """Return the request of the game that follows, the players in exchanged seats or not."""
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

    def __init__(self, sentence: str, status: int = 422, game: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.game = game
        """The id of a game that can be looked at instead."""


def too_many_openings(wait: float) -> str:
    """Return the sentence for an address that must `wait` that many seconds to open a game."""
    return f"Many games were opened from your address: wait {math.ceil(wait / 60)} min."
