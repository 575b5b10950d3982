"""Unrated games that visitors play, even without JavaScript: each tap on the board is an address.

A cookie in the visitor's browser holds the seat. The arena keeps its digest with the game, so the
seat outlives a restart. The taps of an unfinished turn are in the address.
"""

from __future__ import annotations

import secrets
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

import trio
from starlette.responses import RedirectResponse, Response

from oddly.arena.visits import (
    CONTROL,
    VisitError,
    challenge,
    holds_seat,
    may_be_challenged,
    play_for_visitor,
    seat_of_visitor,
)
from oddly.games import PASS, SWAP, Drops, IllegalTurn, PartialTurn
from oddly.interfaces.arena.pages.answers import MAX_DIGITS, AskedError, asked_of
from oddly.interfaces.arena.pages.shown import on_air
from oddly.interfaces.arena.pages.site import ArenaSite, QueryParameter
from oddly.interfaces.human_play.game_in_progress import GameInProgress
from oddly.interfaces.serving.applications import cookies_named
from oddly.interfaces.viewer.viewer import board_to_tap

if TYPE_CHECKING:
    from starlette.requests import Request

    from oddly.arena.game import ArenaGame

MAX_FORM = 2000
FORM_WITHIN = 5.0
"""The maximum bytes of a form, and the seconds in which it must arrive."""
MAX_FIELDS = 8
MAX_TAPS = 12
DAY = 86_400
TAPS = QueryParameter(
    "taps", "the cells that were tapped for the turn, with dots between them", {"type": "string"}
)


class VisitPages:
    """Draws the seat of a visitor, and handles the visitor's actions."""

    def __init__(self, site: ArenaSite) -> None:
        self._site, self._arena = site, site.arena

    async def challenge(self, request: Request) -> Response:
        """Begin a game, and redirect to its board."""
        it = self._arena.registry.by_slug(request.path_params["slug"])
        if it is None:
            return self._said(request, "No engine has this address.", 404)
        try:
            form = await _form(request)
            address = "" if request.client is None else request.client.host
            opens = form.get("opens") != "engine"
            pool, now = form.get("pool", ""), self._site.service.clock.now()
            secret = secrets.token_urlsafe(24)
            game = challenge(
                self._arena, it.name, pool, now, opens=opens, secret=secret, address=address
            )
        except (VisitError, AskedError) as error:
            return self._said(request, str(error), 409)
        self._site.service.changed()
        answer = RedirectResponse(f"../../games/{quote(game.id)}/seat", 303)
        answer.set_cookie(
            _cookie(game.id),
            secret,
            max_age=DAY,
            httponly=True,
            samesite="strict",
            secure=self._site.address.startswith("https:"),
        )
        return answer

    async def seat(self, request: Request) -> Response:
        """Send the board, with the turn's taps so far."""
        game = self._own_game(request)
        if game is None:
            return self._to_game(request)
        try:
            taps = asked_of(request, ("taps",)).get("taps", "")
        except AskedError as error:
            return self._said(request, str(error), 400)
        return self._drawn(request, game, taps)

    async def turn(self, request: Request) -> Response:
        """Play a turn, or resign, on the board that the visitor sees."""
        game = self._own_game(request)
        if game is None:
            return self._to_game(request)
        try:
            text = _turn_on(game, await _form(request))
            play_for_visitor(self._arena, game, text, self._site.service.clock.now())
        except (VisitError, AskedError) as error:
            return self._drawn(request, game, "", str(error), 409)
        self._site.service.changed()
        return RedirectResponse("seat", 303)

    def _own_game(self, request: Request) -> ArenaGame | None:
        """Return the running game whose seat the visitor holds; None if there is none."""
        name = str(request.path_params["id"])
        game = self._arena.play.games.get(name)
        if game is None or not game.plan.seat:
            return None
        known = cookies_named(request.headers, _cookie(name))
        return game if any(holds_seat(game, each) for each in known) else None

    def _to_game(self, request: Request) -> Response:
        """Redirect to the game as everybody sees it: it is over, or not this visitor's."""
        return RedirectResponse(f"../{quote(request.path_params['id'])}", 303)

    def _said(self, request: Request, sentence: str, status: int) -> Response:
        return self._site.drawn.nothing(request, "That cannot be done", sentence, status)

    def _drawn(
        self, request: Request, game: ArenaGame, taps: str, problem: str = "", status: int = 200
    ) -> Response:
        shown = on_air(game, self._site.service.clock.now())
        own = seat_of_visitor(game)
        is_own_turn = own == game.mover
        ready, undo, is_whole, can_pass, can_swap = "", "", False, False, False
        if is_own_turn:
            try:
                made = _tapped(game, taps)
            except IllegalTurn as error:
                made, taps, problem = _tapped(game, ""), "", str(error)
            partial = made.partial
            undo, is_whole = taps, bool(made.turns)
            if is_whole:
                ready = str(made.turns[0])
            else:
                can_pass, can_swap = made.can_play(PASS), made.can_play(SWAP)
                ready = str(Drops(partial.drops)) if partial.can_end else ""
                before = f"{taps}." if taps else ""
                links = {vertex: f"?taps={quote(before + vertex)}" for vertex in made.clicks}
                about = "Your turn: " + (taps or "tap a cell")
                marked = frozenset(partial.tentative) | {partial.origin or ""}
                shown["board"] = board_to_tap(game.position, partial.stones, marked, links, about)
        answer = self._site.drawn.page(
            request, "seat.html", status, game=shown, own=own, is_own_turn=is_own_turn, ready=ready,
            is_whole=is_whole, undo=undo, can_pass=can_pass, can_swap=can_swap, problem=problem,
        )  # fmt: skip
        # The Back button must not bring an old board again.
        answer.headers["cache-control"] = "no-store"
        return answer


