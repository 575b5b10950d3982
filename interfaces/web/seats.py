"""Who plays a game: the secrets that browsers have, the seats that they hold, and invitations.

The address of a game names it and gives nobody a seat. A browser proves with a secret in a cookie
which seats it holds. One browser at a time holds a human's seat; an invitation, which can be used
once, moves the seat to another. The server keeps the hashes of secrets, never the secrets.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from oddly.interfaces.web.game_request import PEOPLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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

    @property
    def open(self) -> tuple[int, ...]:
        """The seats of humans that nobody holds."""
        return open_seats(self.seats, self.holders)

    def of(self, secret: str) -> Holder:
        """Return what the browser whose secret has this hash may do."""
        found = [holder for holder in self.holders if holder.secret == secret]
        return found[0] if found else Holder("", "")

    def may_invite(self, holder: Holder) -> tuple[int, ...]:
        """Return the seats that a holder may hand out: their own; for an owner, open ones too."""
        free = self.open if holder.is_owner else ()
        return tuple(sorted({*holder.seats, *free}))

    def view(self, holder: Holder) -> dict[str, object]:
        """Return what a browser with these rights shows of the people."""
        free = self.open
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
