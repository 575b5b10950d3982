"""The messages between the arena and the sides of engines: first those that the arena sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from oddly.arena.wire import members
from oddly.arena.wire.members import (
    MAX_FROM_ARENA,
    MAX_FROM_ENGINE,
    Members,
    Message,
    WireError,
    member,
    parse_as,
    reader_of,
    shown,
)
from oddly.games import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping


NONCE_DIGITS = 64

REFUSALS = (
    "name-taken",
    "bad-proof",
    "not-invited",
    "banned",
    "too-many",
    "taken-over",
    "bad-message",
    "closed",
    "version",
)
"""The reasons to refuse an engine's side; a later arena may have more."""
COLOURS = ("black", "white")
RESIGN = "resign"
"""The text of a turn that stands for resignation."""


@dataclass(frozen=True, slots=True)
class PoolOffer(Members):
    """A pool of the arena."""

    pool: str = member(members.identifier)
    game: str = member(members.identifier)
    size: int = member(members.whole(1, 1000))
    settings: Mapping[str, Any] = member(members.settings)
    time: str = member(members.time_control)


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """The first message: who the arena is, what it plays, and what to sign."""

    TYPE: ClassVar[str] = "hello"

    arena: str = member(members.name)
    nonce: str = member(members.hexadecimal(NONCE_DIGITS))
    pools: tuple[PoolOffer, ...] = member(members.several(reader_of(PoolOffer), members.MAX_POOLS))


@dataclass(frozen=True, slots=True)
class RatingNow(Members):
    """An engine's rating in one pool, in Elo, with half its 95 % interval."""

    elo: float = member(members.number(-members.MAX_ELO, members.MAX_ELO))
    error: float = member(members.number(0.0, members.MAX_ELO))
    games: int = member(members.whole(0))
    provisional: bool = member(members.truth, default=False)


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """The engine is in."""

    TYPE: ClassVar[str] = "welcome"

    engine: str = member(members.identifier)
    """Its slug."""
    page: str = member(members.address)
    ratings: Mapping[str, RatingNow] = member(
        members.by_name(reader_of(RatingNow), members.MAX_POOLS)
    )
    """Its ratings by pool."""
    new: bool = member(members.truth)
    game: str | None = member(members.optional(members.identifier), None)
    """The game that the engine plays, or whose end it has not heard; the game follows at once."""


@dataclass(frozen=True, slots=True)
class JoinRefused(Message):
    """The arena closes the connection and says why."""

    TYPE: ClassVar[str] = "refused"

    code: str = member(members.identifier)
    """One of REFUSALS, or one of a later arena."""
    reason: str = member(members.sentence)
    again: float | None = member(members.optional(members.seconds))
    """Seconds after which to try again; None for never."""


@dataclass(frozen=True, slots=True)
class Ping(Message):
    """A question to be answered at once, so that the arena can measure the round trip."""

    TYPE: ClassVar[str] = "ping"

    id: int = member(members.whole(0))


@dataclass(frozen=True, slots=True)
class GameStart(Message):
    """Everything about a game that begins, or goes on after a cut."""

    TYPE: ClassVar[str] = "start"

    id: str = member(members.identifier)
    pool: str = member(members.identifier)
    game: str = member(members.identifier)
    size: int = member(members.whole(1, 1000))
    settings: Mapping[str, Any] = member(members.settings)
    time: str = member(members.time_control)
    opponent: str = member(members.name)
    side: int = member(members.whole(0, 1))
    """0 for the player who opens."""
    turns: tuple[str, ...] = member(members.turns)
    opening: int = member(members.whole(0, members.MAX_TURNS))
    """The number of opening turns, which the arena played for both players."""
    clocks: tuple[float, float] = member(members.clocks)
    """Both players' seconds, as in `time_left`."""
    address: str = member(members.address)
    rated: bool = member(members.truth)
    seed: int = member(members.whole(0))
    resumed: bool = member(members.truth, default=False)
    periods: tuple[int, int] = member(members.several(members.whole(0, 1000), 2, 2), (0, 0))
    """Both players' periods or turns left, as in `time_left`; 0 in main time."""


@dataclass(frozen=True, slots=True)
class Go(Message):
    """A request for a turn of the engine, whose clock runs."""

    TYPE: ClassVar[str] = "go"

    id: str = member(members.identifier)
    number: int = member(members.whole(0, members.MAX_TURNS))
    """The turns that were played."""
    colour: str = member(members.one_of(*COLOURS))
    """The side to move."""
    last: tuple[str, ...] = member(members.turns)
    """The turns since the engine's own last one."""
    clocks: tuple[float, float] = member(members.clocks)
    periods: tuple[int, int] = member(members.several(members.whole(0, 1000), 2, 2), (0, 0))


@dataclass(frozen=True, slots=True)
class TurnAccepted(Message):
    """A turn is legal, in time, and on the disk."""

    TYPE: ClassVar[str] = "accepted"

    id: str = member(members.identifier)
    number: int = member(members.whole(0, members.MAX_TURNS))
    clock: float = member(members.seconds)
    """The seconds left to the player."""
    credit: float = member(members.seconds)
    """The seconds that were credited for lag."""


