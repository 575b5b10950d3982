"""The games on the page: opened, found by their id, and closed when nobody watches."""

from __future__ import annotations

import secrets
import traceback
from typing import TYPE_CHECKING, Annotated

import trio
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from games.catalogue import create_game, read_setting
from games.errors import GameError, IllegalTurn
from interfaces.human_play.game_in_progress import GameInProgress
from interfaces.web.installed_engines import HUMAN
from interfaces.web.page_game import PageGame
from protocol.errors import NotationError
from protocol.notation import parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from interfaces.web.adviser import Adviser
    from interfaces.web.bounds import Bounds
    from interfaces.web.games_file import GamesFile
    from interfaces.web.installed_engines import InstalledEngine
    from referee.player import EngineConfiguration
    from referee.record import GameRecord

BETWEEN_LOOKS = 30.0
"""Seconds between two searches for abandoned games."""

Word = Annotated[str, Field(max_length=40)]


class GameRequest(BaseModel):
    """A request to open a game. `turns` are those of a game to resume."""

    model_config = ConfigDict(strict=True, extra="forbid")

    game: Word
    size: int
    settings: Annotated[dict[Word, Word], Field(max_length=8)] = {}
    seats: tuple[Word, Word]
    seconds: int = 1
    turns: list[Annotated[str, Field(max_length=16)]] = []


class GameRequestError(Exception):
    """A game that cannot be opened. The message is one sentence, `status` the HTTP status."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


class Lobby:
    """The games by their ids, which nobody can guess."""

    def __init__(
        self,
        nursery: trio.Nursery,
        opponents: Mapping[str, InstalledEngine],
        bounds: Bounds,
        file: GamesFile,
        adviser: Adviser,
    ) -> None:
        self.games: dict[str, PageGame] = {}
        self.opponents = opponents
        self._nursery = nursery
        self._bounds = bounds
        self._file = file
        self._adviser = adviser
        self._attended = 0
        """Games whose engines may run, including games that were just closed."""

    def open(self, body: bytes) -> PageGame:
        """Open and return the game that a request describes in JSON. Raises GameRequestError."""
        try:
            request = GameRequest.model_validate_json(body)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, problem["loc"])) or "the request"
            raise GameRequestError(f"{place}: {problem['msg']}.", 400) from None
        current = self._game_in_progress(request)
        configurations = self._configurations(request)
        self._make_room()
        name = secrets.token_urlsafe(18)
        game = PageGame(
            name, current, request.seats, configurations, self._keep, self._adviser, self._nursery
        )
        self.games[name] = game
        self._nursery.start_soon(self._attend, game)
        return game

    async def look_after(self) -> None:
        """Close games that nobody has watched for long, until cancelled."""
        while True:
            await trio.sleep(BETWEEN_LOOKS)
            limit = trio.current_time() - self._bounds.idle
            for game in [g for g in self.games.values() if not g.outboxes and g.left_at < limit]:
                self._give_up(game)

    def close(self) -> None:
        """Close all games."""
        for game in list(self.games.values()):
            self._give_up(game)

    async def _attend(self, game: PageGame) -> None:
        """Run one game. A bug in it ends this game alone."""
        self._attended += 1
        try:
            await game.attend()
        except Exception as error:
            traceback.print_exception(error)
            self._give_up(game)
        finally:
            self._attended -= 1

    def _game_in_progress(self, request: GameRequest) -> GameInProgress:
        if len(request.turns) > self._bounds.turns:
            raise GameRequestError(f"A game may have {self._bounds.turns} turns.")
        try:
            settings = {
                name: read_setting(request.game, name, text)
                for name, text in request.settings.items()
            }
            current = GameInProgress.of(create_game(request.game, request.size, settings))
            for number, text in enumerate(request.turns, start=1):
                try:
                    current = current.play(parse_turn(text))
                except (IllegalTurn, NotationError) as error:
                    raise GameRequestError(f"Turn {number}, {text}: {error}.") from None
        except GameError as error:
            raise GameRequestError(f"{error}.") from None
        return current

    def _configurations(self, request: GameRequest) -> dict[str, EngineConfiguration]:
        if request.seconds not in self._bounds.seconds:
            known = ", ".join(map(str, self._bounds.seconds))
            raise GameRequestError(
                f"An engine's time is one of {known} seconds, not {request.seconds}."
            )
        names = {name for name in request.seats if name != HUMAN}
        for name in names:
            if name not in self.opponents:
                raise GameRequestError(f"There is no engine {name!r} on this server.")
        if HUMAN not in request.seats:
            raise GameRequestError("One player must be human: 'oddly match' plays engines.")
        return {n: self.opponents[n].configuration(request.seconds, self._bounds) for n in names}

    def _make_room(self) -> None:
        """Make room for a game, by closing the one left longest ago. Raises GameRequestError."""
        if self._attended >= 2 * self._bounds.games:
            raise GameRequestError(
                "Engines of closed games are still stopping. Try again in a moment.", 503
            )
        if len(self.games) < self._bounds.games:
            return
        left = [game for game in self.games.values() if not game.outboxes]
        if not left:
            raise GameRequestError(
                f"All {self._bounds.games} tables are taken. Close another game first.", 503
            )
        self._give_up(min(left, key=lambda game: game.left_at))

    def _give_up(self, game: PageGame) -> None:
        self.games.pop(game.name, None)
        game.close()

    def _keep(self, name: str, record: GameRecord) -> str:
        """Record a finished game. Returns a notice for the players, or nothing."""
        self._file.keep(name, record)
        return self._file.failure
