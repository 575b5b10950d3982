"""The people at a game on the page: the seats that they hold, and what they ask besides turns.

The address of a game names it and gives nobody a seat. A browser proves with a secret in a cookie
which seats it holds. One browser at a time holds a human's seat; an invitation, which can be used
once, moves the seat to another. The server keeps the hashes of secrets, never the secrets.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import trio

from oddly.interfaces.web.game_request import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oddly.interfaces.human_play.game_in_progress import GameInProgress
    from oddly.interfaces.web.game_request import GameRequest, Terms
    from oddly.interfaces.web.websockets import Outbox
    from oddly.referee import GameRecord


SECRET_BYTES = 24
GAME_BYTES = 18
LIFE = timedelta(days=30)
"""How long an invitation can be used."""


class Holder(NamedTuple):
    """What a browser or a program that knows a secret may do in a game."""

    secret: str
    """The hash of the secret; empty for a spectator."""
    game: str
    seats: tuple[int, ...] = ()
    """The seats that the holder plays."""
    is_owner: bool = False
    """Whether the holder opened the game, and so invites to the seats that nobody holds."""
    is_key: bool = False
    """Whether the secret opens the game by itself, without a cookie."""


class Invitation(NamedTuple):
    """The right to take a seat, once."""

    secret: str
    """The hash of the secret in the link."""
    game: str
    seat: int
    made: str
    """UTC, ISO 8601."""
    taken: str = ""
    """When the seat was taken: UTC, ISO 8601; empty before."""

    def is_expired(self, now: datetime) -> bool:
        """Return whether it is too late to use the invitation."""
        try:
            return datetime.fromisoformat(self.made) + LIFE < now
        except (ValueError, TypeError):
            return True


def new_secret() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_game_id() -> str:
    """Return the id of a new game: public, but nobody can find the game without being shown it."""
    return secrets.token_urlsafe(GAME_BYTES)


def hashed(secret: str) -> str:
    """Return the SHA-256 of a secret, as hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def utc_now() -> str:
    """Return the current time as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def new_invitation(secret: str, game: str, seat: int) -> Invitation:
    """Return an invitation to a seat, made now."""
    return Invitation(hashed(secret), game, seat, utc_now())


def people(seats: Sequence[str]) -> tuple[int, ...]:
    """Return the seats that humans play."""
    return tuple(seat for seat, name in enumerate(seats) if name in PEOPLE)


def open_seats(seats: Sequence[str], holders: Iterable[Holder]) -> tuple[int, ...]:
    """Return the seats of humans that nobody holds."""
    held = {seat for holder in holders for seat in holder.seats}
    return tuple(seat for seat in people(seats) if seat not in held)


def moved(holders: Sequence[Holder], seat: int, secret: str, game: str) -> tuple[Holder, ...]:
    """Return the holders once the holder of `secret`, a hash, has taken a seat.

    From then on, a browser that held the seat by cookie only watches. Keys keep their seats.
    """
    left = [
        holder
        if holder.is_key
        else holder._replace(seats=tuple(each for each in holder.seats if each != seat))
        for holder in holders
    ]
    if all(holder.secret != secret for holder in left):
        left.append(Holder(secret, game))
    return tuple(
        holder._replace(seats=tuple(sorted({*holder.seats, seat})))
        if holder.secret == secret
        else holder
        for holder in left
    )


def in_rematch(holders: Iterable[Holder], game: str, *, exchanged: bool) -> tuple[Holder, ...]:
    """Return the holders of a rematch: the same browsers, with their seats exchanged or not.

    A key opens one game, so it has no part in another.
    """
    return tuple(
        holder._replace(
            game=game,
            seats=tuple(sorted(1 - seat for seat in holder.seats)) if exchanged else holder.seats,
        )
        for holder in holders
        if not holder.is_key
    )


class Seating:
    """The people of one game: who holds which seat, and which seats can be handed out."""

    def __init__(self, seats: tuple[str, str], holders: Iterable[Holder]) -> None:
        self.seats = seats
        self.holders = tuple(holders)
        self.invitations: dict[int, str] = {}
        """The secrets of invitations that were made since the game was fetched, by seat."""

    def of(self, secret: str) -> Holder:
        """Return what the browser whose secret has this hash may do."""
        found = [holder for holder in self.holders if holder.secret == secret]
        return found[0] if found else Holder("", "")

    def may_invite(self, holder: Holder) -> tuple[int, ...]:
        """Return the seats that a holder may hand out: their own; for an owner, open ones too."""
        free = open_seats(self.seats, self.holders) if holder.is_owner else ()
        return tuple(sorted({*holder.seats, *free}))

    def view(self, holder: Holder) -> dict[str, object]:
        """Return what a browser with these rights shows of the people."""
        free = open_seats(self.seats, self.holders)
        return {
            "seats": list(self.seats),
            "yours": list(holder.seats),
            "open": list(free),
            "invitations": [
                {"seat": seat, "key": self.invitations.get(seat)}
                for seat in self.may_invite(holder)
                if seat in free or seat in self.invitations
            ],
        }


class Refused(Exception):
    """A browser asks for something that is not possible now. The message is one sentence."""


class StoreError(Exception):
    """A change that could not be written. The message is one sentence."""


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
