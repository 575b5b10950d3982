"""How a browser gets a seat: by an invitation, once, or by a key."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oddly.interfaces.viewer.viewer import title
from oddly.interfaces.web.game_request import GameRequestError
from oddly.interfaces.web.game_store import StoreError
from oddly.interfaces.web.gathering import Refused
from oddly.interfaces.web.seats import Holder, Invitation, hashed, moved

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oddly.interfaces.web.lobby import Lobby
    from oddly.interfaces.web.page_game import PageGame

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
            raise GameRequestError("There is no such game on this server, or no longer.", 404)
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
