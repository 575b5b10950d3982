"""Exhibitions: two engines of the server play each other, and anybody with the address watches.

An exhibition is a game on the page without people: it takes a table, is stored turn by turn,
goes on after a restart, and is recorded at its end.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse
from starlette.routing import Route

from oddly.games import GAMES, create_game
from oddly.games.wording import counted
from oddly.interfaces.serving.applications import address_of
from oddly.interfaces.viewer.viewer import title
from oddly.interfaces.web.access_policy import AccessPolicy, is_guest, refusal
from oddly.interfaces.web.game_request import GameRequest, GameRequestError, what_is_wrong
from oddly.interfaces.web.game_store import StoreError
from oddly.interfaces.web.seats import new_secret
from oddly.interfaces.web.views import ShownGame, State, picture_digest, shown

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from oddly.interfaces.web.bounds import Bounds
    from oddly.interfaces.web.lobby import Lobby
    from oddly.interfaces.web.page_files import DrawnPages

LISTED = 24
"""The latest exhibitions, which are listed."""
MAX_VERTICES = 250
"""The largest board that is offered; on larger ones a game takes hours."""

Word = Annotated[str, Field(max_length=40)]


class ExhibitionRequest(BaseModel):
    """Which engines play which game."""

    model_config = ConfigDict(strict=True, extra="forbid")

    game: Word
    size: int
    first: Word
    second: Word
    seconds: int = 1


class Exhibitions:
    """The exhibitions of a server. They outlive a restart, and the latest are listed."""

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self.latest: deque[str] = deque(maxlen=LISTED)
        self._read: dict[str, tuple[str, ShownGame]] = {}
        """Listed games that nobody plays now, with the states they were read from."""
        with suppress(StoreError):
            self.latest.extend(lobby.store.exhibitions(LISTED))

    def open(self, body: bytes, address: str) -> str:
        """Open the exhibition that a request describes in JSON, and return its id.

        It takes a table of the visitor's `address`. Raises GameRequestError.
        """
        try:
            asked = ExhibitionRequest.model_validate_json(body)
        except ValidationError as error:
            raise GameRequestError(what_is_wrong(error), 400) from None
        for name in (asked.first, asked.second):
            if name not in self.lobby.opponents:
                raise GameRequestError(f"There is no engine {name!r} on this server.")
        request = GameRequest(
            game=asked.game,
            size=asked.size,
            seats=(asked.first, asked.second),
            seconds=asked.seconds,
            exhibition=True,
        )
        body = request.model_dump_json().encode()
        # Nobody has the secret, so nobody has a seat.
        name = self.lobby.open(body, new_secret(), address).name
        self.latest.append(name)
        return name

    def game(self, name: str, address: str) -> ShownGame | None:
        """Return a game on the page as spectators see it; None if there is none.

        Raises GameRequestError if it cannot be read, or too many were read for `address`.
        """
        running = self.lobby.games.get(name)
        if running is None and name in self.latest:
            return self._listed(name)
        kept = self.lobby.kept(name, address)
        if kept is None:
            return None
        note = running.fault if running is not None else ""
        if running is not None and running.is_played:
            one, other = running.clocks()
            return shown(
                name, "running", kept.record, clocks=(one, other), note=note, is_on_page=True
            )
        state: State = "stopped" if kept.record.outcome.is_void else "over"
        return shown(name, state, kept.record, note=note, is_on_page=True)

    def listed(self, address: str) -> list[ShownGame]:
        """Return the latest exhibitions that can be read, the newest first."""
        found = []
        for name in reversed(self.latest):
            with suppress(GameRequestError):
                found.append(self.game(name, address))
        return [game for game in found if game is not None]

    def _listed(self, name: str) -> ShownGame | None:
        """Return a listed game that nobody plays now, read once, at no visitor's expense.

        Raises GameRequestError if it cannot be read.
        """
        try:
            stored = self.lobby.store.game(name)
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None
        if stored is None or (kept := self._kept(name, stored.state)) is None:
            return None
        self._read = {each: self._read[each] for each in self.latest if each in self._read}
        return kept

    def _kept(self, name: str, state: str) -> ShownGame | None:
        if name not in self._read or self._read[name][0] != state:
            kept = self.lobby.kept(name)
            if kept is None:
                return None
            how: State = "stopped" if kept.record.outcome.is_void else "over"
            self._read[name] = state, shown(name, how, kept.record, is_on_page=True)
        return self._read[name][1]


class ExhibitionRoutes:
    """The handlers of the addresses of exhibitions."""

    def __init__(
        self, exhibitions: Exhibitions, access: AccessPolicy, bounds: Bounds, pages: DrawnPages
    ) -> None:
        self.exhibitions = exhibitions
        self.access = access
        self.bounds = bounds
        self.pages = pages

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/watch/exhibition", self.page),
            Route("/api/exhibitions", self.open, methods=["POST"]),
        ]

    async def page(self, request: Request) -> Response:
        """Send the form, and the latest exhibitions."""
        lobby = self.exhibitions.lobby
        return self.pages.page(
            request,
            "exhibition.html",
            room="watch",
            may_open=self._may_open(request),
            games=_games(),
            engines=sorted(
                lobby.opponents.values(),
                key=lambda each: (not each.has_levels, each.id == "random"),
            ),
            seconds=self.bounds.seconds,
            shown=[_listed(game) for game in self.exhibitions.listed(address_of(request))],
        )

    async def open(self, request: Request) -> Response:
        """Open an exhibition, and send its id. The number that an address may open is limited.

        Raises GameRequestError.
        """
        if not self._may_open(request):
            return refusal(request.scope, "Guests of this server start no games.", 403)
        address = address_of(request)
        self.exhibitions.lobby.count_opening(address)
        return JSONResponse({"id": self.exhibitions.open(await request.body(), address)}, 201)

    def _may_open(self, request: Request) -> bool:
        return self.access.lets_open(is_guest=is_guest(request))


def _games() -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Return the games with the sizes on offer: value, text, and whether it is chosen at first."""
    found = []
    for number, name in enumerate(GAMES):
        usual = create_game(name)
        sizes = [create_game(name, size) for size in usual.sizes()]
        chosen = usual.quick_size or usual.size
        offered = [
            (f"{name}/{game.size}", title(game), number == 0 and game.size == chosen)
            for game in sizes
            if len(game.board) <= MAX_VERTICES
        ]
        found.append((usual.title, offered))
    return found


def _listed(game: ShownGame) -> dict[str, Any]:
    outcome = game.record.outcome
    ended = f"{outcome.score}, {counted(len(game.turns), 'turn')}"
    playing = "interrupted" if game.state == "stopped" else f"turn {len(game.turns) + 1}"
    return {
        "id": game.id,
        "players": game.record.players,
        "winner": outcome.winner,
        "title": title(game.record.game),
        "picture": picture_digest(game.record) if game.state == "over" else "",
        "state_text": ended if game.state == "over" else playing,
    }
