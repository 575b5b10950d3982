"""Where a tournament and its games are watched: pages, pictures, JSON and WebSockets.

A game's address stays the same while it is played and afterwards. It shows the game to everybody
who opens it, even without the token of the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.datastructures import QueryParams
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute

from oddly.games.wording import counted
from oddly.interfaces.human_play.recording import clock_text
from oddly.interfaces.serving.applications import FOR_GOOD, IF_UNCHANGED, address_of, tagged
from oddly.interfaces.viewer.archive_search import AskedGames, pages_of
from oddly.interfaces.viewer.viewer import black_lead, board_file, board_markup, first_colour, title
from oddly.interfaces.web.game_request import GameRequestError
from oddly.interfaces.web.views import ShownGame, game_row, picture_digest
from oddly.interfaces.web.websockets import FULL, Outbox, Places, send_away, serve_websocket
from oddly.tournaments import LedgerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.routing import BaseRoute
    from starlette.websockets import WebSocket

    from oddly.interfaces.web.bounds import Bounds
    from oddly.interfaces.web.broadcast import Broadcast
    from oddly.interfaces.web.exhibition import Exhibitions
    from oddly.interfaces.web.page_files import DrawnPages
    from oddly.tournaments.ledger.archive import Archive, FoundGames, GameSearch

ON_A_PAGE = 50
"""Games in a page of the archive."""
SVG = "image/svg+xml"
PICTURE_FOR_GOOD = FOR_GOOD.replace("public", "private")
COMMAND = "oddly serve tournament.sqlite"
NO_TOURNAMENT = "No tournament is being watched. The owner of the server starts it with a ledger:"
NO_SUCH_GAME = "There is no such game here, or no longer. Ask for its address again."


class FoundPage(NamedTuple):
    """A page of the archive, with the scores of its games."""

    found: FoundGames
    rows: Sequence[dict[str, Any]]
    engines: Sequence[str]
    games: Sequence[str]


class WatchRoutes:
    """The addresses of a tournament and its games; `exhibition.py` has the page of exhibitions."""

    def __init__(
        self,
        broadcast: Broadcast,
        exhibitions: Exhibitions,
        pages: DrawnPages,
        bounds: Bounds,
        spectators: Places,
    ) -> None:
        self.broadcast = broadcast
        self.exhibitions = exhibitions
        self.pages = pages
        self.bounds = bounds
        self.spectators = spectators

    def routes(self) -> list[BaseRoute]:
        """Return the routes whose answers are compressed."""
        return [
            Route("/watch", self.tournament),
            Route("/watch/archive", self.archive),
            Route("/watch/game/{name}", self.game),
            Route("/watch/board/{name}.svg", self.board),
            Route("/api/watch/games/{name}", self.game_as_json),
        ]

    def socket_routes(self) -> list[BaseRoute]:
        """Return the routes of WebSockets."""
        return [
            WebSocketRoute("/ws/watch", self.tournament_socket),
            WebSocketRoute("/ws/watch/{name}", self.game_socket),
        ]

    async def tournament(self, request: Request) -> Response:
        """Send the standings, the running games and the latest ones."""
        if self.broadcast.path is None:
            return self._nothing(request, "Watch", NO_TOURNAMENT, COMMAND)
        await self.broadcast.first_reading()
        event = self.broadcast.event
        cards = [drawn_game(board.shown()) for board in self.broadcast.boards]
        return self.pages.page(
            request,
            "tournament.html",
            room="watch",
            event=event,
            state=state_of(event),
            cards=cards,
            in_all=self.broadcast.in_all,
        )

    async def archive(self, request: Request) -> Response:
        """Send one page of the games that a search finds."""
        given = request.query_params
        if any(value == "" for value in given.values()):
            # Empty fields are left out of the address, so that it can be passed on.
            left = QueryParams([(key, value) for key, value in given.multi_items() if value])
            return RedirectResponse(f"archive?{left}" if left else "archive", 303)
        if self.broadcast.path is None:
            return self._nothing(request, "Archive", NO_TOURNAMENT, COMMAND)
        asked = AskedGames.of(given)
        try:
            page = await self.broadcast.ask(lambda archive: _search(archive, asked), None)
        except LedgerError as error:
            return self._nothing(request, "Archive", f"{error}.", status=503)
        if page is None:
            return self._nothing(request, "Archive", NO_TOURNAMENT, COMMAND)
        problem = asked.problem or asked.unknown(page.engines, page.games)
        number = page.found.total
        return self.pages.page(
            request,
            "archive.html",
            400 if asked.problem else 200,
            room="watch",
            name=self.broadcast.event.get("name") or "Tournament",
            asked=asked.fields,
            is_search=asked.is_search,
            games=page.games,
            engines=page.engines,
            results=asked.results,
            problem=problem,
            rows=page.rows,
            found_text=counted(number, "game", ",") + (" found" if asked.is_search else ""),
            pages=pages_of(asked, number, ON_A_PAGE),
        )

    async def game(self, request: Request) -> Response:
        """Send one game, running or over, at one of its turns."""
        try:
            shown = await self._game(request)
            around = await self._around(shown)
        except (LedgerError, GameRequestError) as error:
            status = error.status if isinstance(error, GameRequestError) else 503
            return self._nothing(request, "This game cannot be shown", f"{error}", status=status)
        if shown is None:
            return self._nothing(request, "No such game", NO_SUCH_GAME, status=404)
        last = len(shown.positions) - 1
        at = _turn(request.query_params.get("turn", ""), last)
        steps = [("Start", 0), ("Back", at - 1), ("On", at + 1), ("End", last)]
        inside = [
            (name, turn if 0 <= turn <= last and turn != at else None) for name, turn in steps
        ]
        path = "play" if shown.is_on_page else "watch"
        return self.pages.page(
            request,
            "game.html",
            room="watch",
            game=drawn_game(shown, at),
            steps=inside,
            turns=[played.turn for played in shown.turns],
            socket=f"/ws/{path}/{shown.id}",
            before=around[0],
            after=around[1],
        )

    async def board(self, request: Request) -> Response:
        """Send the last position of a game as a small picture."""
        try:
            shown = await self._game(request)
        except (LedgerError, GameRequestError):
            shown = None
        if shown is None:
            return Response(status_code=404)
        last = shown.turns[-1].turn if shown.turns else ""
        is_named = request.query_params.get("of") == picture_digest(shown.record)
        kept = PICTURE_FOR_GOOD if is_named else IF_UNCHANGED
        return tagged(request, board_file(shown.positions[-1], last).encode(), SVG, kept)

    async def game_as_json(self, request: Request) -> Response:
        """Send a game as plain values."""
        try:
            shown = await self._game(request)
        except (LedgerError, GameRequestError) as error:
            return JSONResponse({"sentence": f"{error}"}, 503)
        if shown is None:
            return JSONResponse({"sentence": NO_SUCH_GAME}, 404)
        return JSONResponse(shown.as_json())

    async def tournament_socket(self, websocket: WebSocket) -> None:
        """Send the tournament as it goes on."""
        outbox = Outbox()
        await self._look_on(websocket, outbox, lambda: self.broadcast.join(outbox))

    async def game_socket(self, websocket: WebSocket) -> None:
        """Send one running game as it goes on."""
        outbox, name = Outbox(), websocket.path_params["name"]
        await self._look_on(websocket, outbox, lambda: self.broadcast.follow_game(outbox, name))

    async def _look_on(self, websocket: WebSocket, outbox: Outbox, begin: Any) -> None:  # noqa: ANN401
        await websocket.accept()
        with self.spectators.take(address_of(websocket)) as place:
            if place is None:
                await websocket.close(FULL)
                return
            begin()
            try:
                await serve_websocket(websocket, outbox, self.bounds, lambda _: None)
            finally:
                self.broadcast.leave(outbox)
        await send_away(websocket, place)

    async def _game(self, request: Request) -> ShownGame | None:
        """Return the game that an address names. Raises LedgerError or GameRequestError."""
        name = request.path_params["name"]
        found = await self.broadcast.game(name)
        return found or self.exhibitions.game(name, address_of(request))

    async def _around(self, shown: ShownGame | None) -> tuple[str, str]:
        """Return the ids of the games that ended before and after this one."""
        if shown is None or shown.is_on_page or shown.state != "over":
            return "", ""
        return await self.broadcast.ask(lambda archive: archive.neighbours(shown.id), ("", ""))

    def _nothing(
        self, request: Request, heading: str, sentence: str, command: str = "", status: int = 200
    ) -> Response:
        return self.pages.page(
            request,
            "nothing.html",
            status,
            room="watch",
            heading=heading,
            sentence=sentence,
            command=command,
        )


def _search(archive: Archive, asked: AskedGames) -> FoundPage:
    """Return a page of the games found. Raises LedgerError."""
    archive.refresh()
    search: GameSearch = asked.search
    found = archive.search(search, ON_A_PAGE * (asked.page - 1), ON_A_PAGE)
    records = archive.records([game.id for game in found.games])
    rows = [game_row(game, records.get(game.id)) for game in found.games]
    return FoundPage(found, rows, archive.engines(), archive.games())


def state_of(event: dict[str, Any]) -> str:
    """Return the progress of an event in words."""
    if not event.get("name"):
        return ""
    played, games = event["played"], event.get("games")
    state = "running" if event.get("running") else "finished" if played == games else "not running"
    of_all = "" if games is None else f"{played:,} of "
    return f"{of_all}{counted(played if games is None else games, 'game', ',')} played, {state}"


def drawn_game(shown: ShownGame, turn: int | None = None) -> dict[str, Any]:
    """Return what a template shows of a game, by default at its end."""
    at = len(shown.positions) - 1 if turn is None else turn
    position, record = shown.positions[at], shown.record
    last = shown.turns[at - 1].turn if at else ""
    first = first_colour(at % 2, position.to_move)
    counts = position.group_counts
    by_colour = {"black": counts.black, "white": counts.white}
    colours = [str(first), str(first.other)]
    described = f"{record.players[0]} against {record.players[1]} after {counted(at, 'turn')}"
    return {
        "id": shown.id,
        "players": record.players,
        "state": shown.state,
        "mover": shown.mover,
        "turn": at,
        "last": last,
        "title": title(record.game),
        "board": board_markup(position, last, described),
        "colours": colours,
        "counts": [by_colour[colour] for colour in colours],
        "clock_texts": ["" if left is None else clock_text(left) for left in shown.clocks],
        "expects": shown.expected(at),
        "about": _about(shown),
        "state_text": state_text(shown, at),
        "note": shown.note,
        "graph": _graph(shown),
    }


def _graph(shown: ShownGame) -> str:
    """Return what a script draws in the graph of a game: chances, leads, both or nothing."""
    has_chances = any(played.evaluation for played in shown.turns)
    has_leads = black_lead(shown.record.game, shown.positions[0].group_counts) is not None
    return " ".join(["chances"] * has_chances + ["leads"] * has_leads)


def _about(shown: ShownGame) -> str:
    number = f"Game {shown.number:,} of the tournament" if shown.number else ""
    return "Played on this server" if shown.is_on_page else number


def state_text(shown: ShownGame, turn: int) -> str:
    """Return what happens in a game, or how it ended, at a turn."""
    last, outcome = len(shown.positions) - 1, shown.record.outcome
    if turn < last:
        played = shown.turns[turn - 1] if turn else None
        return (
            f"Turn {turn} of {last}: {played.turn}."
            if played
            else f"The start of {counted(last, 'turn')}."
        )
    if shown.state != "over":
        mover = shown.record.players[shown.mover]
        return (
            f"Turn {last + 1}: {mover} is to move." if shown.state == "running" else "Interrupted."
        )
    won = "" if outcome.winner is None else f"{shown.record.players[outcome.winner]} wins: "
    why = f" ({outcome.reason})" if outcome.termination.is_forfeit and outcome.reason else ""
    return f"{won}{outcome.result_text} after {counted(last, 'turn')}{why}."


def _turn(text: str, last: int) -> int:
    """Return the turn that an address names, the last one if it names none."""
    return min(int(text), last) if text.isascii() and text.isdigit() and len(text) < 7 else last
