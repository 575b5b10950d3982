"""A game as it stands in the store, for who looks at it without a WebSocket: analysis, plain pages.

Nothing is played here, so a game costs no table, and no more time than to read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from oddly.games import GameError, read_game
from oddly.games.drawing.picture import Picture, touched
from oddly.games.drawing.svg import svg
from oddly.games.turns import Drops, Move
from oddly.interfaces.viewer.words import title
from oddly.interfaces.web.game_request import GameRequest, GameRequestError
from oddly.interfaces.web.game_store import GameStore, StoreError
from oddly.interfaces.web.installed_engines import HUMAN
from oddly.interfaces.web.seats import Holder, hashed
from oddly.interfaces.web.stored_state import StoredState
from oddly.interfaces.web.terms import PEOPLE
from oddly.interfaces.web.views import game_view
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from oddly.games import Game, Turn


@dataclass(frozen=True, slots=True)
class GameSoFar:
    """A game so far: its whole turns, and what a list shows of it (`summary_view`)."""

    id: str
    game: Game
    turns: tuple[Turn, ...]
    summary: Mapping[str, Any]
    seats: tuple[str, str]
    holders: tuple[Holder, ...]

    @property
    def title(self) -> str:
        """The game with its board: `Yodd, base 6`."""
        return title(self.game)

    def is_held_back(self, secrets: Collection[str]) -> bool:
        """Whether two people play it apart, so that no engine helps before the end.

        `secrets` are the hashes of those of the browser that asks: it may hold both seats.
        """
        if self.summary.get("over") or any(seat not in PEOPLE for seat in self.seats):
            return False
        held = {seat for each in self.holders if each.secret in secrets for seat in each.seats}
        return held != {0, 1} or self.seats != (HUMAN, HUMAN)

    def record(self) -> dict[str, Any]:
        """Return the game for an analysis, as plain values."""
        over = str(self.summary.get("over") or "")
        ended = {"winner": self.summary.get("winner"), "reason": over.rstrip(".")} if over else {}
        return {
            "id": self.id,
            "game": game_view(self.game),
            "players": self.summary.get("players"),
            "turns": [str(turn) for turn in self.turns],
            **ended,
        }

    def picture(self, number: int) -> str:
        """Return the board after the first `number` turns as an SVG file, the last one marked."""
        board = self.game.board
        stones = list(self.game.start().stones)
        for turn in self.turns[:number]:
            match turn:
                case Drops(drops):
                    for drop in drops:
                        stones[board.index_of(drop.vertex)] = drop.colour
                case Move(origin, destination):
                    here, there = board.index_of(origin), board.index_of(destination)
                    stones[there], stones[here] = stones[here], 0
        placed, left = touched(self.turns[number - 1] if number else None)
        said = f"{self.title}, after turn {number}" if number else f"{self.title}, the start"
        return svg(Picture(board, tuple(stones), placed, left, title=said))


class GamesSoFar:
    """The games of a store."""

    def __init__(self, store: GameStore) -> None:
        self._store = store

    def find(self, name: str) -> GameSoFar | None:
        """Return the game that an id or a key names; None if there is none.

        Raises GameRequestError if it cannot be read.
        """
        try:
            key = self._store.key(hashed(name))
            stored = self._store.game(name if key is None else key.game)
            summary = stored and self._store.summary(stored.id)
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None
        if not stored or summary is None:
            return None
        try:
            game, turns, seats = _read(stored.request, stored.state)
        except (ValidationError, GameError, NotationError):
            raise GameRequestError("This game was stored wrongly.", 404) from None
        return GameSoFar(stored.id, game, turns, summary, seats, stored.holders)


@lru_cache(maxsize=64)
def _read(request: str, state: str) -> tuple[Game, tuple[Turn, ...], tuple[str, str]]:
    """Return what the store has of a game: a page and its picture ask for the same one."""
    asked = GameRequest.model_validate_json(request)
    game = read_game(asked.game, asked.size, asked.settings)
    return game, tuple(map(parse_turn, StoredState.model_validate_json(state).turns)), asked.seats
