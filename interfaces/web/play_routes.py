"""The addresses at which games are opened, shown and played, and seats are taken.

A browser gets a seat by an invitation, once, or by a key. It has one cookie for all its seats, set
only in answers to POSTs, so that a link that is prefetched or previewed takes no seat.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import trio
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from oddly.game_records.sgf_writing import sgf_game
from oddly.interfaces.serving.applications import address_of, cookies_named
from oddly.interfaces.viewer.viewer import title
from oddly.interfaces.web.access_policy import (
    FOREVER,
    AccessPolicy,
    is_guest,
    refusal,
)
from oddly.interfaces.web.bounds import practice_threads, threads_of
from oddly.interfaces.web.game_request import MAX_NAME, GameRequestError
from oddly.interfaces.web.game_store import StoreError
from oddly.interfaces.web.gathering import Refused
from oddly.interfaces.web.seats import Holder, Invitation, hashed, moved, new_secret
from oddly.interfaces.web.stored_games import GameSoFar, game_so_far, plain_game, plain_refusal
from oddly.interfaces.web.websockets import FULL, Outbox, Places, send_away, serve_websocket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import HTTPConnection, Request
    from starlette.routing import BaseRoute
    from starlette.websockets import WebSocket

    from oddly.interfaces.web.bounds import Bounds
    from oddly.interfaces.web.lobby import Lobby
    from oddly.interfaces.web.page_game import PageGame


NO_SUCH_GAME_CODE = 4404
"""The code that closes a WebSocket to a game that does not exist."""
GONE = "There is no such game on this server, or no longer."
NOT_YET = "Two people are playing this game. It can be analysed when it is over."
MAX_SECRETS = 4
"""Cookies of one name that a browser may send, from several paths."""
BYTES_OF_AN_OPENING = 2048
"""Bytes of a request to open a game; a longer request counts as several."""

Secret = Annotated[str, Field(max_length=64)]


class InvitationRequest(BaseModel):
    """The secret of an invitation or of a key, and the name of the player who takes the seat."""

    model_config = ConfigDict(strict=True, extra="forbid")

    key: Secret
    name: Annotated[str, Field(max_length=MAX_NAME)] = ""


class PlayRoutes:
    """The handlers of the addresses of games and seats.

    Those of requests may raise GameRequestError, which `refuse` answers.
    """

    def __init__(
        self,
        lobby: Lobby,
        access: AccessPolicy,
        bounds: Bounds,
        spectators: Places,
    ) -> None:
        self.lobby = lobby
        self.invitations = Invitations(lobby)
        self.access = access
        self.bounds = bounds
        self.players, self.spectators = Places(bounds.players), spectators

    def routes(self) -> list[BaseRoute]:
        """Return the routes whose answers are compressed."""
        return [
            Route("/api/games", self.open_by_program, methods=["POST"]),
            Route("/api/games/list", self.list_games, methods=["POST"]),
            Route("/api/games/{name}/sgf", self.sgf),
            Route("/api/games/{name}/record", self.record),
            Route("/api/games/{name}/board.svg", self.picture),
            Route("/api/seats/open", self.open, methods=["POST"]),
            Route("/api/seats/look", self.look, methods=["POST"]),
            Route("/api/seats/take", self.take, methods=["POST"]),
            Route("/api/seats/exchange", self.exchange, methods=["POST"]),
        ]

    def socket_routes(self) -> list[BaseRoute]:
        """Return the routes of WebSockets."""
        return [WebSocketRoute("/ws/play/{name}", self.play_socket)]

    async def open_by_program(self, request: Request) -> Response:
        """Open a game for a program, and send it the secret key."""
        key = new_secret()
        await self._open(request, key, is_key=True)
        return JSONResponse({"id": key}, 201)

    async def open(self, request: Request) -> Response:
        """Open a game for a browser, which holds its seats by cookie, and send its public id."""
        if not self.access.lets_open(is_guest=is_guest(request)):
            return refusal(request.scope, "Guests of this server open no games of their own.", 403)
        secret = self._secret(request)
        opened = await self._open(request, secret, is_key=False)
        return self._seated(request, secret, opened.name, 201)

    async def _open(self, request: Request, secret: str, *, is_key: bool) -> PageGame:
        """Open a game. The number that an address may open is limited."""
        address = address_of(request)
        self.lobby.count_opening(address)
        body = await request.body()
        # Turns are played one by one, while everything else waits.
        if more := len(body) // BYTES_OF_AN_OPENING:
            self.lobby.count_opening(address, more)
        return self.lobby.open(body, secret, address, is_key=is_key)

    async def list_games(self, request: Request) -> Response:
        """Send what a list shows of the games that the browser remembers."""
        found = self.lobby.listed(await request.body(), self._secrets(request))
        return JSONResponse({"games": found})

    async def sgf(self, request: Request) -> Response:
        """Send a game so far as an SGF file. Raises GameRequestError."""
        kept = self.lobby.kept(request.path_params["name"], address_of(request))
        if kept is None:
            raise GameRequestError(GONE, 404)
        file = f"{kept.record.game.name}.sgf"
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(sgf_game(kept), media_type="application/x-go-sgf", headers=headers)

    async def record(self, request: Request) -> Response:
        """Send a game so far to be analysed, unless two people play it apart.

        Raises GameRequestError.
        """
        found = self._found(request)
        if found.is_held_back({hashed(each) for each in self._secrets(request)}):
            raise GameRequestError(NOT_YET, 409)
        return JSONResponse(found.record())

    async def picture(self, request: Request) -> Response:
        """Send the board of a game after the requested turn, by default the last."""
        found = self._found(request)
        turn = asked_turn(request)
        number = len(found.turns) if turn is None else min(turn, len(found.turns))
        # In a thread: drawing a large board takes a while, and the clocks of games run on.
        async with threads_of(address_of(request)):
            drawn = await trio.to_thread.run_sync(found.picture, number, limiter=practice_threads())
        return Response(drawn, media_type="image/svg+xml")

    def _found(self, request: Request) -> GameSoFar:
        found = game_so_far(self.lobby.store, request.path_params["name"])
        if found is None:
            raise GameRequestError(GONE, 404)
        return found

    def plain(self, request: Request) -> str:
        """Return as HTML the game that the address of the page names; empty if it names none."""
        name = request.query_params.get("game", "")
        if not name:
            return ""
        try:
            found = game_so_far(self.lobby.store, name)
        except GameRequestError as error:
            return plain_refusal(str(error))
        return plain_refusal(GONE) if found is None else plain_game(found, asked_turn(request))

    async def look(self, request: Request) -> Response:
        """Send what an invitation is for. Nothing is taken."""
        asked = await _invitation(request)
        secrets, address = self._secrets(request), address_of(request)
        return JSONResponse(self.invitations.look(asked.key, secrets, address))

    async def take(self, request: Request) -> Response:
        """Give the seat of an invitation to the browser."""
        asked, secret = await _invitation(request), self._secret(request)
        game = self.invitations.take(asked.key, secret, asked.name, address_of(request))
        return self._seated(request, secret, game)

    async def exchange(self, request: Request) -> Response:
        """Give the seats of a key to the browser, so that its address need not have the key."""
        asked, secret = await _invitation(request), self._secret(request)
        game = self.invitations.exchange(asked.key, secret, address_of(request))
        return self._seated(request, secret, game)

    async def play_socket(self, websocket: WebSocket) -> None:
        """Send a game as it goes on, and act on the clicks of a browser that holds a seat."""
        await websocket.accept()
        name, address = websocket.path_params["name"], address_of(websocket)
        try:
            found = self.lobby.find(name, self._secrets(websocket), address)
        except GameRequestError as error:
            await websocket.close(
                NO_SUCH_GAME_CODE if error.status == 404 else FULL, str(error)[:120]
            )
            return
        if found is None:
            await websocket.close(NO_SUCH_GAME_CODE, GONE)
            return
        game, secret = found
        outbox = Outbox()

        def hear(message: dict[str, Any]) -> None:
            game.hear(outbox, message)

        plays = bool(game.seating.of(secret).seats)
        with (self.players if plays else self.spectators).take(address) as place:
            if place is None:
                await websocket.close(FULL)
                return
            game.join(outbox, secret)
            try:
                await serve_websocket(websocket, outbox, self.bounds, hear)
            finally:
                game.leave(outbox)
        await send_away(websocket, place)

    def _cookie(self, connection: HTTPConnection) -> str:
        return f"{self.access.cookie_name(connection.headers.get('host', ''))}-seats"

    def _secrets(self, connection: HTTPConnection) -> list[str]:
        """Return the secrets that a browser has from this server, or claims to have."""
        return cookies_named(connection.headers, self._cookie(connection))[:MAX_SECRETS]

    def _secret(self, request: Request) -> str:
        """Return the secret of a browser, or a new one if it has none that the server knows.

        So a page that plants a cookie gets no seat that the browser takes later.
        """
        return next(filter(self.lobby.knows, self._secrets(request)), "") or new_secret()

    def _seated(self, request: Request, secret: str, game: str, status: int = 200) -> Response:
        """Return the id of a game, with the cookie by which the browser plays in it."""
        response = JSONResponse({"id": game}, status)
        host, origin = request.headers.get("host", ""), request.headers.get("origin", "")
        response.set_cookie(
            self._cookie(request),
            secret,
            FOREVER,
            path=self.access.path_seen(origin, host),
            # The Origin of a POST is what the browser sees, whatever proxies are in between.
            secure=origin.startswith("https://"),
            httponly=True,
            samesite="strict",
        )
        return response


def asked_turn(request: Request) -> int | None:
    """Return the turn that an address names; None if it names none."""
    text = request.query_params.get("turn", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


async def _invitation(request: Request) -> InvitationRequest:
    try:
        return InvitationRequest.model_validate_json(await request.body())
    except ValidationError:
        raise GameRequestError("An invitation and a name are expected.", 400) from None


async def refuse(request: Request, error: Exception) -> Response:
    """Answer a request whose handler has raised GameRequestError; raise any other error again."""
    if not isinstance(error, GameRequestError):
        raise error
    more = {"game": error.game} if error.game else {}
    answer = refusal(request.scope, str(error), error.status, more)
    if error.wait:
        answer.headers["retry-after"] = str(math.ceil(error.wait))
    return answer


TAKEN = "This invitation has been used: somebody has taken the seat."


class Invitations:
    """How browsers get their seats in the games of a lobby.

    A game that was put away is fetched to a table of the visitor's `address`.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby, self._store = lobby, lobby.store

    def exchange(self, key: str, secret: str, address: str = "") -> str:
        """Give the browser with this secret the rights of a key; return the id of the key's game.

        Raises GameRequestError.
        """
        found = self._lobby.find(key, address=address)
        if found is None or not found.secret:
            raise GameRequestError(GONE, 404)
        game, seating = found.game, found.game.seating
        mine = hashed(secret)
        before, held = seating.of(mine), seating.of(found.secret)
        seats = tuple(sorted({*before.seats, *held.seats}))
        new = Holder(mine, game.name, seats, before.is_owner or held.is_owner)
        if seats or new.is_owner:
            try:
                self._store.hold(new)
            except StoreError as error:
                raise GameRequestError(str(error), 507) from None
            rest = tuple(each for each in seating.holders if each.secret != mine)
            seating.holders = (*rest, new)
        return game.name

    def look(self, secret: str, browser: Iterable[str] = (), address: str = "") -> dict[str, Any]:
        """Return what an invitation is for. Raises GameRequestError if it cannot be used.

        `browser` has the secrets of the asking browser.
        """
        invitation, game, mine = self._invitation(secret, browser, address)
        if not mine.seats:
            self._check_usable(invitation, game)
        return {
            "id": game.name,
            "title": title(game.current.game),
            "seat": invitation.seat,
            "players": list(game.players),
            "yours": list(mine.seats),
            "owner": mine.is_owner,
        }

    def take(self, secret: str, browser: str, name: str, address: str = "") -> str:
        """Give the seat of an invitation to a browser, and return the id of the game.

        Raises GameRequestError if the invitation cannot be used.
        """
        invitation, game, mine = self._invitation(secret, (browser,), address)
        self._check_usable(invitation, game)
        others = tuple(seat for seat in mine.seats if seat != invitation.seat)
        if others:
            raise GameRequestError(
                "This browser plays the other side of the game: send the link to somebody else.",
                409,
            )
        holders = moved(game.seating.holders, invitation.seat, hashed(browser), game.name)
        try:
            terms = game.terms
            # A finished game keeps the names in its record.
            if name.strip() and not game.current.is_over:
                terms = self._lobby.named(terms, invitation.seat, name)
            is_taken = self._store.take(invitation, holders, *game.state(terms))
        except Refused as error:
            raise GameRequestError(str(error)) from None
        except StoreError as error:
            raise GameRequestError(str(error), 507) from None
        if not is_taken:
            raise GameRequestError(TAKEN, 410)
        game.seat(holders, terms, invitation.seat)
        return game.name

    def _invitation(
        self, secret: str, browser: Iterable[str], address: str
    ) -> tuple[Invitation, PageGame, Holder]:
        """Return an invitation, its game, and what the browser holds in it."""
        try:
            invitation = self._store.invitation(hashed(secret))
        except StoreError as error:
            raise GameRequestError(str(error), 503) from None
        found = None if invitation is None else self._lobby.find(invitation.game, browser, address)
        if invitation is None or found is None:
            raise GameRequestError(
                "There is no such invitation: a newer one has replaced it, or its game is gone.",
                404,
            )
        return invitation, found.game, found.game.seating.of(found.secret)

    def _check_usable(self, invitation: Invitation, game: PageGame) -> None:
        if invitation.taken:
            raise GameRequestError(TAKEN, 410, game.name)
        if invitation.is_expired(datetime.now(UTC)):
            raise GameRequestError("This invitation is too old to be used.", 410, game.name)
