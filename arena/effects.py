"""What the arena wants done: rows to write first, then messages to send and sessions to close.

A batch is everything that follows from some events. Its rows are on disk before its messages leave,
so nobody hears of a turn that a crash could undo.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from oddly.games import one_line

if TYPE_CHECKING:
    from oddly.arena.game import CountedTurn, GamePlan
    from oddly.arena.registry import Owner, RegisteredEngine
    from oddly.arena.wire.members import Message
    from oddly.arena.wire.messages import RatingNow
    from oddly.referee import GameRecord


class Begun(NamedTuple):
    """A game begins."""

    plan: GamePlan
    began: float


class SetUp(NamedTuple):
    """A player has set a game up."""

    game: str
    player: int


class AskedFor(NamedTuple):
    """A player was asked for a turn, or its clock stops or goes on. It may be written later."""

    game: str
    number: int
    asked: float
    held: float | None = None
    """Since when the clock stands still; None if it runs."""


class TurnCounted(NamedTuple):
    """A turn counts."""

    game: str
    turn: CountedTurn
    pool: str


class Finished(NamedTuple):
    """A game is over."""

    game: str
    record: GameRecord
    pool: str


class Heard(NamedTuple):
    """A player knows how a game ended."""

    game: str
    player: int


class Ruled(NamedTuple):
    """The keeper has ruled. It is public."""

    kind: str
    subject: str
    """A game, an engine or an owner."""
    name: str
    value: str
    """The new name or key, if there is one."""
    reason: str

    def sentence(self) -> str:
        """Return what was ruled, and why."""
        name = one_line(self.name)
        what = {
            ("annul", "game"): f"game {name} is annulled",
            ("restore", "game"): f"game {name} counts again",
            ("restore", "engine"): f"engine {name!r} plays again",
            ("retire", "engine"): f"engine {name!r} is retired",
            ("pardon", "engine"): f"engine {name!r} is pardoned",
            ("ban", "owner"): f"owner {name!r} is banned",
            ("unban", "owner"): f"owner {name!r} is banned no more",
            ("rename", "engine"): f"engine {name!r} is renamed {one_line(self.value)!r}",
            ("hand-over", "owner"): f"owner {name!r} has a new key",
        }.get((self.kind, self.subject), f"{one_line(self.kind)} {name}")
        return f"{what}: {one_line(self.reason)}"


class Renamed(NamedTuple):
    """An engine has another name, and all its games follow."""

    old: str
    old_slug: str
    new: str
    new_slug: str


class Invited(NamedTuple):
    """An invitation exists."""

    code: str
    engines: int


class AddressAllowance(NamedTuple):
    """The number of new engines that an address may still register. It is kept for a day."""

    address: str
    """A hash of the address, which stays private."""
    left: float
    since: float
    """The time at which that many were left."""


class OrderDone(NamedTuple):
    """An order of the keeper is answered."""

    number: int
    answer: str
    is_refused: bool


class NewRating(NamedTuple):
    """An engine has another rating after a game."""

    pool: str
    engine: str
    rating: RatingNow


class NewLeader(NamedTuple):
    """Another engine leads a pool."""

    pool: str
    engine: str
    elo: float


KeeperWrite = Ruled | Renamed | Invited | OrderDone
SingleWrite = (
    Begun
    | SetUp
    | AskedFor
    | Finished
    | Heard
    | AddressAllowance
    | NewRating
    | NewLeader
    | KeeperWrite
)
Write = SingleWrite | TurnCounted
LAZY = (AskedFor, Heard)
"""Rows that need not be on disk before messages leave."""
LAZY_FOR = 0.05
"""The minimum seconds for which such rows wait, so that newer ones may replace them."""


class Send(NamedTuple):
    """A message for a session."""

    session: int
    message: Message


class EngineJoined(NamedTuple):
    """An engine's side is here."""

    engine: str
    address: str
    """Its network address."""
    is_new: bool


class EngineLeft(NamedTuple):
    """An engine's side is gone: it left, or its connection broke."""

    engine: str


class EngineRefused(NamedTuple):
    """A connection is closed by the arena."""

    engine: str | None
    """The engine, if it has joined."""
    address: str
    code: str
    reason: str


News = EngineJoined | EngineLeft | EngineRefused
"""Events that are not written to the disk."""


class CloseSession(NamedTuple):
    """A session to be closed once the messages before it are sent."""

    session: int
    is_silent: bool = False
    """Whether nothing was heard of it; otherwise it has been refused."""


@dataclass(slots=True)
class Batch:
    """What to do, in this order: write all rows, then send messages and close sessions."""

    writes: list[Write] = field(default_factory=list)
    people: list[Owner | RegisteredEngine] = field(default_factory=list)
    """Owners and engines that are new or changed."""
    invitations: list[str] = field(default_factory=list)
    """Codes that were used again."""
    out: list[Send | CloseSession] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    """The games whose movers these messages ask; their clocks start when the messages are sent."""
    news: list[News] = field(default_factory=list)
    """Other events, for observers."""
    beats: bool = False
    """Whether to write the arena's clock even if there is nothing else."""

    @property
    def must_be_written(self) -> bool:
        """Whether rows have to be on disk before the messages leave."""
        return (
            self.is_of_people
            or self.beats
            or any(not isinstance(write, LAZY) for write in self.writes)
        )

    @property
    def is_of_people(self) -> bool:
        """Whether there are owners, engines or invitations to write."""
        return bool(self.people or self.invitations)

    def __bool__(self) -> bool:
        return self.must_be_written or bool(self.writes or self.out or self.asks or self.news)


class Effects:
    """A batch that grows until it is taken."""

    def __init__(self) -> None:
        self.batch = Batch()

    def send(self, session: int, message: Message) -> None:
        """Have a message sent."""
        self.batch.out.append(Send(session, message))

    def close(self, session: int, *, is_silent: bool = False) -> None:
        """Have a session closed, after the messages before."""
        self.batch.out.append(CloseSession(session, is_silent))

    def tell(self, news: News) -> None:
        """Tell the observers of the arena."""
        self.batch.news.append(news)

    def write(self, row: Write) -> None:
        """Have a row written, before any message of the batch leaves."""
        self.batch.writes.append(row)

    def take(self) -> Batch:
        """Return the batch that has grown since the last call."""
        batch, self.batch = self.batch, Batch()
        return batch


class LazyRows:
    """Lazy rows that wait for a batch that must be written. A game keeps its last question."""

    def __init__(self) -> None:
        self._asked: dict[str, AskedFor] = {}
        self._heard: list[Heard] = []
        self._due = 0.0

    def go_with(self, batch: Batch, now: float) -> None:
        """Take the lazy rows of a batch, and add those to it that have waited long enough."""
        for row in batch.writes:
            if isinstance(row, AskedFor):
                self._asked[row.game] = row
            elif isinstance(row, Heard):
                self._heard.append(row)
        batch.writes = [row for row in batch.writes if not isinstance(row, LAZY)]
        if batch.beats or (now >= self._due and batch.must_be_written):
            batch.writes += [*self._asked.values(), *self._heard]
            self._asked, self._heard, self._due = {}, [], now + LAZY_FOR
