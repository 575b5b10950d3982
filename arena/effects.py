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
    asks: list[str] = field(default_factory=list)
    """The games whose mover is asked by these messages; its clock runs from then on."""
    beats: bool = False
    """Whether the arena's clock is to be written, if nothing else is."""

    @property
    def must_be_written(self) -> bool:
        """Whether rows have to be on the disk before the messages leave."""
        return bool(
            self.people
            or self.invitations
            or self.beats
            or any(not isinstance(write, LAZY) for write in self.writes)
        )

    def __bool__(self) -> bool:
        return self.must_be_written or bool(self.writes or self.out or self.asks)


class Effects:
    """The batch that grows until it is taken."""

    def __init__(self) -> None:
        self.batch = Batch()

    def send(self, session: int, message: Message) -> None:
        """Have a message sent."""
        self.batch.out.append(Send(session, message))

    def close(self, session: int) -> None:
        """Have a session closed, after the messages before."""
        self.batch.out.append(CloseSession(session))

    def write(self, row: Write) -> None:
        """Have a row written, before any message of the batch leaves."""
        self.batch.writes.append(row)

    def take(self) -> Batch:
        """Return what is to be done since the last call."""
        batch, self.batch = self.batch, Batch()
        return batch