@dataclass(frozen=True, slots=True)
class GameEnd(Message):
    """A game is over. It is sent again until the engine's side has heard it."""

    TYPE: ClassVar[str] = "end"

    id: str = member(members.identifier)
    winner: int | None = member(members.optional(members.whole(0, 1)))
    score: str = member(members.line(members.MAX_NAME))
    reason: str = member(members.sentence)
    termination: str = member(members.line(members.MAX_NAME, 1))
    rating: RatingNow | None = member(members.optional(reader_of(RatingNow)), None)
    turns: tuple[str, ...] = member(members.turns, ())
    """The last turns, at least those that the engine's side has not heard."""
    number: int | None = member(members.optional(members.whole(0, members.MAX_TURNS)), None)
    """The turns that were played."""


@dataclass(frozen=True, slots=True)
class RestAgreed(Message):
    """The answer to `rest`: no new game begins until the engine is ready again."""

    TYPE: ClassVar[str] = "resting"


@dataclass(frozen=True, slots=True)
class Note(Message):
    """A sentence for the engine's owner."""

    TYPE: ClassVar[str] = "note"

    text: str = member(members.sentence)


FROM_ARENA: dict[str, type[Message]] = {
    kind.TYPE: kind
    for kind in (
        Hello, Welcome, JoinRefused, Ping, GameStart, Go, TurnAccepted, GameEnd, RestAgreed, Note,
    )
}  # fmt: skip


def parse_from_arena(text: str | bytes) -> Message | None:
    """Return the message of the arena; None for an unknown type. Raises WireError."""
    return parse_as(FROM_ARENA, text, MAX_FROM_ARENA)


@dataclass(frozen=True, slots=True)
class Join(Message):
    """The engine that dials in, and the proof that its side holds the key."""

    TYPE: ClassVar[str] = "join"

    name: str = member(members.name)
    family: str = member(members.name)
    owner: str = member(members.line(members.MAX_NAME))
    """The owner of the engine; empty for the key's owner or, with a new key, the family."""
    key: str = member(members.base64_text(64))
    """The raw Ed25519 public key in base64url."""
    proof: str = member(members.base64_text(128))
    """The signature over `proof.signed_text` in base64url."""
    program: str = member(members.sentence, "")
    """The name and version that the engine gives itself."""
    about: str = member(members.sentence, "")
    pools: tuple[str, ...] = member(members.several(members.identifier, members.MAX_POOLS), ())
    """The pools in which it plays; empty for all that it can play."""
    invitation: str | None = member(members.optional(members.line(members.MAX_NAME)), None)
    challenges: bool = member(members.truth, default=False)
    """Whether visitors of its page may play unrated games against it."""


@dataclass(frozen=True, slots=True)
class Pong(Message):
    """The immediate answer to a ping."""

    TYPE: ClassVar[str] = "pong"

    id: int = member(members.whole(0))


@dataclass(frozen=True, slots=True)
class ReadyForGame(Message):
    """The engine is free for a game."""

    TYPE: ClassVar[str] = "ready"


@dataclass(frozen=True, slots=True)
class NoMoreGames(Message):
    """No new game after this one, until the engine is ready again."""

    TYPE: ClassVar[str] = "rest"


@dataclass(frozen=True, slots=True)
class GameSet(Message):
    """The engine has the game, and its clock may run."""

    TYPE: ClassVar[str] = "set"

    id: str = member(members.identifier)


@dataclass(frozen=True, slots=True)
class WireEvaluation(Members):
    """An engine's evaluation of its turn, as in `last_evaluation`."""

    win_rate: float = member(members.number(0.0, 1.0))
    depth: int | None = member(members.optional(members.whole(0)), None)
    visits: int | None = member(members.optional(members.whole(0)), None)
    lead: float | None = member(
        members.optional(members.number(-members.MAX_LEAD, members.MAX_LEAD)), None
    )


@dataclass(frozen=True, slots=True)
class TurnSent(Message):
    """An engine's turn, or `resign`. It is sent again after a cut, until it is accepted."""

    TYPE: ClassVar[str] = "turn"

    id: str = member(members.identifier)
    number: int = member(members.whole(0, members.MAX_TURNS))
    """The number of turns played before it."""
    turn: str = member(members.line(members.MAX_TURN))
    took: float = member(members.seconds)
    """The seconds that the engine itself took."""
    evaluation: WireEvaluation | None = member(members.optional(reader_of(WireEvaluation)), None)


@dataclass(frozen=True, slots=True)
class EndHeard(Message):
    """The engine's side knows how the game ended."""

    TYPE: ClassVar[str] = "ended"

    id: str = member(members.identifier)


FROM_ENGINE: dict[str, type[Message]] = {
    kind.TYPE: kind for kind in (Join, Pong, ReadyForGame, NoMoreGames, GameSet, TurnSent, EndHeard)
}


def parse_from_engine(text: str | bytes) -> Message:
    """Return the message of an engine's side. Raises WireError, also for an unknown type."""
    message = parse_as(FROM_ENGINE, text, MAX_FROM_ENGINE)
    if message is None:
        raise WireError(_unknown(text))
    return message


def _unknown(text: str | bytes) -> str:
    from oddly.safe_files import json_object

    type_ = json_object(text if isinstance(text, str) else text.decode())["type"]
    hint = did_you_mean(type_, tuple(FROM_ENGINE))
    return f"'type' is {shown(type_)}, expected one of {', '.join(FROM_ENGINE)}{hint}"