def challenges_of(site: ArenaSite, name: str) -> dict[str, Any]:
    """Return the pools in which an engine can be challenged now, and the time control."""
    pools = sorted(site.arena.plays_in(name)) if may_be_challenged(site.arena, name) else []
    return {"challenge_pools": pools, "challenge_time": str(CONTROL)}


def _tapped(game: ArenaGame, taps: str) -> GameInProgress:
    """Return the game with these cells tapped. Raises IllegalTurn."""
    found = GameInProgress(PartialTurn(game.position))
    for vertex in taps.split(".")[:MAX_TAPS]:
        if vertex and not found.turns:
            found = found.click(vertex)
    return found


def _turn_on(game: ArenaGame, form: dict[str, str]) -> str:
    """Return the turn that a form has. Raises VisitError if its page shows an old board."""
    if form.get("number") != str(len(game.turns)):
        raise VisitError("the board has changed meanwhile")
    return form.get("turn", "").strip()


def _cookie(game: str) -> str:
    return f"seat-{game}"


def _origin(request: Request) -> str:
    """Return the host of the site whose page sent a request; empty if that is not known."""
    try:
        return urlsplit(request.headers.get("origin", "")).netloc
    except ValueError:
        return ""


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form that this site sent. Raises AskedError."""
    if _origin(request) != request.headers.get("host", "-"):
        raise AskedError("a form must come from this site")
    too_long = AskedError(f"a form has at most {MAX_FORM} bytes")
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or len(length) > MAX_DIGITS or int(length) > MAX_FORM:
        raise too_long
    body = b""
    with trio.move_on_after(FORM_WITHIN) as patience:
        async with aclosing(request.stream()) as parts:
            async for part in parts:
                body += part
                if len(body) > MAX_FORM:
                    raise too_long
    if patience.cancelled_caught:
        raise AskedError(f"a form is expected within {FORM_WITHIN:g} s")
    try:
        fields = parse_qs(body.decode("ascii", "replace"), max_num_fields=MAX_FIELDS)
    except ValueError:
        raise AskedError(f"a form has at most {MAX_FIELDS} fields") from None
    return {name: values[0] for name, values in fields.items()}
