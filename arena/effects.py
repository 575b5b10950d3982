"""What the arena wants done: rows to write first, then messages to send and sessions to close.

A batch is all that follows from some events. Its rows are on the disk before its messages leave,
so nobody hears of a turn that a crash could undo.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from oddly.arena.game import CountedTurn, GamePlan
    from oddly.arena.registry import Owner, RegisteredEngine
    from oddly.arena.wire.message import Message
    from oddly.referee import GameRecord


class Begun(NamedTuple):
    """A game begins."""

    plan: GamePlan
    began: float


class SetUp(NamedTuple):
    """A player has a game set up."""

    game: str
    player: int


class AskedFor(NamedTuple):
    """A player was asked for a turn. It may be written a second later."""

    game: str
    number: int
    asked: float


class TurnCounted(NamedTuple):
    """A turn counts."""

    game: str
    turn: CountedTurn


class Finished(NamedTuple):
    """A game is over."""

    game: str
    record: GameRecord


class Heard(NamedTuple):
    """A player knows how a game ended."""

    game: str
    player: int


class Noted(NamedTuple):
    """Something that the keeper reads in the log."""

    kind: str
    facts: dict[str, object]


Write = Begun | SetUp | AskedFor | TurnCounted | Finished | Heard
LAZY = (AskedFor, Heard)
"""What need not be on the disk before messages leave."""


class Send(NamedTuple):
    """A message for a session."""

    session: int
    message: Message


class CloseSession(NamedTuple):
    """A session that is over: after the messages before it are sent."""

    session: int


@dataclass(slots=True)
class Batch:
    """What is to be done, in this order: all rows, then messages and endings."""

    writes: list[Write] = field(default_factory=list)
    people: list[Owner | RegisteredEngine] = field(default_factory=list)
    """Owners and engines that are new or changed."""
    invitations: list[str] = field(default_factory=list)
    """Codes that were used once more."""
    out: list[Send | CloseSession] = field(default_factory=list)
    notes: list[Noted] = field(default_factory=list)

    @property
    def must_be_written(self) -> bool:
        """Whether rows have to be on the disk before the messages leave."""
        return bool(
            self.people
            or self.invitations
            or any(not isinstance(write, LAZY) for write in self.writes)
        )

    def __bool__(self) -> bool:
        return bool(self.writes or self.people or self.invitations or self.out or self.notes)
