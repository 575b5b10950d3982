"""The people at a game on the page: who plays, who watches, and what they ask besides turns."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import trio

from oddly.interfaces.web.game_request import PEOPLE
from oddly.interfaces.web.game_store import StoreError
from oddly.interfaces.web.seats import Holder, Seating

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oddly.games import Colour
    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.interfaces.web.game_request import GameRequest, Terms
    from oddly.interfaces.web.websockets import Outbox
    from oddly.referee import GameRecord


class Refused(Exception):
    """A browser asks for something that is not possible now. The message is one sentence."""


class Host(Protocol):
    """What a game asks of the lobby in which it is played."""

    def now(self) -> float:
        """Return the time by which the clocks of people run, in seconds."""

    def change(self, identity: str, state: str, summary: Mapping[str, Any], /) -> None:
        """Write the state of a game and what a list shows of it. Raises StoreError."""

    def keep(self, name: str, record: GameRecord, /) -> str:
        """Record a finished game. Returns a notice for the players, or nothing."""

    def resume(self, game: Gathering, /) -> None:
        """Give a table to a game that was over and goes on. Raises Refused if there is none."""

    def invite(self, game: Gathering, seat: int, /) -> None:
        """Make a new invitation to a seat. Raises StoreError."""

    def rematch(self, game: Gathering, *, exchanged: bool) -> str:
        """Open a rematch, and return its id. Raises Refused or StoreError."""

    def named(self, terms: Terms, seat: int, name: str, /) -> Terms:
        """Return the terms with a player renamed. Raises Refused."""


class Gathering(ABC):
    """The people at one game. `host` stores a change before any browser sees it."""

    def __init__(
        self,
        name: str,
        request: GameRequest,
        holders: Iterable[Holder],
        current: GameInProgress,
        host: Host,
        rematch: str,
    ) -> None:
        self.name = name
        self.current = current
        self.seats = request.seats
        self.terms = request.terms
        self.seating = Seating(request.seats, holders)
        self.outboxes: dict[Outbox, str] = {}
        """The browsers that show the game, each with the hash of its secret."""
        self.left_at = trio.current_time()
        """The moment when the last browser left."""
        self._host = host
        self._rematch = rematch

    @abstractmethod
    def view(self, holder: Holder) -> dict[str, Any]:
        """Return everything that a browser with these rights shows."""

    @abstractmethod
    def state(self, terms: Terms | None = None) -> tuple[str, dict[str, Any]]:
        """Return the state to store, as JSON, and what a list shows; under other terms if given."""

    @property
    @abstractmethod
    def holds_table(self) -> bool:
        """Whether it is being played, or its engines still run."""

    @property
    def players(self) -> tuple[str, str]:
        """The names of both players, numbered if they are equal."""
        return self.terms.players(self.seats)

    def _is_engine(self, seat: int) -> bool:
        return self.seats[seat] not in PEOPLE

    @property
    def _is_exhibition(self) -> bool:
        return all(self._is_engine(seat) for seat in (0, 1))

    @property
    def _mover_is_missing(self) -> bool:
        """Whether nobody has taken the mover's seat yet."""
        return self.current.mover in self.seating.open

    def _holder(self, side: Colour) -> int:
        """Return the seat that holds a colour now."""
        mover = self.current.mover
        return mover if self.current.to_move is side else 1 - mover

    def join(self, outbox: Outbox, secret: str = "") -> None:
        """Send the game to one more browser; without the hash of a secret, it only watches."""
        self.outboxes[outbox] = secret
        outbox.put("game", json.dumps(self.view(self.seating.of(secret))))

    def leave(self, outbox: Outbox) -> None:
        """Stop sending the game to a browser."""
        self.outboxes.pop(outbox, None)
        self.left_at = trio.current_time()

    def _ask(self, message: dict[str, Any], holder: Holder) -> bool:
        """Invite, name or open a rematch, else return False. Raises Refused, StoreError."""
        match message.get("do"):
            case "invite":
                self._invite(message.get("seat"), holder)
            case "name":
                self._name(message.get("name"), message.get("seat", holder.seats[0]), holder)
            case "rematch":
                self._play_again(exchanged=message.get("exchanged") is not False)
            case _:
                return False
        return True

    def _invite(self, seat: object, holder: Holder) -> None:
        if seat not in self.seating.may_invite(holder):
            raise Refused("That seat is not yours to give away.")
        self._host.invite(self, int(bool(seat)))
        self._show()

    def _name(self, name: object, seat: object, holder: Holder) -> None:
        """Name a player, unless the game is over and recorded."""
        if seat not in holder.seats or not isinstance(name, str):
            raise Refused("You can name only yourself.")
        if self.current.is_over:
            raise Refused("The game is over, and its record has its names.")
        self.rename(self._host.named(self.terms, int(bool(seat)), name))

    def rename(self, terms: Terms) -> None:
        """Go on under these terms, once they are stored. Raises StoreError."""
        before, self.terms = self.terms, terms
        try:
            self._host.change(self.name, *self.state())
        except StoreError:
            self.terms = before
            raise
        self._show()

    def _play_again(self, *, exchanged: bool) -> None:
        """Open a rematch, only once, and tell every browser."""
        if not self.current.is_over:
            raise Refused("A rematch follows the end of a game.")
        if not self._rematch:
            self._rematch = self._host.rematch(self, exchanged=exchanged)
            # At worst, if the mark cannot be stored, another rematch can be opened.
            with suppress(StoreError):
                self._host.change(self.name, *self.state())
        self._show()

    def seat(self, holders: Iterable[Holder], terms: Terms, seat: int) -> None:
        """Go on with new holders of the seats, after a taken seat was stored."""
        self.seating.holders = tuple(holders)
        self.seating.invitations.pop(seat, None)
        self.terms = terms
        self._show()

    def _show(self) -> None:
        texts: dict[Holder, str] = {}
        for outbox, secret in self.outboxes.items():
            holder = self.seating.of(secret)
            if holder not in texts:
                texts[holder] = json.dumps(self.view(holder))
            outbox.put("game", texts[holder])
