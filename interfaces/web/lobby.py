"""The games on the page: opened, found by a link, and put away when nobody watches."""

from __future__ import annotations

import secrets
import sys
import traceback
from typing import TYPE_CHECKING, Annotated

import trio
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from oddly.game_records import KeptGame
from oddly.games import GameError, IllegalTurn, read_game
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.human_play.recording import record_of
from oddly.interfaces.web.game_store import StoredGame, StoreError
from oddly.interfaces.web.page_game import PageGame
from oddly.interfaces.web.stored_state import StoredState
from oddly.interfaces.web.terms import PEOPLE, Terms, links_for
from oddly.protocol import NotationError, parse_turn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oddly.interfaces.web.game_store import GamesFile, GameStore
    from oddly.interfaces.web.installed_engines import InstalledEngine
    from oddly.interfaces.web.security import Bounds
    from oddly.interfaces.web.terms import GameLink
    from oddly.referee import EngineConfiguration, GameRecord

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
    terms: Terms = Terms()
    turns: list[Annotated[str, Field(max_length=16)]] = []

    def without_turns(self) -> str:
        """Return the request as JSON, without the turns, which are part of the game's state."""
        return self.model_dump_json(exclude={"turns"})


KEYS = TypeAdapter(Annotated[list[Annotated[str, Field(max_length=64)]], Field(max_length=200)])


class GameRequestError(Exception):
    """A game that cannot be opened. The message is one sentence, `status` the HTTP status."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


class Lobby:
    """The games that are open, by their ids. All others are in the store."""

    def __init__(
        self,
        nursery: trio.Nursery,
        opponents: Mapping[str, InstalledEngine],
        bounds: Bounds,
        file: GamesFile,
        store: GameStore,
    ) -> None:
        self.games: dict[str, PageGame] = {}
        self.opponents = opponents
        self._nursery = nursery
        self._bounds = bounds
        self._file = file
        self._store = store
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
        links = links_for(name, request.seats)
        game = self._game(name, request, links, current, configurations, ())
        state, summary = game.state()
        stored = StoredGame(name, request.without_turns(), state, links)
        try:
            self._store.add(stored, summary)
        except StoreError as error:
            raise GameRequestError(str(error), 507) from None
        return self._begin(game)

    def find(self, key: str) -> tuple[PageGame, GameLink] | None:
        """Return the game that a key opens, and its link; None if there is none.

        A game that was put away is fetched. Raises GameRequestError if there is no room for it.
        """
        found = self._stored(key)
        if found is None:
            return None
        link, stored = found
        if link.game in self.games:
            return self.games[link.game], link
        request, state, current = self._read(stored)
        configurations = self._configurations(request)
        self._make_room()
        times = state.times()
        game = self._game(stored.id, request, stored.links, current, configurations, times)
        return self._begin(game), link

    def kept(self, key: str) -> KeptGame | None:
        """Return the game that a key opens, so far; None if there is none.

        Raises GameRequestError if it cannot be read.
        """
        found = self._stored(key)
        if found is None:
            return None
        link, stored = found
        if link.game in self.games:
            return KeptGame(self.games[link.game].record())
        request, state, current = self._read(stored)
        times, players = state.times(), request.terms.players(request.seats)
        return KeptGame(record_of(current, players, ("", ""), times))

    def has(self, key: str) -> bool:
        """Whether a key opens a game."""
        try:
            return self._store.link(key) is not None
        except StoreError:
            return False

    def listed(self, body: bytes) -> list[dict[str, object]]:
        """Return what a list shows of the games whose keys a JSON array has.

        Raises GameRequestError.
        """
        try:
            return self._store.summaries(KEYS.validate_json(body))
        except ValidationError:
            raise GameRequestError("A list of keys is expected.", 400) from None
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None

    def _stored(self, key: str) -> tuple[GameLink, StoredGame] | None:
        try:
            link = self._store.link(key)
            stored = None if link is None else self._store.game(link.game)
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None
        return None if link is None or stored is None else (link, stored)

    def _read(self, stored: StoredGame) -> tuple[GameRequest, StoredState, GameInProgress]:
        """Return what the store has of a game. Raises GameRequestError if it makes no sense."""
        try:
            request = GameRequest.model_validate_json(stored.request)
            state = StoredState.model_validate_json(stored.state)
            start = self._game_in_progress(request)
            return request, state, state.restored(start.game)
        except (ValidationError, IllegalTurn, NotationError) as error:
            print(f"oddly: the stored game {stored.id!r} makes no sense: {error}", file=sys.stderr)
            raise GameRequestError("This game was stored wrongly and cannot go on.", 404) from None

    def _game(
        self,
        name: str,
        request: GameRequest,
        links: tuple[GameLink, ...],
        current: GameInProgress,
        configurations: Mapping[str, EngineConfiguration],
        seconds: Sequence[float],
    ) -> PageGame:
        return PageGame(
            name,
            current,
            request.seats,
            request.terms,
            request.seconds,
            links,
            configurations,
            self._store.change,
            self._keep,
            seconds,
        )

    def _begin(self, game: PageGame) -> PageGame:
        self.games[game.name] = game
        self._nursery.start_soon(self._attend, game)
        return game

    async def look_after(self) -> None:
        """Put games away that nobody has watched for long, until cancelled."""
        while True:
            await trio.sleep(BETWEEN_LOOKS)
            limit = trio.current_time() - self._bounds.idle
            for game in [g for g in self.games.values() if not g.outboxes and g.left_at < limit]:
                self._give_up(game)

    def close(self) -> None:
        """Put all games away."""
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
            current = GameInProgress.of(read_game(request.game, request.size, request.settings))
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
        names = {name for name in request.seats if name not in PEOPLE}
        for name in names:
            if name not in self.opponents:
                raise GameRequestError(f"There is no engine {name!r} on this server.")
        if names.issuperset(request.seats):
            raise GameRequestError("One player must be human: 'oddly match' plays engines.")
        level = request.terms.level
        return {
            name: self.opponents[name].configuration(request.seconds, self._bounds, level)
            for name in names
        }

    def _make_room(self) -> None:
        """Make room for a game: put away the one left longest ago. Raises GameRequestError."""
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
